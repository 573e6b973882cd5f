"use strict";
/* The cards of the owner's page about several models: side by side, and one against another. owner.js calls it. */

const comparison = document.getElementById("comparison");
const models = document.getElementById("models");
const NARROW = {left: 4, right: 196};
let shownPair = ""; // what the comparison card shows: pair, margin and version of the labels
let shownTable = "";
let colours = {}; // by model: the class of its line
let measured = []; // per model: precision and recall beside the metric
let lastTable = null;
let working = false;
let restsUntil = 0;
let asked = 0; // number of the latest request about a pair: replies to earlier ones are dropped

/* The choice is in the address, so that it can be sent to somebody and survives a reload. */
function choice() {
  const given = new URLSearchParams(location.search);
  const known = (name) => [...place("baseline").options].some((option) => option.value === name);
  const wrong = ["baseline", "candidate"].find((key) => given.has(key) && !known(given.get(key)));
  if (wrong) place("message").textContent = `${wrong} in the address must be one of the models: got “${given.get(wrong)}”.`;
  const of = (key) => (given.has(key) && known(given.get(key)) ? given.get(key) : comparison.dataset[key]);
  const margin = Number(given.get("margin") ?? comparison.dataset.margin);
  return {baseline: of("baseline"), candidate: of("candidate"), margin: margin >= 0 && margin <= 1 ? margin : 0};
}

function chosen() {
  const [baseline, candidate] = [place("baseline").value, place("candidate").value];
  return {baseline, candidate, margin: place("margin").value, ready: baseline && candidate && baseline !== candidate};
}

function remember() {
  const {baseline, candidate, margin} = chosen();
  const query = new URLSearchParams({baseline, candidate, margin: margin || "0"});
  history.replaceState(null, "", `?${query}`);
}

function clearPair(text) {
  for (const id of ["verdict", "difference", "difference-interval", "probability"]) place(id).textContent = "";
  place("difference-note").textContent = text;
  place("difference-figure").hidden = true;
}

