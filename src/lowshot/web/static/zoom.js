"use strict";
/* An enlarged picture over the page, above the buttons for answers: they and their keys go on working.
   Wheel or two fingers zoom, dragging moves, a double click changes between the whole picture and full size. */

const STEP = 1.4; // the factor of a key or a button
const MOVE = 80; // pixels that a key moves the picture
const COARSE = 3; // pixels of the screen per pixel of the picture, from which on single pixels are shown sharply

const zoom = {
  view: null, // the element over the page; null if nothing is enlarged
  fingers: new Map(), // where each pointer that is down is

  /* `at` is the place to look at, in pixels of the picture from its middle. */
  open(image, at) {
    if (zoom.view || !image.naturalWidth) return;
    zoom.before = document.activeElement;
    zoom.image = element("img");
    zoom.image.alt = "The picture of the item, enlarged";
    zoom.image.src = image.src;
    zoom.image.draggable = false;
    zoom.size = {x: image.naturalWidth, y: image.naturalHeight};
    zoom.image.style.width = `${zoom.size.x}px`;
    zoom.view = element("div", "zoom");
    zoom.view.tabIndex = 0;
    zoom.view.setAttribute("role", "dialog");
    zoom.view.setAttribute("aria-label", "Enlarged picture");
    zoom.view.append(zoom.image, zoom.buttons());
    zoom.listen();
    const bar = document.querySelector(".bar");
    bar.before(zoom.view);
    zoom.behind = [document.querySelector("header"), ...[...bar.parentElement.children].filter((one) => one !== bar && one !== zoom.view)];
    for (const one of zoom.behind) one.inert = true;
    zoom.fingers.clear();
    zoom.scale = zoom.fit();
    zoom.middle = {x: 0, y: 0};
    zoom.full({x: at.x * zoom.scale, y: at.y * zoom.scale});
    zoom.view.focus();
  },

  close() {
    if (!zoom.view) return;
    const focused = zoom.view.contains(document.activeElement);
    zoom.view.remove();
    zoom.view = null;
    for (const one of zoom.behind) one.inert = false;
    if (focused && zoom.before?.isConnected) zoom.before.focus();
  },

  /* The buttons keep their place below the picture, and the middle of what is left is the origin. */
  room() {
    const bar = document.querySelector(".bar").getBoundingClientRect();
    zoom.view.style.bottom = `${window.innerHeight - bar.top}px`;
    return {x: zoom.view.clientWidth, y: zoom.view.clientHeight};
  },

  /* The scale that shows the whole picture; pictures are enlarged for it, too. */
  fit() {
    const room = zoom.room();
    return Math.min(room.x / zoom.size.x, room.y / zoom.size.y);
  },

  /* One pixel of the picture per pixel of the screen, or twice the whole picture if that is more. `at` is the place,
     relative to the middle, that stays where it is. */
  full(at) { zoom.to(Math.max(1, zoom.fit() < 1 ? 1 : 2 * zoom.fit()), at); },

  to(scale, at = {x: 0, y: 0}) {
    const fit = zoom.fit();
    const next = Math.min(Math.max(scale, Math.min(fit, 1)), Math.max(8, 8 * fit));
    const grown = next / zoom.scale;
    zoom.middle = {x: at.x + (zoom.middle.x - at.x) * grown, y: at.y + (zoom.middle.y - at.y) * grown};
    zoom.scale = next;
    zoom.draw();
  },

  move(x, y) {
    zoom.middle = {x: zoom.middle.x + x, y: zoom.middle.y + y};
    zoom.draw();
  },

  draw() {
    const room = zoom.room();
    for (const side of ["x", "y"]) { // what does not fit can be moved up to its edges; what fits is in the middle
      const over = Math.max(0, (zoom.size[side] * zoom.scale - room[side]) / 2);
      zoom.middle[side] = Math.min(over, Math.max(-over, zoom.middle[side]));
    }
    const {x, y} = zoom.middle;
    zoom.image.style.transform = `translate(-50%, -50%) translate(${x}px, ${y}px) scale(${zoom.scale})`;
    zoom.image.classList.toggle("coarse", zoom.scale >= COARSE);
  },

  /* A place on the screen, relative to the middle. */
  place(event) {
    const box = zoom.view.getBoundingClientRect();
    return {x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2};
  },

  buttons() {
    const group = element("div", "zoom-buttons");
    const each = {"Zoom in": ["+", () => zoom.to(zoom.scale * STEP)], "Zoom out": ["−", () => zoom.to(zoom.scale / STEP)], "Close": ["×", zoom.close]};
    for (const [name, [sign, act]] of Object.entries(each)) {
      const button = element("button", "", sign);
      button.setAttribute("aria-label", name);
      button.addEventListener("click", act);
      group.append(button);
    }
    group.addEventListener("pointerdown", (event) => event.stopPropagation());
    group.addEventListener("dblclick", (event) => event.stopPropagation());
    return group;
  },

  listen() {
    const {view} = zoom;
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom.to(zoom.scale * Math.exp(-event.deltaY / 400), zoom.place(event));
    }, {passive: false});
    view.addEventListener("dblclick", (event) => {
      if (zoom.scale > zoom.fit() * 1.01) zoom.to(zoom.fit());
      else zoom.full(zoom.place(event));
    });
    view.addEventListener("pointerdown", (event) => {
      view.setPointerCapture(event.pointerId);
      zoom.fingers.set(event.pointerId, zoom.place(event));
    });
    view.addEventListener("pointermove", zoom.drag);
    for (const kind of ["pointerup", "pointercancel"]) view.addEventListener(kind, (event) => zoom.fingers.delete(event.pointerId));
  },

  /* One finger moves the picture; two move and zoom it. */
  drag(event) {
    const before = zoom.fingers.get(event.pointerId);
    if (!before) return;
    const now = zoom.place(event);
    const other = [...zoom.fingers].find(([finger]) => finger !== event.pointerId)?.[1];
    zoom.fingers.set(event.pointerId, now);
    if (!other) { zoom.move(now.x - before.x, now.y - before.y); return; }
    const apart = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
    zoom.move((now.x - before.x) / 2, (now.y - before.y) / 2);
    zoom.to(zoom.scale * apart(now) / apart(before), {x: (now.x + other.x) / 2, y: (now.y + other.y) / 2});
  },

  key(event) {
    if (!zoom.view || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input")) return;
    const aside = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (event.key === "Escape" || event.key.toLowerCase() === "z") zoom.close();
    else if (event.key === "+" || event.key === "=") zoom.to(zoom.scale * STEP);
    else if (event.key === "-") zoom.to(zoom.scale / STEP);
    else if (aside && event.shiftKey) zoom.move(aside[0] * MOVE, aside[1] * MOVE);
    else return;
    event.preventDefault();
    event.stopPropagation();
  },
};

