"use strict";
/* The annotator's page: a queue of items. Answers are sent while the next item is already shown.
   yes_no.js or which.js has the buttons and keys, as `controls`. */

const AGAIN = 4000; // milliseconds until the page asks again after it got no items

const main = document.getElementById("label");
const message = document.getElementById("message");
let queue = []; // items to answer; the first one is shown
let done = []; // items answered on this page, the latest last
let sending = Promise.resolve(); // answers are sent one after the other
const underway = new Set();
let waiting = null;

function say(text) { message.textContent = text; }

function known(item) {
  item.element = itemElement(item, main.dataset.blur === "yes");
  return item;
}

function show() {
  const place = document.getElementById("item");
  const item = queue[0];
  controls.show(item);
  const before = item && item.mine ? [element("p", "quiet", `You said: ${item.mine}. Answer again to change it.`)] : [];
  const nothing = element("p", "quiet", "No items to label now. This page checks again by itself.");
  place.replaceChildren(...(item ? [...before, item.element] : [nothing]));
  place.dataset.item = item ? item.item : "";
}

function progress(reply) {
  const toGo = reply.to_go === null ? "" : reply.to_go > 0 ? ` · about ${10 * Math.ceil(reply.to_go / 10)} to go` : " · the planned number is reached";
  const all = reply.labels === reply.mine ? "" : ` · ${reply.labels} labels in all`;
  document.getElementById("progress").textContent = `${reply.mine} answered by you${all}${toGo}`;
}

/* Add new items to the queue. After a refusal (afresh) the queue becomes what the server says. */
function merge(reply, afresh) {
  const first = queue[0];
  const have = new Map(queue.map((item) => [item.item, item]));
  const theirs = reply.items.filter((item) => !underway.has(item.item)).map((item) => have.get(item.item) || known(item));
  const back = theirs.filter((item) => item === first); // the refused item stays first if it is still reserved for this person
  queue = afresh ? [...back, ...theirs.filter((item) => item !== first)]
    : [...queue, ...theirs.filter((item) => !queue.includes(item))];
  if (queue[0] !== first || !first) show();
  progress(reply);
  clearTimeout(waiting);
  if (!queue.length) waiting = setTimeout(take, AGAIN);
}

async function take(afresh) {
  try {
    merge(await send("/api/items", {}), afresh === true);
  } catch (error) {
    say(error.message);
    waiting = setTimeout(take, AGAIN);
  }
}

async function deliver(item, answer) {
  try {
    const reply = await send("/api/answer", {item: item.item, answer});
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

function answer(word) {
  const item = queue.shift();
  if (!item) return;
  item.mine = word;
  done = [...done.filter((other) => other !== item), item];
  underway.add(item.item);
  say("");
  show();
  sending = sending.then(() => deliver(item, word));
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
  queue = [item, ...queue.filter((other) => other !== item)];
  show();
}

function act(what) {
  if (what === "undo") undo();
  else if (what === "look") document.querySelector("#item .look")?.click();
  else answer(what);
}

function begin() {
  controls.begin();
  document.getElementById("leave").addEventListener("click", () => enter(""));
  const reference = document.getElementById("reference");
  for (const item of JSON.parse(reference?.dataset.items || "[]")) {
    const place = element("li");
    place.append(itemElement(item, main.dataset.blur === "yes"));
    reference.append(place);
  }
  const small = window.matchMedia("(max-width: 40rem)").matches;
  if (small) document.querySelector("details")?.removeAttribute("open");
  take();
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
