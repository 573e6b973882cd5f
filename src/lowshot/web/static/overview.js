"use strict";
/* The overview page: the evaluations of the store, and all answers, some at a time. */

const page = document.getElementById("overview");
const place = (id) => document.getElementById(id);
const many = (number) => number.toLocaleString();
const NAMED = 6; // annotators that a card lists; the others are folded
const SOURCES = {known: "known when it began", told: "command line or Python"};
let latest = 0; // number of the latest request: replies to earlier ones are dropped
let next = null;

function line(className, ...content) {
  const made = element("p", className);
  made.append(...content);
  return made;
}

function fact(name, value) {
  const made = element("div", value ? "" : "none");
  made.append(element("dt", "", name), element("dd", "", many(value)));
  return made;
}

function person(one) {
  const made = element("li");
  const did = [[one.items, "answered"], [one.decisions, "decided"]].filter(([count]) => count);
  made.append(element("b", "", one.name), element("span", "right", did.map(([count, what]) => `${many(count)} ${what}`).join(" · ")));
  return made;
}

function folded(title, content) {
  const made = element("details");
  made.append(element("summary", "", title), content);
  return made;
}

function people(annotators) {
  const list = (some) => {
    const made = element("ul", "people");
    made.append(...some.map(person));
    return made;
  };
  const rest = annotators.slice(NAMED);
  const more = rest.length ? [folded(`${rest.length} more`, list(rest))] : [];
  return annotators.length ? [list(annotators.slice(0, NAMED)), ...more] : [line("quiet", "No answers on the labelling page.")];
}

function card(one) {
  const made = element("li", one.served ? "card served" : "card");
  const title = element("h2", "", one.name);
  if (one.served) title.append(" ", element("span", "badge", "served here"));
  const facts = element("dl", "facts");
  const known = [...(one.known ? [fact("known before", one.known)] : []), ...(one.uniform ? [fact("of these at random", one.uniform)] : [])];
  facts.append(fact("asked", one.asked), fact("labels", one.labels), fact("without a label", one.pending), fact("disputed", one.disputed), ...known);
  const when = one.first === null ? [line("quiet", "Begun ", moment(one.began), ": no answer yet")]
    : [line("quiet", "First answer ", moment(one.first)), line("quiet", "Last answer ", moment(one.last))];
  made.append(title);
  if (one.question !== one.name) made.append(line("", one.question));
  made.append(line("quiet", `${one.metric}${one.goal ? ` · ${one.goal}` : ""} · sampler ${one.sampler} · ${many(one.items)} items`), facts, ...(one.counts.includes(":") ? [line("quiet", `${one.counts}.`)] : []), ...people(one.annotators), ...when);
  if (one.serve) made.append(folded("How to serve it", element("pre", "", one.serve)));
  return made;
}

/* Set the options of a filter, and keep the chosen one if it still exists. */
function options(select, pairs) {
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, text]) => {
    const made = element("option", "", text);
    made.value = value;
    return made;
  }));
  select.value = pairs.some(([value]) => value === chosen) ? chosen : "";
}

async function evaluations() {
  const found = (await send("/api/owner/overview")).evaluations;
  place("evaluations").replaceChildren(...found.map(card));
  const names = new Set(found.flatMap((one) => one.annotators.map((annotator) => annotator.name)));
  options(place("evaluation"), [["", "All"], ...found.map((one) => [String(one.key), one.name])]);
  options(place("annotator"), [["", "All"], ...[...names].sort().map((name) => [`name ${name}`, name]), ["nobody", "Without a name"]]);
}

function who(one) {
  if (!one.annotator) return [element("span", "quiet", SOURCES[one.kind])];
  const badge = one.kind === "decided" ? [" ", element("span", "badge", "decided")] : [];
  return [element("b", "", one.annotator), ...badge];
}

function became(row) {
  const by = row.replaced;
  const how = by.kind === "told" ? `corrected to ${by.answer} by command line or Python`
    : by.kind === "decided" ? `${by.annotator} decided: ${by.answer}`
    : by.annotator === row.annotator ? `changed to ${by.answer}` : `${by.annotator} changed it to ${by.answer}`;
  return line("became", `${how}, `, moment(by.at));
}

function said(row) {
  const made = element("div", "what");
  const word = element(row.replaced ? "s" : "span", `answer ${["yes", "no"].includes(row.answer) ? row.answer : ""}`, row.answer);
  made.append(word, ...(row.replaced ? [became(row)] : []));
  return made;
}

function entry(row) {
  const made = element("li", row.replaced ? "event changed" : "event");
  const person = element("div", "who");
  person.append(...who(row));
  const item = element("div", "of");
  if (row.shown) item.append(peek(row.shown, page.dataset.blur === "yes"));
  else item.append(element("span", "id", row.item));
  if (place("evaluation").options.length > 2) item.append(element("small", "quiet", row.evaluation));
  made.append(person, said(row), item, moment(row.at));
  return made;
}

function query(more) {
  const asked = new URLSearchParams();
  const annotator = place("annotator").value;
  if (place("evaluation").value) asked.set("evaluation", place("evaluation").value);
  if (annotator) asked.set("annotator", annotator === "nobody" ? "" : annotator.slice("name ".length));
  if (place("changed").checked) asked.set("changed", "true");
  if (more) asked.set("before", JSON.stringify(next));
  return asked;
}

async function look(more) {
  const mine = ++latest;
  const found = await send(`/api/owner/record?${query(more)}`);
  if (mine !== latest) return;
  const list = place("record");
  const fresh = found.events.map(entry);
  if (more) list.append(...fresh);
  else list.replaceChildren(...fresh);
  next = found.next;
  place("more").hidden = next === null;
  const count = list.children.length;
  place("shown").textContent = count === 0 ? "Nothing to show." : next === null ? `All ${many(count)} shown.` : `The last ${many(count)} shown.`;
  if (more && next === null) place("shown").focus();
}

async function plainly(work) {
  try {
    await work();
    place("message").textContent = "";
  } catch (error) { place("message").textContent = error.message; }
}

const all = () => plainly(async () => { await evaluations(); await look(false); });
for (const id of ["evaluation", "annotator", "changed"]) place(id).addEventListener("change", () => plainly(() => look(false)));
place("filters").addEventListener("submit", (event) => { event.preventDefault(); all(); });
place("more").addEventListener("click", () => plainly(() => look(true)));
all();
