"use strict";
/* Builds the elements of an item, and sends requests. Texts are set as textContent, so HTML in them is not interpreted. */

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function picture(address) {
  const image = element("img");
  image.alt = "Picture of the item";
  image.src = address; // loads at once, so that the next items are ready before they are shown
  return image;
}

function field(part) {
  if (part.kind === "picture") return picture(part.value);
  const box = element("div", "field");
  if (part.name) box.append(element("h3", "", part.name));
  box.append(element("p", "text", part.value));
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

async function send(address, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
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