/* Where a picture was clicked, in its own pixels from its middle. */
function placeIn(image, event) {
  const box = image.getBoundingClientRect();
  const scale = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight);
  return {x: (event.clientX - box.left - box.width / 2) / scale, y: (event.clientY - box.top - box.height / 2) / scale};
}

/* Pictures become buttons that enlarge them. */
function enlargeable(root) {
  for (const image of root.querySelectorAll("img")) {
    const button = element("button", "picture");
    button.setAttribute("aria-label", "Picture of the item: enlarge it");
    image.replaceWith(button);
    button.append(image);
    const coarse = () => image.classList.toggle("coarse", Math.max(image.naturalWidth, image.naturalHeight) <= 96);
    image.addEventListener("load", coarse);
    button.addEventListener("click", (event) => {
      const veil = button.closest(".veiled")?.querySelector(".look"); // what is blurred is shown first
      if (veil) { veil.click(); return; }
      const open = () => zoom.open(image, event.detail ? placeIn(image, event) : {x: 0, y: 0}); // a key has no place
      if (image.complete) open();
      else image.addEventListener("load", () => { if (image.isConnected) open(); }, {once: true}); // the item is still shown
    });
  }
}

document.addEventListener("keydown", zoom.key, true); // before the keys for answers
window.addEventListener("resize", () => { if (zoom.view) zoom.draw(); });
