"use strict";
/* The parts of the owner's page that are about many categories; owner.js does the rest. */

const CANNOT_TELL = "cannot tell";
const NONE = "none of these";
let shownCategories = ""; // the version of the labels that the chart of categories shows
let lookingAtCategories = false;

/* They are computed beside the rest, so that the page does not wait for them. */
async function lookAtCategories(version) {
  if (lookingAtCategories || version === shownCategories) return;
  lookingAtCategories = true;
  try {
    const found = await send("/api/owner/categories");
    renewDots(place("categories"), found.chart);
    if (changed("confusions", found.confusions)) showConfusions(found.confusions);
    shownCategories = found.version;
  } catch (error) { place("message").textContent = error.message; }
  lookingAtCategories = false;
}

function showConfusions(found) {
  const lines = found.map((one) => {
    const line = element("tr");
    const count = cell(element("b", "", String(one.items)), ` of ${one.of}`);
    count.className = "right";
    line.append(cell(one.predicted), cell(one.true), count, examples(one.examples));
    return line;
  });
  const none = noteLine("None yet: every labelled item is what is predicted.");
  none.firstChild.colSpan = 4;
  place("confusions").replaceChildren(...(lines.length ? lines : [none]));
}

function examples(items) {
  const made = cell(...items.map((item) => peek(item, blurred)));
  made.className = "examples";
  return made;
}

/* The answers that were given, "cannot tell", and a field for any other category. */
function categoryButtons(row) {
  const words = [...new Set([...row.said.map((one) => one.answer), CANNOT_TELL])];
  const members = words.map((answer) => button(answer, row.label === answer, "/api/owner/decide", {item: row.item, answer}));
  return group(`Decide ${row.id}`, [...members, otherCategory(row)]);
}

/* The category that is meant, if only capitals differ: "keyboard" is Keyboard. */
function asSpelled(typed) {
  const names = [...place("class-names").options].map((option) => option.value);
  const alike = names.filter((name) => name.toLowerCase() === typed.toLowerCase());
  return names.includes(typed) || alike.length !== 1 ? typed : alike[0];
}

function otherCategory(row) {
  const form = element("form", "other-category");
  const field = element("input");
  field.setAttribute("list", "class-names");
  field.setAttribute("aria-label", `Another category of ${row.id}`);
  field.placeholder = "Another category";
  field.autocomplete = "off";
  form.append(field, element("button", "", "Decide"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    try {
      await send("/api/owner/decide", {item: row.item, answer: asSpelled(field.value.trim())});
      place("message").textContent = "";
      field.value = "";
      field.blur();
      await look();
    } catch (error) { place("message").textContent = error.message; }
  });
  return form;
}

async function beginCategories() {
  try {
    const {classes} = await send("/api/classes");
    place("class-names").replaceChildren(...[...classes, NONE].map((name) => { const made = element("option"); made.value = name; return made; }));
  } catch (error) { place("message").textContent = error.message; }
}
