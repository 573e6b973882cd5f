"use strict";
/* Finds and sorts the rows of a table with dots. Without it, all rows are there, the lowest value first. */

const DOT_ORDERS = {
  lowest: (row) => [Number(row.dataset.value), row.dataset.name],
  highest: (row) => [-Number(row.dataset.value), row.dataset.name],
  widest: (row) => [-Number(row.dataset.width), row.dataset.name],
  fewest: (row) => [Number(row.dataset.labels), row.dataset.name],
  name: (row) => [0, row.dataset.name],
};

function arrangeDots(place) {
  const body = place.querySelector("tbody");
  const typed = place.querySelector(".dots-find").value.trim().toLowerCase();
  const order = DOT_ORDERS[place.querySelector(".dots-sort").value];
  const rows = [...body.rows].map((row) => [order(row), row]);
  rows.sort(([[one, a]], [[other, b]]) => (one === other ? a.localeCompare(b, undefined, {numeric: true}) : one - other));
  let shown = 0;
  for (const [, row] of rows) {
    row.hidden = !row.dataset.name.toLowerCase().includes(typed);
    shown += row.hidden ? 0 : 1;
  }
  body.append(...rows.map(([, row]) => row));
  place.querySelector(".dots-count").textContent = typed ? `${shown} of ${rows.length}` : "";
}

function beginDots(place) {
  const tools = place.querySelector(".dots-tools");
  if (!tools) return;
  tools.hidden = false;
  for (const each of tools.querySelectorAll("input, select")) each.addEventListener("input", () => arrangeDots(place));
}

/* Another state of the same table: what was typed and chosen stays, and the place of the reader. */
function renewDots(place, html) {
  const [old] = place.getElementsByClassName("dots");
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector(".dots");
  if (old && fresh && old.querySelector(".dots-tools") && fresh.querySelector(".dots-tools")) {
    const top = old.querySelector(".dots-scroll").scrollTop;
    for (const part of [".dots-scroll", ".dots-notes"]) old.querySelector(part).replaceWith(fresh.querySelector(part));
    arrangeDots(old);
    old.querySelector(".dots-scroll").scrollTop = top;
    return;
  }
  place.replaceChildren(...(fresh ? [fresh] : []));
  if (fresh) beginDots(fresh);
}

for (const place of document.getElementsByClassName("dots")) beginDots(place);
