"use strict";
/* The controls of a page that asks "which one?": buttons for some classes, a search over all of them, and keys.
   label.js does the rest. Where several classes can apply, buttons and the search add to a set, which is then saved. */

const OTHER = "none of these";
const SEPARATOR = " | "; // between the classes of an answer
// Classes that a search lists: few on a phone, where they would push the item off the screen.
const LISTED = window.matchMedia("(max-width: 40rem)").matches ? 4 : 8;
const WAIT = 400; // milliseconds: a letter that is a key of its own counts as typing if another letter follows so soon, as in "swan"

const asks = document.getElementById("label"); // null where a name is entered
const several = asks?.dataset.several === "yes";
const search = document.getElementById("search"); // null where every class has a button
const list = document.getElementById("found-classes");
const commands = {
  s: "cannot tell", u: "undo",
  ...(asks?.dataset.blur === "yes" ? {b: "look"} : {}),
  ...(asks?.dataset.pictures === "yes" ? {z: "zoom"} : {}),
};
let classes = []; // {name, plain}: plain is what a search looks at
let found = []; // names that the search lists
let active = 0; // the place in `found` that Enter chooses
let held = null; // a letter that is a key of its own, until it is clear that no other letter follows
let shownItem = null;

/* Without accents and capitals, so that "eider" finds "Éider". */
const plainly = (text) => text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();

/* How well a class matches: 0 is best; Infinity if a word that was typed is missing. */
function distance(plain, typed) {
  if (plain === typed) return 0;
  if (plain.startsWith(typed)) return 1;
  const words = typed.split(/\s+/);
  if (!words.every((word) => plain.includes(word))) return Infinity;
  const begun = plain.split(/[^\p{L}\p{N}]+/u);
  return words.every((word) => begun.some((one) => one.startsWith(word))) ? 2 : 3;
}

function matching(text) {
  const typed = plainly(text).trim();
  if (!typed) return [];
  const rated = classes.map((one) => ({name: one.name, rank: distance(one.plain, typed)})).filter((one) => one.rank < Infinity);
  rated.sort((one, other) => one.rank - other.rank || one.name.length - other.name.length || one.name.localeCompare(other.name));
  return rated.map((one) => one.name);
}

function look() {
  const typed = search.value.trim();
  const every = matching(search.value);
  found = every.slice(0, LISTED);
  active = 0;
  const lines = found.map((name, place) => {
    const line = element("li", "", name);
    line.id = `found-${place}`;
    line.setAttribute("role", "option");
    line.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus, and the list stays
    line.addEventListener("click", () => choose(name));
    return line;
  });
  const left = every.length - found.length;
  const none = typed && !found.length ? "No class has this name." : "";
  document.getElementById("found-note").textContent = left > 0 ? `${left} more: type more of the name` : none;
  list.replaceChildren(...lines);
  list.hidden = !found.length;
  showFound(Boolean(typed));
  mark();
}

/* What was found is in the place of the other buttons, so that it does not hide the item. */
function showFound(there) {
  document.getElementById("found").hidden = !there;
  document.getElementById("candidates").hidden = there;
  search.setAttribute("aria-expanded", String(there));
}

function mark() {
  for (const [place, line] of [...list.querySelectorAll("[role=option]")].entries()) {
    line.setAttribute("aria-selected", String(place === active));
    if (place === active) line.scrollIntoView({block: "nearest"});
  }
  if (found.length) search.setAttribute("aria-activedescendant", `found-${active}`);
  else search.removeAttribute("aria-activedescendant");
}

function leaveSearch() {
  if (!search) return;
  search.value = "";
  look();
  search.blur();
}

function type(text) {
  search.focus();
  search.value = text;
  look();
}

/* A button or a line of the search was chosen. */
function choose(name) {
  if (!shownItem) return;
  if (!several) { answer(name); return; }
  if (!shownItem.chosen.delete(name)) shownItem.chosen.add(name);
  leaveSearch();
  showCandidates();
}

function save() {
  if (!shownItem) return;
  if (!shownItem.chosen.size) { say("Choose what applies, or press 0 for none of these."); return; }
  answer([...shownItem.chosen].join(SEPARATOR));
}

/* The buttons: the classes that came with the item, then those that were found by searching. */
function showCandidates() {
  const place = document.getElementById("candidates");
  const chosen = shownItem?.chosen || new Set();
  const names = shownItem ? [...new Set([...shownItem.candidates, ...chosen])] : [];
  const there = [...place.children];
  if (there.map((made) => made.dataset.name).join("\0") !== names.join("\0")) place.replaceChildren(...names.map(candidate));
  document.getElementById("last-key").textContent = Math.min(9, names.length) || 9;
  for (const made of place.children) if (several) made.setAttribute("aria-pressed", String(chosen.has(made.dataset.name)));
}

function candidate(name, place) {
  const made = element("button");
  made.dataset.name = name;
  made.append(element("span", "", name));
  if (place < 9) made.append(element("kbd", "", String(place + 1)));
  made.addEventListener("click", () => choose(name));
  return made;
}

function command(letter) {
  if (commands[letter] === "cannot tell" && !shownItem) return;
  act(commands[letter]);
}

function release() {
  if (!held) return;
  clearTimeout(held.timer);
  const {letter} = held;
  held = null;
  command(letter);
}

/* A letter that is a key of its own: acts at once if nothing can be typed, and otherwise as soon as no letter follows. */
function hold(letter) {
  if (!search) command(letter);
  else held = {letter, timer: setTimeout(release, WAIT)};
}

function searchKey(event) {
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (step && found.length) {
    active = (active + step + found.length) % found.length;
    mark();
  } else if (event.key === "Enter" && !event.isComposing) {
    if (found.length) choose(found[active]);
    else if (several && !search.value.trim()) save();
    else if (!step) return;
  } else if (event.key === "Escape") leaveSearch();
  else return;
  event.preventDefault();
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === search) { searchKey(event); return; }
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const typed = /^\p{L}$/u.test(letter);
  if (event.repeat) return;
  if (held && typed && letter !== held.letter) {
    clearTimeout(held.timer);
    const first = held.letter;
    held = null;
    type(first + event.key);
  } else {
    release();
    if (letter in commands) hold(letter);
    else if (letter === "0") { if (shownItem) answer(OTHER); }
    else if (/^[1-9]$/.test(letter)) document.getElementById("candidates").children[letter - 1]?.click();
    else if (letter === "Enter" && several && !event.target.closest?.(".others button, a, summary, header button, .picture, .zoom button")) save();
    else if (search && letter === "/") { search.focus(); }
    else if (search && typed && !search.disabled) type(event.key);
    else return;
  }
  event.preventDefault();
}

const controls = {
  begin() {
    document.addEventListener("keydown", key);
    document.getElementById("none").addEventListener("click", () => answer(OTHER));
    document.getElementById("cannot-tell").addEventListener("click", () => act("cannot tell"));
    document.getElementById("undo").addEventListener("click", () => act("undo"));
    document.getElementById("save")?.addEventListener("click", save);
    if (!search) return;
    search.addEventListener("input", look);
    search.addEventListener("blur", () => showFound(false));
    search.addEventListener("focus", look);
    send("/api/classes").then((reply) => { classes = reply.classes.map((name) => ({name, plain: plainly(name)})); }, (error) => say(error.message));
  },

  show(item) {
    if (item && !item.chosen) item.chosen = new Set();
    shownItem = item || null;
    for (const id of ["none", "cannot-tell", "save"]) if (document.getElementById(id)) document.getElementById(id).disabled = !item;
    if (search) search.disabled = !item;
    leaveSearch();
    showCandidates();
  },
};
