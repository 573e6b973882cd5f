"use strict";
/* An item as elements. Text is only ever text: nothing here reads HTML. */

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function picture(address) {
  const image = element("img");
  image.alt = "Picture of the item";
  image.src = address; // loads at once: the next items are there before they are shown
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
  const button = element("button", "look", "Press to look");
  button.addEventListener("click", () => { article.className = ""; button.remove(); });
  veil.append(article, button);
  return veil;
}

/* A time of the store, as the reader's clock has it. */
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
    throw new Error("The server cannot be reached. Nothing is lost: try again.");
  }
  const found = await reply.json().catch(() => ({message: "The server had a problem. Nothing is lost: try again."}));
  if (!reply.ok) throw new (reply.status === 422 ? Refused : Error)(found.message);
  return found;
}
