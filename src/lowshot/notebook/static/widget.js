/* The label widget. Everything that comes from Python is shown as text, never as HTML. Nothing is loaded from elsewhere. */

const CANNOT_TELL = "cannot tell", OTHER = "none of these", SEPARATOR = " | ";
const YES_NO = {y: "yes", n: "no"};
const LISTED = 8; // classes that a search lists
const SMALL = 100; // pixels: narrower pictures, such as scans of digits, are enlarged without smoothing
const SLOW = 3000; // milliseconds after which the widget says that it waits for the kernel

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function button(text, key, className = "") {
  const made = element("button", className);
  made.type = "button";
  made.append(element("span", "", text));
  if (key) {
    const shown = element("kbd", "", key);
    shown.setAttribute("aria-hidden", "true"); // the button is called "Yes", not "Yes y"
    made.append(shown);
    made.setAttribute("aria-keyshortcuts", key);
  }
  return made;
}

/* Without accents and capitals, so that "eider" finds "Éider". */
const plainly = (text) => text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();

function matching(classes, typed) {
  const words = plainly(typed).trim();
  if (!words) return [];
  const rank = (name) => { const plain = plainly(name); return plain === words ? 0 : plain.startsWith(words) ? 1 : plain.includes(words) ? 2 : 3; };
  return classes.filter((name) => rank(name) < 3).sort((one, other) => rank(one) - rank(other) || one.length - other.length);
}

