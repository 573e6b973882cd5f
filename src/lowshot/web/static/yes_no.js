"use strict";
/* The controls of a page that asks a yes/no question: three buttons and keys. label.js does the rest. */

const KEYS = {
  y: "yes", ArrowRight: "yes", n: "no", ArrowLeft: "no", s: "cannot tell", ArrowDown: "cannot tell",
  u: "undo", ArrowUp: "undo", b: "look", z: "zoom",
};
const BUTTONS = {"yes": "yes", "no": "no", "cannot-tell": "cannot tell", "undo": "undo"};

const controls = {
  begin() {
    for (const [id, what] of Object.entries(BUTTONS)) document.getElementById(id).addEventListener("click", () => act(what));
    document.addEventListener("keydown", (event) => {
      const what = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!what || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.shiftKey && event.key.startsWith("Arrow")) return; // moves an enlarged picture, and otherwise nothing
      event.preventDefault();
      act(what);
    });
  },

  show(item) {
    for (const id of ["yes", "no", "cannot-tell"]) document.getElementById(id).disabled = !item;
  },
};
