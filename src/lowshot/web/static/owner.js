"use strict";
/* The owner's page: asks for the state every two seconds and redraws only what has changed. */

const EVERY = 2000; // milliseconds between two requests
const ANSWERS = ["yes", "no", "cannot tell"];
const page = document.getElementById("owner");
const place = (id) => document.getElementById(id);
const three = (value) => value.toFixed(3);
const byCategory = page.dataset.categories === "yes"; // categories.js shows what is about categories
const several = document.getElementById("models") !== null;
const certifies = page.dataset.certifies === "yes"; // labels are spent until a threshold is certified, not on a narrow interval
let shownThresholds = ""; // the version of the labels that the picture of thresholds shows
let lookingAtThresholds = false;
let rows = 50;
let pointsMissing = false; // the server computes some points of the chart per request
let before = {};

function changed(name, value) {
  const text = JSON.stringify(value);
  const differs = before[name] !== text;
  before[name] = text;
  return differs;
}

function showWaits(found) {
  const items = `${found.waiting_for} ${found.waiting_for === 1 ? "item" : "items"}`;
  const labels = `${found.waiting} more ${found.waiting === 1 ? "label waits" : "labels wait"}`;
  place("waits").textContent = found.waiting ? `${labels} for ${items} without a label; see below.` : "";
}

function showEstimate(found, plan, known) {
  place("value").textContent = found.value === null ? "–" : three(found.value);
  const percent = Math.round(100 * (found.confidence || 0.95));
  place("interval").textContent = found.low === null ? found.reason || "No interval yet"
    : `${percent} % interval ${three(found.low)} to ${three(found.high)}`;
  const now = found.half_width === null ? "" : `± ${three(found.half_width)} now`;
  const widths = [now, certifies ? "" : `± ${found.wanted_half_width} wanted${page.dataset.wantedFor || ""}`].filter(Boolean).join(", ");
  const labels = `${found.labels} labels${known ? ` (${known})` : ""}`;
  place("width").textContent = [widths, labels].filter(Boolean).join(" · ");
  place("plan").textContent = found.stop || !plan ? "" : plan;
  if (!certifies) place("stop").hidden = !found.stop;
  place("warning").textContent = found.warning;
}

/* Where the goal is about several models: models.js shows their estimates. */
function showProgress(found) {
  const wanted = place("width").dataset.wanted;
  place("width").textContent = `${wanted ? `${wanted} · ` : ""}${found.labels} labels${found.known ? ` (${found.known})` : ""}`;
  place("plan").textContent = place("stop").hidden ? found.plan || "" : "";
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
    if (certifies) place("stop").hidden = !found.stop;
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

function showDisputed(disputed) {
  place("disputed-count").textContent = disputed.length || "";
  const cards = disputed.map((row) => {
    const card = element("div", "dispute");
    const side = element("div", "side");
    side.append(element("p", "quiet", row.id), said(row), buttons(row));
    card.append(itemElement(row, page.dataset.blur === "yes"), side);
    return card;
  });
  place("disputed").replaceChildren(...(cards.length ? cards : [element("p", "quiet", "None. There is nothing to decide.")]));
}

function cell(...content) {
  const made = element("td");
  made.append(...content);
  return made;
}

function itemCell(row) {
  const shown = row.fields.filter((part) => part.kind === "picture").map((part) => picture(part.value));
  if (page.dataset.blur === "yes") shown.forEach((image) => image.classList.add("hazy"));
  shown.forEach((image) => { image.loading = "lazy"; });
  return cell(...shown, element("span", "id", row.id));
}

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

function noteLine(text) {
  const line = element("tr");
  const only = cell(element("span", "quiet", text));
  only.colSpan = 3;
  line.append(only);
  return line;
}

function showAnswers(found) {
  place("answers").replaceChildren(...found.answers.map((row) => {
    const line = element("tr");
    line.append(itemCell(row), cell(row.label || row.state), cell(said(row)), cell(buttons(row)));
    return line;
  }));
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
  const found = await send(`/api/owner/state?rows=${rows}`);
  before.version = found.version;
  showWaits(found);
  if (found.estimate) showEstimate(found.estimate, found.plan, found.known);
  else showProgress(found);
  if (byCategory) lookAtCategories(found.version);
  else if (found.estimate) lookAtThresholds(found.version);
  if (several) lookAtSeveral(found.version);
  if (!busy("disputed") && changed("disputed", found.disputed)) showDisputed(found.disputed);
  if (changed("unanswered", [found.unanswered, found.unanswered_items])) showUnanswered(found.unanswered, found.unanswered_items);
  if (changed("people", [found.annotators, found.agreement])) showPeople(found);
  if (!busy("answers") && changed("answers", [found.answers, found.items])) showAnswers(found);
  if (found.estimate && (changed("path", [found.answers, found.items]) || pointsMissing)) {
    const past = await send("/api/owner/history");
    drawChart(place("chart"), past);
    pointsMissing = past.more;
  }
  if (found.estimate) place("chart").setAttribute("aria-label", found.estimate.text);
}

async function again() {
  try {
    if (!document.hidden) await look();
  } catch (error) { place("message").textContent = error.message; }
  setTimeout(again, EVERY);
}

place("more").addEventListener("click", () => { rows = Math.min(10000, rows * 4); look(); });
if (several) begin();
if (byCategory) beginCategories();
again();