const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(3)}`;

function showPair(found) {
  const verdict = place("verdict");
  verdict.className = `verdict ${found.verdict}`;
  verdict.textContent = found.verdict === "undecided" ? `Undecided between ${found.candidate} and ${found.baseline}` : found.sentence;
  place("difference").textContent = found.value === null ? "–" : signed(found.value);
  place("difference-interval").textContent = found.low === null ? "No interval yet"
    : `${Math.round(100 * found.confidence)} % interval ${signed(found.low)} to ${signed(found.high)}`;
  const by = found.margin ? ` by more than ${found.margin}` : "";
  place("probability").textContent = found.probability === null || found.low === found.high ? ""
    : `${found.candidate} is better${by} with probability ${found.probability_text.replace(" %", "\u00a0%")}`;
  place("difference-note").textContent = [found.reason, found.warning, found.agreement].filter(Boolean).join(". ");
  const lines = found.margin ? "; dashed: the difference that does not matter" : "";
  place("difference-caption").textContent =
    `${comparison.dataset.metric} of ${found.candidate} minus that of ${found.baseline}, and 95 % interval, by number of labels${lines}`;
  place("difference-chart").setAttribute("aria-label", found.text);
}

/* Ask for the points that are missing until there are all; each request computes a few. */
async function filled(address, draw, wanted) {
  for (;;) {
    const found = await send(address);
    if (!wanted()) return;
    draw(found);
    if (!found.more) return;
  }
}

async function lookAtPair(version) {
  const {baseline, candidate, margin, ready} = chosen();
  const key = JSON.stringify([baseline, candidate, margin, version]);
  if (key === shownPair) return;
  const mine = ++asked;
  shownPair = key;
  if (!ready) return clearPair(baseline && baseline === candidate ? "Choose two different models." : "Choose two models.");
  try {
    const pair = new URLSearchParams({baseline, candidate});
    const found = await send(`/api/owner/comparison?${pair}&margin=${encodeURIComponent(margin || 0)}`);
    if (mine !== asked) return;
    showPair(found);
    const draw = (path) => {
      place("difference-figure").hidden = false;
      drawDifference(place("difference-chart"), path, found.margin);
    };
    await filled(`/api/owner/history/comparison?${pair}`, draw, () => mine === asked);
  } catch (error) {
    if (mine !== asked) return;
    shownPair = "";
    clearPair(error.message);
  }
}

/* The interval of a row, on a scale from 0 to 1. */
function bar(row) {
  const at = (value) => NARROW.left + (NARROW.right - NARROW.left) * value;
  const made = svg("svg", "bar", {viewBox: "0 0 200 20", "aria-hidden": "true"});
  made.append(svg("line", "grid", {x1: at(0), x2: at(1), y1: 10, y2: 10}));
  if (row.value === null) return made;
  const colour = colours[row.model] || (Object.keys(colours).length ? "no-line" : "");
  if (row.low !== null) made.append(svg("line", `range ${colour}`, {x1: at(row.low), x2: at(row.high), y1: 10, y2: 10}));
  made.append(svg("circle", `last ${colour}`, {cx: at(row.value), cy: 10, r: 3.5}));
  return made;
}

function showTable(found) {
  lastTable = found;
  place("model-rows").replaceChildren(...found.rows.map((row) => {
    const made = element("tr");
    const name = element("div", "named");
    const swatch = svg("svg", "swatch", {viewBox: "0 0 12 12", "aria-hidden": "true"});
    if (colours[row.model]) swatch.append(svg("circle", `last ${colours[row.model]}`, {cx: 6, cy: 6, r: 6}));
    name.append(swatch, element("span", "id", row.model));
    const range = row.low === null ? row.reason : `${three(row.low)} to ${three(row.high)}`;
    const value = cell(element("b", "", row.value === null ? "–" : three(row.value)), element("small", "quiet", range));
    const best = cell(row.best_text);
    value.className = best.className = "right";
    const drawn = cell(bar(row));
    drawn.className = "wide-only";
    made.append(cell(name), value, ...besides(row.model), drawn, best);
    return made;
  }));
}

/* The other metrics of a model, where there is a column for each. */
function besides(model) {
  const count = models.querySelectorAll("thead th").length - 4;
  const [found] = measured.filter((one) => one.model === model);
  return Array.from({length: count}, (_, place) => {
    const one = found && found.measures[place + 1];
    const made = !one ? cell("…") : cell(element("b", "", one.value === null ? "–" : three(one.value)),
      element("small", "quiet", one.low === null ? "" : `${three(one.low)} to ${three(one.high)}`));
    if (one && one.reason) made.title = one.reason;
    made.className = "right";
    return made;
  });
}

function showMeasures(found) {
  measured = found;
  if (lastTable) showTable(lastTable);
}

function showGoal(found) {
  if (models.dataset.lines === "no") return; // the goal is one model, and its own card says how far it is
  showStop(found.stop, "");
  place("meaning").textContent = found.leader;
  place("warning").textContent = found.warnings.join("; ");
}

async function lookAtModels(version) {
  if (shownTable === version) return;
  shownTable = version;
  try {
    const found = await send("/api/owner/models");
    showTable(found);
    showGoal(found);
    if (models.dataset.lines === "no") return;
    const draw = (path) => {
      colours = Object.fromEntries(path.lines.map((one, number) => [one.model, `m${number}`]));
      showTable(found);
      drawModels(place("models-chart"), path);
      place("models-left-out").textContent =
        path.lines.length < path.models ? `; the ${path.lines.length} models with the highest values are shown` : "";
    };
    await filled("/api/owner/history/models", draw, () => shownTable === version);
    place("models-chart").setAttribute("aria-label", found.text);
  } catch (error) {
    shownTable = "";
    throw error;
  }
}

/* The page does not wait for this. With many models it takes seconds, so it rests for as long as it worked. */
async function lookAtSeveral(version) {
  const began = Date.now();
  if (working || began < restsUntil) return;
  working = true;
  try {
    await Promise.all([lookAtModels(version), lookAtPair(version)]);
  } catch (error) { place("message").textContent = error.message; }
  working = false;
  restsUntil = 2 * Date.now() - began;
}

function begin() {
  const {baseline, candidate, margin} = choice();
  place("baseline").value = baseline;
  place("candidate").value = candidate;
  place("margin").value = margin;
  place("pair").addEventListener("submit", (event) => event.preventDefault());
  place("pair").addEventListener("change", () => { remember(); lookAtPair(before.version); });
}