function render({model, el}) {
  const root = element("div", "lowshot-label");
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.dataset.lmSuppressShortcuts = "true"; // JupyterLab would take "y" and "n" as commands
  const question = element("p", "question"), count = element("p", "quiet"), bar = element("progress");
  const top = element("div", "top"), item = element("div", "item"), answers = element("div", "answers");
  const search = element("input"), bottom = element("div", "bottom"), message = element("p", "message");
  const found = element("pre", "found"), reason = element("p", "quiet");
  const undo = button("Undo", "u", "link"), again = button("Look for more", "", ""), save = button("Save", "Enter");
  const none = button("None of these", "0"), cannot = button("Cannot tell", "s");
  const yes = button("Yes", "y", "yes"), no = button("No", "n", "no");
  search.type = "search";
  search.placeholder = "Search all classes (/)";
  search.setAttribute("aria-label", "Search all classes");
  message.setAttribute("role", "status");
  top.append(question, count);
  bottom.append(none, save, undo, again);
  root.append(top, bar, item, reason, found, message, search, answers, bottom);
  el.replaceChildren(root);

  let chosen = new Set(), addresses = [], waiting = null, shownSerial = -1;
  const state = () => model.get("state");
  const several = () => state().kind === "several";

  function send(action, answer) {
    if (waiting !== null) return; // a second click before the reply
    waiting = setTimeout(() => { message.textContent = "Waiting for the kernel: it is busy, or was restarted. After a restart, run the cell again."; }, SLOW);
    for (const made of root.querySelectorAll("button")) made.disabled = true;
    if (root.contains(document.activeElement)) root.focus({preventScroll: true}); // a disabled button loses the focus, and keys with it
    model.send({action, answer, serial: state().serial});
  }

  const answer = (word) => { if (state().stage !== "done") send("answer", word); };

  function choose(name) {
    search.value = "";
    if (!several()) { answer(name); return; }
    if (!chosen.delete(name)) chosen.add(name);
    drawAnswers();
  }

  function saveChosen() {
    if (chosen.size) answer([...chosen].join(SEPARATOR));
    else message.textContent = "Choose what applies, or press 0 for none of these.";
  }

  function part(one) {
    const box = element("div", one.picture ? "field picture" : "field");
    if (one.name) box.append(element("span", "name", one.name));
    if (one.picture) {
      const picture = element("img"), address = URL.createObjectURL(new Blob([one.picture], {type: one.type}));
      addresses.push(address);
      picture.src = address;
      picture.alt = one.name || "the item";
      picture.addEventListener("load", () => picture.classList.toggle("pixels", picture.naturalWidth < SMALL));
      picture.addEventListener("click", () => item.classList.toggle("zoomed"));
      box.append(picture);
    } else box.append(element("p", "text", one.text));
    return box;
  }

  function drawItem() {
    for (const address of addresses) URL.revokeObjectURL(address);
    addresses = [];
    item.classList.remove("zoomed");
    if (state().parts.some((one) => one.picture)) item.classList.add("pictures"); // and it stays as high if the next item has none
    item.scrollTop = 0;
    item.replaceChildren(...state().parts.map(part));
  }

  function candidate(name, place) {
    const made = button(name, place < 9 ? String(place + 1) : "", "candidate");
    made.setAttribute("aria-pressed", String(chosen.has(name)));
    made.addEventListener("click", () => choose(name));
    return made;
  }

  function drawAnswers() {
    const now = state(), open = now.stage !== "done";
    answers.hidden = !open;
    answers.classList.toggle("yesno", now.kind === "yes or no");
    if (now.kind === "yes or no") {
      for (const [made, word] of [[yes, "yes"], [no, "no"], [cannot, CANNOT_TELL]]) made.setAttribute("aria-pressed", String(now.previous === word));
      if (!answers.contains(yes)) answers.replaceChildren(no, cannot, yes); // the order of the labelling page
      return;
    }
    const typed = search.value.trim(), hits = matching(model.get("classes"), typed);
    const names = typed ? hits.slice(0, LISTED) : [...new Set([...now.candidates, ...chosen])];
    const made = names.map(candidate);
    if (typed && !names.length) made.push(element("p", "quiet", "No class has this name."));
    if (typed && hits.length > LISTED) made.push(element("p", "quiet", `${hits.length - LISTED} more: type more of the name`));
    answers.replaceChildren(...made);
  }

  function draw() {
    const now = state(), open = now.stage !== "done", inside = root.contains(document.activeElement);
    clearTimeout(waiting);
    waiting = null;
    for (const made of root.querySelectorAll("button")) made.disabled = false;
    if (now.serial !== shownSerial) {
      shownSerial = now.serial;
      chosen = new Set(several() && now.previous ? now.previous.split(SEPARATOR).filter((name) => model.get("classes").includes(name)) : []);
      search.value = "";
      drawItem();
    }
    root.setAttribute("aria-label", now.question);
    root.dataset.stage = now.stage;
    question.textContent = open ? now.question : "Done";
    const change = now.stage === "change" ? `changing an answer: ${now.previous} · ` : "";
    count.textContent = change + (now.wanted ? `${now.labels} of ${now.wanted} labels` : `${now.labels} label${now.labels === 1 ? "" : "s"}`);
    bar.hidden = !now.wanted;
    bar.max = now.wanted || 1;
    bar.value = Math.min(now.labels, bar.max);
    bar.setAttribute("aria-label", "labels");
    item.hidden = !open;
    item.tabIndex = item.scrollHeight > item.clientHeight ? 0 : -1; // so that keys can scroll a long text
    search.hidden = !open || now.kind === "yes or no" || !now.searched;
    none.hidden = !open || now.kind === "yes or no";
    save.hidden = !open || !several();
    if (now.kind !== "yes or no" && !bottom.contains(cannot)) bottom.insertBefore(cannot, undo);
    cannot.hidden = !open;
    undo.hidden = !now.undo;
    again.hidden = !now.again;
    reason.textContent = now.reason;
    reason.hidden = !now.reason;
    found.textContent = now.found;
    found.hidden = !now.found;
    root.classList.toggle("lines", now.found.includes("\n"));
    message.textContent = now.message;
    drawAnswers();
    if (inside && !root.contains(document.activeElement)) root.focus({preventScroll: true});
  }

  function key(event) {
    event.stopPropagation(); // notebooks have commands of their own for letters
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (event.target === search) {
      if (event.key === "Enter" && answers.querySelector(".candidate") && search.value.trim()) choose(answers.querySelector(".candidate span").textContent);
      else if (event.key === "Escape") { search.value = ""; drawAnswers(); root.focus({preventScroll: true}); }
      else return;
      event.preventDefault();
      return;
    }
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const onButton = event.target.closest?.("button");
    if (onButton && (pressed === " " || pressed === "Enter")) return; // presses that button
    const now = state();
    if (pressed === "u") { if (now.undo) send("undo"); }
    else if (now.stage === "done") return;
    else if ([" ", "?", "s"].includes(pressed)) answer(CANNOT_TELL);
    else if (now.kind === "yes or no") { if (YES_NO[pressed]) answer(YES_NO[pressed]); else return; }
    else if (pressed === "0") answer(OTHER);
    else if (/^[1-9]$/.test(pressed)) answers.querySelectorAll(".candidate")[pressed - 1]?.click();
    else if (pressed === "/" && now.searched) search.focus();
    else if (pressed === "Enter" && several()) saveChosen();
    else return;
    event.preventDefault();
  }

  root.addEventListener("keydown", key);
  // Notebooks move the focus to the cell when something inside it is clicked; keys would no longer arrive here.
  root.addEventListener("mousedown", (event) => event.stopPropagation());
  yes.addEventListener("click", () => answer("yes"));
  no.addEventListener("click", () => answer("no"));
  cannot.addEventListener("click", () => answer(CANNOT_TELL));
  none.addEventListener("click", () => answer(OTHER));
  save.addEventListener("click", saveChosen);
  undo.addEventListener("click", () => send("undo"));
  again.addEventListener("click", () => send("again"));
  search.addEventListener("input", drawAnswers);
  model.on("change:state", draw);
  draw();
  return () => {
    model.off("change:state", draw);
    clearTimeout(waiting);
    for (const address of addresses) URL.revokeObjectURL(address);
  };
}

export default {render};
