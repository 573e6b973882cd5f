"use strict";
/* Builds the elements of an item, and sends requests. Texts become text nodes, so HTML in them is not interpreted. */

// Addresses of web pages in a text. Characters that change the direction of a text could disguise an address.
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gi;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function picture(address) {
  const image = element("img");
  image.alt = "Picture of the item";
  image.decoding = "sync"; // no empty frame when the next item is shown
  image.src = address; // loads at once, so that the next items are ready before they are shown
  return image;
}

/* An address without the punctuation of the sentence around it; a closing bracket belongs to it if an opening one does. */
function withoutEnd(address) {
  const count = (sign) => address.split(sign).length;
  const last = address.at(-1);
  if (last === ")" && count("(") >= count(")")) return address;
  return /[.,;:!?)\]}*_~|…’”»]/.test(last) ? withoutEnd(address.slice(0, -1)) : address;
}

function isAddress(text) {
  try { return Boolean(new URL(text)); } catch { return false; }
}

/* A text as nodes: addresses of web pages become links, everything else stays text. */
function linked(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutEnd(match[0]);
    if (!isAddress(address)) continue;
    const link = element("a", "", address);
    link.href = address;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    nodes.push(text.slice(from, match.index), link);
    from = match.index + address.length;
  }
  return [...nodes, text.slice(from)];
}

function field(part) {
  if (part.kind === "picture") return picture(part.value);
  const box = element("div", "field");
  if (part.name) box.append(element("h3", "", part.name));
  const text = element("p", "text");
  text.dir = "auto"; // from right to left where the text is
  text.append(...linked(part.value));
  box.append(text);
  return box;
}

function itemElement(item, blurred) {
  const article = element("article", blurred ? "blurred" : "");
  article.append(...item.fields.map(field));
  if (!blurred) return article;
  const veil = element("div", "veiled");
  const button = element("button", "look", "Click to show");
  button.addEventListener("click", () => { article.className = ""; button.remove(); });
  veil.append(article, button);
  return veil;
}

/* A time of the store (UTC), in the time zone and format of the reader. */
function moment(at) {
  const made = element("time", "", new Date(at).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"}));
  made.dateTime = at;
  made.title = new Date(at).toLocaleString(undefined, {dateStyle: "full", timeStyle: "long"});
  return made;
}

class Refused extends Error {}

/* more: further options of `fetch` */
async function send(address, body, more = {}) {
  const options = body === undefined ? {} : {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body), ...more,
  };
  let reply;
  try {
    reply = await fetch(address, options);
  } catch {
    throw new Error("The server cannot be reached. Stored answers are safe: try again.");
  }
  const found = await reply.json().catch(() => ({message: "The server had a problem. Stored answers are safe: try again."}));
  if (!reply.ok) throw new (reply.status === 422 ? Refused : Error)(found.message);
  return found;
}
