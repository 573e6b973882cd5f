"use strict";
/* The annotator's page: a queue of items. Answers are sent while the next item is already shown.
   yes_no.js or which.js has the buttons and keys, as `controls`. */

const AGAIN = 4000; // milliseconds until the page asks again after it got no items

const main = document.getElementById("label");
const help = document.getElementById("help");
const wide = window.matchMedia("(min-width: 64rem)"); // as in label.css: the instructions are beside the item
// Why there is no item, as annotator.py says it: a title, and what happens next.
const NOTHING = {
  none: ["Every item that matters is labelled.", "If the owner needs more, new items appear here by themselves. You can also close this page."],
  answered: ["Nothing is left for you to answer.", "Other people and the owner do the rest. If there are new items for you, they appear here by themselves."],
  others: ["Other people have the remaining items now.", "What they leave unanswered comes to you, half an hour after they got it. New items appear here by themselves."],
};
const message = document.getElementById("message");
let queue = []; // items to answer; the first one is shown
let done = []; // items answered on this page, the latest last
let sending = Promise.resolve(); // answers are sent one after the other
const underway = new Set();
const line = []; // answers that are not sent yet
let waiting = null;
let enough = null; // whether the goal is reached, as annotator.py says it; null: it is not
let remaining = ""; // why there is no item; empty until the server has said it
let mine = 0; // items that this person answered
let introduced = false; // whether the instructions are open above the first item of this person, until it is answered

function say(text) { message.textContent = text; }

function known(item) {
  item.element = itemElement(item, main.dataset.blur === "yes");
  enlargeable(item.element);
  return item;
}

const stopped = () => Boolean(enough && !enough.more);

/* The item to answer. When it is enough there is none, but what was shown before can be finished or changed. */
function current() {
  const item = queue[0];
  return item && (item.begun || !stopped()) ? item : undefined;
}

const thanks = () => element("p", "", mine ? `You answered ${mine === 1 ? "1 item" : `${mine} items`}. Thank you!` : "You have not answered any.");

/* The page without an item: why, how much this person did, and what happens next. */
function nothing() {
  const [title, next] = NOTHING[remaining];
  const place = element("div", remaining === "others" ? "nothing" : "nothing done");
  place.append(element("h2", "", title), thanks(), element("p", "quiet", next));
  return place;
}

/* The page when the goal is reached: what was found, for those who may see it, and a way to go on. */
function goal() {
  const place = element("div", "nothing done");
  const found = element("div");
  found.id = "goal-found";
  found.append(...results());
  const ways = element("div", "ways");
  if (enough.owner) {
    const link = element("a", "", "See the estimate");
    link.href = enough.owner;
    ways.append(link);
  }
  const more = element("button", "", "Label more anyway ");
  more.id = "more";
  more.append(element("kbd", "", "M"));
  more.addEventListener("click", goOn);
  ways.append(more);
  place.append(element("h2", "", "Enough: the goal is reached."), found, thanks(), element("p", "quiet", "You can close this page."), ways);
  return place;
}

const results = () => enough.found.map((text) => element("p", "result", text));

/* The last answers may have been seen only now, and others may label on. The same text is not read out again. */
function renewResults() {
  const place = document.getElementById("goal-found");
  if (place && place.textContent !== enough.found.join("")) place.replaceChildren(...results());
}

async function goOn() {
  try {
    merge(await send("/api/more", {}), false);
  } catch (error) { say(error.message); }
}

function show() {
  const place = document.getElementById("item");
  const item = current();
  if (item) item.begun = true;
  zoom.close();
  controls.show(item);
  const before = item && item.mine ? [element("p", "quiet", `You said: ${item.mine}. Answer again to change it.`)] : [];
  const loading = element("p", "quiet", "Loading …");
  place.replaceChildren(...(item ? [...before, item.element] : [stopped() ? goal() : remaining in NOTHING ? nothing() : loading]));
  place.dataset.item = item ? item.item : "";
  window.scrollTo(0, 0);
}

/* The planned number changes in steps only (annotator.py), so neither the line nor the bar says what others answered. */
function progress(reply) {
  const finished = reply.remaining === "none" || reply.remaining === "answered";
  const toGo = finished || reply.enough ? 0 : reply.to_go;
  const left = finished ? " · nothing is left for you" : reply.enough ? " · the goal is reached" : toGo === null ? ""
    : toGo > 0 ? ` · about ${10 * Math.ceil(toGo / 10)} to go${reply.why && `, ${reply.why}`}` : " · the planned number is reached";
  const all = reply.labels === reply.mine ? "" : ` · ${reply.labels} labels in all`;
  document.getElementById("progress").textContent = `${reply.mine} answered by you${all}${left}`;
  const planned = document.getElementById("planned");
  planned.classList.toggle("known", toGo !== null);
  planned.max = reply.labels + toGo || 1;
  planned.value = toGo === 0 ? planned.max : reply.labels;
}

