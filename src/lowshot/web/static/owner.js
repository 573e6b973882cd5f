"use strict";
/* The owner's page: asks for the state every two seconds and redraws only what has changed. */

const EVERY = 2000; // milliseconds between two requests
const ANSWERS = ["yes", "no", "cannot tell"];
const page = document.getElementById("owner");
const place = (id) => document.getElementById(id);
const three = (value) => value.toFixed(3);
const byCategory = page.dataset.categories === "yes"; // categories.js shows what is about categories
const several = document.getElementById("models") !== null;
const blurred = page.dataset.blur === "yes";
const certifies = page.dataset.certifies === "yes"; // labels are spent until a threshold is certified, not on a narrow interval
let shownThresholds = ""; // the version of the labels that the picture of thresholds shows
let lookingAtThresholds = false;
let shownMeasures = ""; // the version of the labels that precision and recall are from
let lookingAtMeasures = false;
let reasonOfTop = ""; // why there is no estimate: precision and recall need not repeat it
let lastPlan = {labels: 0, to_go: null, text: ""};
let rows = 50;
let pointsMissing = false; // the server computes some points of the chart per request
let before = {};
let looks = 0; // number of the latest request for the state: replies to earlier ones are dropped
let paths = 0; // and of that for the chart

function changed(name, value) {
  const text = JSON.stringify(value);
  const differs = before[name] !== text;
  before[name] = text;
  return differs;
}

/* Labels so far, and the bar that says how far it is. */
function showCounts(found) {
  const {counts, plan, uses} = found;
  place("counts").textContent = sentence([counts.text, uses].filter(Boolean).join("; "));
  lastPlan = {labels: counts.answered, ...plan};
  showToGo();
}

const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "");

function showToGo() {
  const {labels, to_go: left, text} = lastPlan;
  const stop = !place("stop").hidden;
  place("to-go").hidden = stop || !text;
  place("plan").textContent = sentence(text || "");
  const bar = place("bar");
  bar.hidden = left === null;
  bar.max = Math.max(1, labels + (left || 0));
  bar.value = left === 0 ? 0.97 * labels : labels; // a few more labels are needed
}

function showStop(stop, why) {
  place("stop").hidden = !stop;
  place("stop-why").textContent = stop && why ? `: ${why}` : "";
  showToGo();
}

function showEstimate(found) {
  place("value").textContent = found.value === null ? "–" : three(found.value);
  const percent = Math.round(100 * (found.confidence || 0.95));
  place("interval").textContent = found.low === null ? sentence(found.reason || "no interval yet")
    : `${percent} % interval ${three(found.low)} to ${three(found.high)}`;
  place("meaning").textContent = found.meaning;
  const wanted = certifies ? "" : `, ± ${found.wanted_half_width} wanted${page.dataset.wantedFor || ""}`;
  place("width").textContent = found.half_width === null || (found.stop && !byCategory) ? "" : `± ${three(found.half_width)} now${wanted}.`;
  reasonOfTop = found.reason;
  if (!certifies) showStop(found.stop, found.half_width === null || byCategory ? "" : `± ${three(found.half_width)} is reached, ± ${found.wanted_half_width} was wanted`);
  place("warning").textContent = found.warning;
}

/* Where the goal is about several models: models.js shows their estimates. */
function showProgress() {
  place("width").textContent = place("width").dataset.wanted || "";
}

/* The chosen metric is at the top already; the others stand below it, from the same labels. */
async function lookAtMeasures(version) {
  if (lookingAtMeasures || version === shownMeasures) return;
  lookingAtMeasures = true;
  try {
    const found = await send("/api/owner/measures");
    if (place("measures")) place("measures").replaceChildren(...found.models[0].measures.slice(1).map(measure));
    else showMeasures(found.models); // models.js
    shownMeasures = found.version;
  } catch (error) { place("message").textContent = error.message; }
  lookingAtMeasures = false;
}

