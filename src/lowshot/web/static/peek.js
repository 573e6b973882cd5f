"use strict";
/* An item in a table: its picture, the beginning of its text and its id. A click shows all of it. */

const SNIPPET = 90; // characters of text beside an id
const TIP = 600; // characters of the text that a resting mouse shows

const textsOf = (row) => row.fields.filter((part) => part.kind === "text" && part.value !== row.id).map((part) => part.value);
const shortened = (text, length) => (text.length > length ? `${text.slice(0, length).trimEnd()}…` : text);

function thumbnails(row, blurred) {
  return row.fields.filter((part) => part.kind === "picture").map((part) => {
    const image = picture(part.value);
    image.alt = "";
    image.loading = "lazy";
    if (blurred) image.classList.add("hazy");
    return image;
  });
}

/* A button with the item in small. */
function peek(row, blurred) {
  const made = element("button", "peek");
  const text = textsOf(row).join(" · ");
  const words = element("span", "peek-words");
  if (text && !blurred) words.append(element("span", "snippet", shortened(text, SNIPPET)));
  words.append(element("span", "id", row.id));
  made.append(...thumbnails(row, blurred), words);
  made.type = "button";
  made.title = blurred ? "Show the item" : shortened(text || row.id, TIP);
  made.addEventListener("click", () => openItem(row, blurred));
  return made;
}

function itemDialog() {
  const made = element("dialog", "large");
  const close = element("button", "close", "Close");
  close.type = "button";
  close.addEventListener("click", () => made.close());
  made.addEventListener("click", (event) => { if (event.target === made) made.close(); }); // beside it
  const content = element("div", "large-content");
  content.tabIndex = 0; // a long text is scrolled by keyboard
  content.setAttribute("role", "region");
  content.setAttribute("aria-label", "The item");
  const title = element("h2", "id");
  title.id = "large-title";
  made.setAttribute("aria-labelledby", title.id);
  const head = element("div", "large-head");
  head.append(title, close);
  made.append(head, content);
  document.body.append(made);
  return made;
}

/* The whole item: what a table has of it may be shortened. */
async function openItem(row, blurred) {
  const dialog = document.querySelector("dialog.large") || itemDialog();
  const content = dialog.querySelector(".large-content");
  dialog.querySelector("h2").textContent = row.id;
  content.replaceChildren(itemElement(row, blurred));
  dialog.showModal();
  try {
    const whole = await send(`/api/owner/item?${new URLSearchParams({item: row.item})}`);
    if (JSON.stringify(whole.fields) !== JSON.stringify(row.fields) && dialog.querySelector("h2").textContent === row.id) {
      content.replaceChildren(itemElement(whole, blurred));
    }
  } catch (error) { content.append(element("p", "message", error.message)); }
}