/* Add new items to the queue. After a refusal (afresh) the queue becomes what the server says. */
function merge(reply, afresh) {
  const first = current();
  const have = new Map(queue.map((item) => [item.item, item]));
  const theirs = reply.items.filter((item) => !underway.has(item.item)).map((item) => have.get(item.item) || known(item));
  const back = theirs.filter((item) => item === first); // the refused item stays first if it is still reserved for this person
  queue = afresh ? [...back, ...theirs.filter((item) => item !== first)]
    : [...queue, ...theirs.filter((item) => !queue.includes(item))];
  const before = stopped();
  const unchanged = remaining === reply.remaining && mine === reply.mine;
  ({enough, remaining, mine} = reply);
  const same = unchanged && before === stopped();
  if (current() !== first || (!first && !same)) show();
  if (stopped()) renewResults();
  progress(reply);
  clearTimeout(waiting);
  if (!current()) waiting = setTimeout(take, AGAIN);
}

async function take(afresh) {
  try {
    merge(await send("/api/items", {}), afresh === true);
    if (afresh !== true) say(""); // after a refusal, the reason stays
  } catch (error) {
    say(error.message);
    waiting = setTimeout(take, AGAIN);
  }
}

async function deliver(item) {
  const body = line.shift();
  if (!body) { underway.delete(item.item); return; } // `flush` sent it, and the browser brought the page back
  try {
    const reply = await send("/api/answer", body, {keepalive: true});
    underway.delete(item.item);
    merge(reply, false);
  } catch (error) {
    underway.delete(item.item);
    done = done.filter((other) => other !== item);
    item.mine = undefined;
    queue.unshift(item);
    say(error.message);
    show();
    if (error instanceof Refused) await take(true);
  }
}

/* The page is left: what waits for its turn is sent now. */
function flush() {
  for (const body of line.splice(0)) navigator.sendBeacon("/api/answer", new Blob([JSON.stringify(body)], {type: "application/json"}));
}

function answer(word) {
  if (!current()) return;
  const item = queue.shift();
  item.mine = word;
  done = [...done.filter((other) => other !== item), item];
  underway.add(item.item);
  say("");
  if (introduced) document.getElementById("about")?.removeAttribute("open");
  introduced = false;
  document.getElementById("announced").textContent = `Answered: ${word}.`;
  show();
  line.push({item: item.item, answer: word});
  sending = sending.then(() => deliver(item));
}

async function undo() {
  await sending; // a refused answer puts its item back into the queue
  if (!done.length) {
    try {
      const reply = await send("/api/undo", {});
      for (const item of reply.items) if (!queue.some((other) => other.item === item.item)) done.push(known(item));
    } catch (error) { say(error.message); }
  }
  const item = done.pop();
  if (!item) return;
  item.begun = true;
  queue = [item, ...queue.filter((other) => other !== item)];
  show();
}

function act(what) {
  if (what === "undo") undo();
  else if (what === "look") document.querySelector("#item .look")?.click();
  else if (what === "zoom") document.querySelector("#item .picture")?.click();
  else answer(what);
}

/* The height that a picture can have without moving the buttons off the screen: the same for every item. */
function measure() {
  const above = document.getElementById("item").getBoundingClientRect().top + window.scrollY;
  const room = window.innerHeight - above - main.querySelector(".bar").offsetHeight;
  main.style.setProperty("--room", `${room}px`);
}

/* Before the keys for answers. While the list of keys is open, they are off. "m" is a key only when it is enough. */
function helpKey(event) {
  if (event.key === "?" && !event.ctrlKey && !event.metaKey && !event.target.closest?.("input")) {
    event.preventDefault();
    if (help.open) help.close();
    else help.showModal();
  } else if (!help.open && event.key.toLowerCase() === "m" && !event.ctrlKey && !event.metaKey && !event.altKey && document.getElementById("more")) goOn();
  else if (!help.open) return;
  event.stopPropagation();
}

function begin() {
  controls.begin();
  document.addEventListener("keydown", helpKey, true);
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  document.getElementById("leave").addEventListener("click", () => sending.then(() => enter("")));
  window.addEventListener("pagehide", flush);
  const reference = document.getElementById("reference");
  for (const item of JSON.parse(reference?.dataset.items || "[]")) {
    const place = element("li");
    place.append(itemElement(item, main.dataset.blur === "yes"));
    reference.append(place);
  }
  const seen = new ResizeObserver(() => requestAnimationFrame(measure)); // at once it could change the sizes that are observed
  for (const one of document.querySelectorAll("header, #label > h1, #about, .bar")) seen.observe(one);
  window.addEventListener("resize", measure);
  for (const one of document.querySelectorAll(".instructions")) linkTexts(one);
  take().then(() => {
    introduced = !mine && !wide.matches && !stopped();
    if (introduced || wide.matches) document.getElementById("about")?.setAttribute("open", "");
  });
}

/* Addresses in the instructions that are not links yet. */
function linkTexts(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("a, code")) texts.push(walker.currentNode);
  for (const text of texts) text.replaceWith(...linked(text.data));
}

async function enter(name) {
  try {
    await send("/api/name", {name});
    window.location.reload();
  } catch (error) { say(error.message); }
}

if (main) begin();
else {
  document.getElementById("enter").addEventListener("submit", (event) => {
    event.preventDefault();
    enter(document.getElementById("name").value);
  });
}