function measure(found) {
  const made = element("div");
  const range = found.low === null ? "" : `${three(found.low)} to ${three(found.high)}`;
  const value = element("dd");
  value.append(element("b", "", found.value === null ? "–" : three(found.value)), " ", element("span", "quiet", range));
  made.append(element("dt", "", found.title), value, element("dd", "quiet meant", found.meaning || (found.value === null && reasonOfTop ? "" : found.reason)));
  return made;
}

function showMissing(found) {
  place("missing").hidden = !found;
  if (!found) return;
  const asked = found.asked ? [`${found.asked} of ${found.of_asked} items asked so far have no picture that can be read.`] : [];
  const sampled = found.sampled ? [`Of ${found.of_sampled} items drawn at random from the pool, ${found.sampled} have none.`] : [];
  place("missing-counts").textContent = [...asked, ...sampled].join(" ");
  place("missing-paths").replaceChildren(...found.paths.map((path) => element("li", "id", path)));
}

/* Files are fetched, so that the page can say that one is being made, or why it cannot be. */
async function download(from) {
  const note = place("download-note");
  note.textContent = from.dataset.working;
  from.disabled = true;
  try {
    const reply = await fetch(from.dataset.address);
    if (!reply.ok) throw new Error((await reply.json()).message);
    const [, name] = /filename="([^"]*)"/.exec(reply.headers.get("Content-Disposition"));
    const link = element("a");
    link.href = URL.createObjectURL(await reply.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    note.textContent = `${name} is in your downloads.`;
  } catch (error) {
    note.textContent = error instanceof TypeError ? "The server cannot be reached. Try again." : error.message;
  }
  from.disabled = false;
}

/* The picture of thresholds and the choice. They are computed beside the rest, so the page does not wait for them. */
async function lookAtThresholds(version) {
  if (lookingAtThresholds || version === shownThresholds) return;
  lookingAtThresholds = true;
  try {
    const found = await send("/api/owner/thresholds");
    place("thresholds-card").hidden = !found.curve;
    renewThresholds(place("thresholds"), found.curve);
    if (place("choice")) place("choice").replaceChildren(...new DOMParser().parseFromString(found.choice, "text/html").body.children);
    if (certifies) showStop(found.stop, "a threshold is certified");
    shownThresholds = found.version;
  } catch (error) { place("message").textContent = error.message; }
  lookingAtThresholds = false;
}

function button(word, disabled, address, body) {
  const made = element("button", word === "yes" ? "yes" : word === "no" ? "no" : "", word);
  made.disabled = disabled;
  made.addEventListener("click", async () => {
    try {
      await send(address, body);
      place("message").textContent = "";
      await look();
    } catch (error) { place("message").textContent = error.message; }
  });
  return made;
}

function buttons(row) {
  if (byCategory) return categoryButtons(row);
  const decide = (answer) => button(answer, row.label === answer, "/api/owner/decide", {item: row.item, answer});
  return group(`Decide ${row.id}`, ANSWERS.map(decide));
}

function group(label, members) {
  const made = element("div", "decide");
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  made.append(...members);
  return made;
}

function said(row) {
  const list = element("ul", "said");
  for (const one of row.said) {
    const line = element("li", one.final ? "final" : "");
    line.append(element("b", "", one.annotator), ` ${one.final ? "decided" : "said"}: ${one.answer} `, moment(one.at));
    list.append(line);
  }
  return list;
}

function showDisputed(disputed, count) {
  place("disputed-count").textContent = count || "";
  const cards = disputed.map((row) => {
    const card = element("div", "dispute");
    const side = element("div", "side");
    side.append(said(row), buttons(row));
    card.append(peek(row, blurred), side);
    return card;
  });
  if (count > disputed.length) cards.push(element("p", "quiet", `and ${count - disputed.length} more`));
  place("disputed").replaceChildren(...(cards.length ? cards : [element("p", "quiet", "None. There is nothing to decide.")]));
}

function cell(...content) {
  const made = element("td");
  made.append(...content);
  return made;
}

const itemCell = (row) => cell(peek(row, blurred));

function holding(row) {
  const list = element("ul", "said");
  for (const one of row.holding) {
    const line = element("li");
    line.append(element("b", "", one.annotator), " until ", moment(one.until));
    list.append(line);
  }
  return row.holding.length ? list : element("span", "quiet", "Nobody; the next person who asks gets it.");
}

