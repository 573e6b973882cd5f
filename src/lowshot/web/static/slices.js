"use strict";
/* The card of slices on the owner's page: the metric of each value of a column. owner.js calls it. */

let shownSlices = ""; // column, model and version of the labels that the table shows
let workingOnSlices = false;
let slicesRestUntil = 0;

async function lookAtSlices(version) {
  const began = Date.now();
  if (workingOnSlices || began < slicesRestUntil || !version) return;
  const by = place("slices-by").value;
  const model = place("slices-model") ? place("slices-model").value : "";
  const key = JSON.stringify([by, model, version]);
  if (key === shownSlices) return;
  workingOnSlices = true;
  try {
    const found = await send(`/api/owner/slices?${new URLSearchParams(model ? {by, model} : {by})}`);
    renewDots(place("slices"), found.chart);
    shownSlices = key;
  } catch (error) { place("slices").replaceChildren(element("p", "quiet", error.message)); }
  workingOnSlices = false;
  slicesRestUntil = 2 * Date.now() - began; // many slices take seconds: rest for as long as it worked
}

function beginSlices() {
  for (const select of [place("slices-by"), place("slices-model")].filter(Boolean)) {
    select.addEventListener("change", () => {
      place("slices").replaceChildren(element("p", "quiet", "Computing …"));
      slicesRestUntil = 0;
      lookAtSlices(before.version);
    });
  }
}
