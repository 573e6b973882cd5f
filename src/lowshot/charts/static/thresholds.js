"use strict";
/* The slider of a picture of thresholds: moves the line along the cuts and shows the numbers there. All texts and places
   come from the page itself (charts/threshold_page.py), so that numbers are written in one place only. */

const WORDS = ["threshold", "items kept", "precision", "recall", "F1"];

function cutsOf(root) {
  return JSON.parse(root.querySelector("script[type='application/json']").textContent);
}

function showCut(root, cuts, place) {
  const [[x, precision, recall], ...texts] = cuts[place];
  const line = root.querySelector(".cut-here");
  for (const name of ["x1", "x2"]) line.setAttribute(name, x);
  const dots = root.querySelectorAll(".cut-dot");
  [precision, recall].forEach((y, number) => { dots[number].setAttribute("cx", x); dots[number].setAttribute("cy", y); });
  const cells = root.querySelectorAll(".cut-numbers dd");
  texts.forEach(([value, interval], number) => {
    cells[number].firstChild.textContent = value;
    if (interval) cells[number].querySelector("small").textContent = interval;
  });
  const said = texts.map(([value, interval], number) => `${WORDS[number]} ${value}${interval ? `, ${interval}` : ""}`);
  root.querySelector("input").setAttribute("aria-valuetext", said.join("; "));
}

/* The cut that is nearest to this place of the picture. */
function nearestCut(picture, cuts, event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
  let nearest = 0;
  cuts.forEach(([[x]], place) => { if (Math.abs(x - point.x) < Math.abs(cuts[nearest][0][0] - point.x)) nearest = place; });
  return nearest;
}

function followPointer(root, cuts) {
  const [picture, slider] = [root.querySelector(".cut-picture"), root.querySelector("input")];
  const follow = (event) => {
    if (event.buttons !== 1) return;
    event.preventDefault(); // texts of the picture would be selected instead
    slider.value = nearestCut(picture, cuts, event);
    showCut(root, cuts, slider.value);
  };
  picture.addEventListener("pointerdown", follow);
  picture.addEventListener("pointermove", follow);
}

function beginSlider(root) {
  const cuts = cutsOf(root);
  const slider = root.querySelector("input");
  slider.oninput = () => showCut(root, cuts, slider.value);
  root.querySelector(".cut-slider").hidden = false;
  followPointer(root, cuts);
  showCut(root, cuts, slider.value);
}

/* Show a newer picture in the place of an older one. The slider itself stays, so that somebody who is moving it can go
   on; if it was moved, it stays at about the same number of kept items. */
function renewThresholds(place, html) {
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector(".thresholds");
  const old = place.querySelector(".thresholds");
  const slider = old && old.querySelector("input");
  if (!slider || !fresh || !fresh.querySelector("input")) {
    place.replaceChildren(...(fresh ? [fresh] : []));
  } else {
    const [cuts, before] = [cutsOf(fresh), cutsOf(old)];
    const made = fresh.querySelector("input");
    const moved = slider.value !== slider.defaultValue;
    const x = before[slider.value][0][0];
    const same = cuts.findIndex(([[other]]) => other >= x);
    const opened = old.querySelector("details").open;
    [slider.max, slider.defaultValue] = [made.max, made.defaultValue];
    slider.value = moved ? (same < 0 ? cuts.length - 1 : same) : made.defaultValue;
    for (const part of ["figure", ".cut-numbers", ".cut-notes", "script"]) {
      old.querySelector(part).replaceWith(fresh.querySelector(part));
    }
    old.querySelector("details").open = opened;
  }
  const shown = place.querySelector(".thresholds");
  if (shown && shown.querySelector("input")) beginSlider(shown);
}

document.querySelectorAll(".thresholds").forEach((root) => { if (root.querySelector("input")) beginSlider(root); });