function showUnanswered(rows, count) {
  place("unanswered-count").textContent = count || "";
  const lines = rows.map((row) => {
    const line = element("tr");
    const actions = group(`Do not wait for ${row.id}`, [
      button("take back", !row.holding.length, "/api/owner/take-back", {item: row.item}),
      button("cannot tell", false, "/api/owner/set-aside", {item: row.item}),
    ]);
    line.append(itemCell(row), cell(holding(row)), cell(actions));
    return line;
  });
  if (count > rows.length) lines.push(noteLine(`and ${count - rows.length} more`));
  place("unanswered").replaceChildren(...(lines.length ? lines : [noteLine("None. Every item that was handed out has an answer.")]));
}

function noteLine(text, columns = 3) {
  const line = element("tr");
  const only = cell(element("span", "quiet", text));
  only.colSpan = columns;
  line.append(only);
  return line;
}

function showAnswers(found) {
  place("answers").replaceChildren(...found.answers.map((row) => {
    const line = element("tr");
    line.append(itemCell(row), cell(row.label || row.state), cell(said(row)), cell(buttons(row)));
    return line;
  }));
  if (found.answers.length === 0) place("answers").append(noteLine("None. Nobody has answered on the page yet.", 4));
  place("more").hidden = found.answers.length >= found.items;
}

function showPeople(found) {
  place("people").replaceChildren(...found.annotators.map((person) => {
    const line = element("tr");
    const count = cell(String(person.items));
    count.className = "right";
    line.append(cell(person.name), count);
    return line;
  }));
  const {items, same, kappa} = found.agreement;
  const chance = kappa === null ? "" : `, Cohen’s kappa ${kappa.toFixed(2)}`;
  place("agreement").textContent = items === 0 ? "No item has answers of two people yet."
    : `${items} ${items === 1 ? "item has" : "items have"} answers of two people: ${Math.round(100 * same)} % agree${chance}.`;
}

/* Whether somebody types into a field there, which a new list would take away. */
function busy(id) {
  return [...place(id).querySelectorAll("input")].some((field) => field.value || field === document.activeElement);
}

async function look() {
  const number = ++looks;
  const found = await send(`/api/owner/state?rows=${rows}`);
  if (number !== looks) return;
  before.version = found.version;
  showCounts(found);
  if (found.estimate) showEstimate(found.estimate);
  else showProgress();
  if (changed("missing", found.missing)) showMissing(found.missing);
  if (byCategory) lookAtCategories(found.version);
  else if (found.estimate) lookAtThresholds(found.version);
  if (several) lookAtSeveral(found.version);
  if (!busy("disputed") && changed("disputed", [found.disputed, found.disputed_items])) showDisputed(found.disputed, found.disputed_items);
  if (changed("unanswered", [found.unanswered, found.unanswered_items])) showUnanswered(found.unanswered, found.unanswered_items);
  if (changed("people", [found.annotators, found.agreement])) showPeople(found);
  if (!busy("answers") && changed("answers", [found.answers, found.items])) showAnswers(found);
  if (found.estimate && (changed("path", [found.answers, found.items]) || pointsMissing)) {
    const drawn = ++paths;
    const past = await send("/api/owner/history");
    if (drawn === paths) {
      drawChart(place("chart"), past);
      pointsMissing = past.more;
    }
  }
  if (found.estimate) place("chart").setAttribute("aria-label", found.estimate.text);
  lookAtMeasures(found.version);
  if (place("slices")) lookAtSlices(found.version);
}

async function again() {
  try {
    if (!document.hidden) await look();
  } catch (error) { place("message").textContent = error.message; }
  setTimeout(again, EVERY);
}

place("more").addEventListener("click", () => { rows = Math.min(10000, rows * 4); look(); });
for (const one of document.getElementsByClassName("download")) one.addEventListener("click", () => download(one));
if (place("slices")) beginSlices();
if (several) begin();
if (byCategory) beginCategories();
again();
