/**
 * *Say anything*: a line of free text with markup, completed while it is typed, with a history and
 * a preview on demand.
 */

import { h, kbd, panel } from "../lib/dom.js";
import { makePreview } from "./line_preview.js";
import { readRepertoire } from "./repertoire.js";
import { completionsAt } from "./say_completion.js";
import { PERFORM, whyNotSaid } from "./speaking.js";

const HISTORY_KEY = "sera.console.said";
const MOST_REMEMBERED = 50;
const LONGEST = 10000;
const HINT = "Type it; < adds a gesture";
let fields = 0;

/** What was said before, the newest last. */
class History {
  #said;
  #place;
  #draft = "";

  constructor() {
    try {
      this.#said = JSON.parse(sessionStorage.getItem(HISTORY_KEY)) ?? [];
    } catch {
      this.#said = [];
    }
    this.#place = this.#said.length;
  }

  add(text) {
    this.#said = [...this.#said.filter((one) => one !== text), text].slice(-MOST_REMEMBERED);
    this.#place = this.#said.length;
    this.#draft = "";
    sessionStorage.setItem(HISTORY_KEY, JSON.stringify(this.#said));
  }

  /** Go back (-1) or forth (1); null: there is nothing further. */
  step(step, now) {
    const place = this.#place + step;
    if (place < 0 || place > this.#said.length) return null;
    if (this.#place === this.#said.length) this.#draft = now;
    this.#place = place;
    return this.#said[place] ?? this.#draft;
  }
}

/**
 * Show the line.
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showSay(root, desk) {
  desk.style("operate_middle");
  const id = `say-${++fields}`;
  const history = new History();
  let repertoire = {};
  let people = [];
  let found = null;
  let active = 0;

  const options = h("ul", { class: "say-options", role: "listbox", id: `${id}-options`, "aria-label": "Completions", hidden: true });
  const input = h("input", {
    type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": options.id, "aria-autocomplete": "list",
    "aria-label": "Say anything", "aria-keyshortcuts": "t", placeholder: HINT, autocomplete: "off", spellcheck: "true", dir: "auto", maxlength: LONGEST,
  });
  const sayButton = h("button", { type: "button", onclick: say }, "Say ", kbd("Enter"));
  const lookButton = h("button", { type: "button", "aria-expanded": "false", "aria-keyshortcuts": "Alt+P", title: "What will be said and done", onclick: look }, "Preview ", kbd("Alt+P"));
  const previewed = h("div", { class: "line-preview", hidden: true });
  const preview = makePreview(previewed, desk);
  root.replaceChildren(panel("Say anything", { class: "say" },
    [kbd("t"), h("div", { class: "say-field" }, input, options), h("span", { class: "row" }, sayButton, lookButton)], previewed));

  function closeOptions() {
    found = null;
    options.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function complete() {
    found = input.selectionStart === input.selectionEnd ? completionsAt(input.value, input.selectionStart, repertoire, people) : null;
    if (!found) {
      closeOptions();
      return;
    }
    active = 0;
    options.replaceChildren(...found.options.map(({ label, about }, place) => h("li", {
      role: "option", id: `${id}-${place}`, "aria-selected": "false",
      onpointerdown: (event) => event.preventDefault(), // the cursor stays in the field
      onclick: () => take(place),
    }, h("code", {}, label), h("span", { class: "quietly" }, about))));
    options.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(0);
  }

  function mark(place) {
    options.children[active]?.setAttribute("aria-selected", "false");
    active = (place + found.options.length) % found.options.length;
    const option = options.children[active];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  }

  function take(place) {
    const { insert } = found.options[place];
    input.setRangeText(insert, found.from, input.selectionStart, "end");
    if (insert.endsWith(")>") && input.selectionStart === input.value.length) input.setRangeText(" ", input.value.length, input.value.length, "end");
    changed();
    input.focus();
  }

  function changed() {
    complete();
    if (!previewed.hidden) preview.ask({ text: input.value }, input.value);
  }

  function look() {
    const open = previewed.hidden;
    previewed.hidden = !open;
    lookButton.setAttribute("aria-expanded", String(open));
    if (!open) preview.clear();
    else if (input.value.trim()) preview.ask({ text: input.value }, input.value, { wait_ms: 0 });
    else previewed.replaceChildren(h("p", { class: "quietly" }, "Type something first."));
  }

  async function say() {
    const text = input.value.trim();
    const why = whyNotSaid(desk) ?? (text ? null : "There is nothing to say yet.");
    if (why) {
      desk.toast(why, "warn");
      return;
    }
    const held = !desk.connected;
    input.value = "";
    closeOptions();
    const ordered = await desk.order(PERFORM, { text });
    if (ordered || held) {
      history.add(text);
      if (!previewed.hidden) look();
    } else if (!input.value) input.value = text; // it was refused: nothing typed is lost
  }

  function fromHistory(step) {
    const text = history.step(step, input.value);
    if (text === null) return;
    input.value = text;
    input.setSelectionRange(text.length, text.length);
    closeOptions();
    if (!previewed.hidden) preview.ask({ text }, text);
  }

  input.addEventListener("input", changed);
  input.addEventListener("blur", closeOptions);
  input.addEventListener("focus", () => { if (!repertoire.verbs?.length) learn(); });
  input.addEventListener("click", complete);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const open = found !== null;
    if (event.key === "ArrowDown") open ? mark(active + 1) : fromHistory(1);
    else if (event.key === "ArrowUp") open ? mark(active - 1) : fromHistory(-1);
    else if (open && (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey))) take(active);
    else if (event.key === "Enter") { if (!event.repeat) say(); }
    else if (event.key === "Escape") open ? closeOptions() : input.blur();
    else return;
    event.preventDefault();
  });

  async function learn() {
    repertoire = await readRepertoire(desk, { fresh: true });
    if (document.activeElement === input && input.value) complete();
  }
  const showRights = () => {
    const why = whyNotSaid(desk);
    sayButton.setAttribute("aria-disabled", String(Boolean(why)));
    sayButton.title = why ?? "";
  };
  const ends = [
    desk.sera.on("PeopleState", (state) => { people = state.people.map(({ person }) => person); }),
    desk.on("character", () => {
      closeOptions();
      learn();
      showRights();
    }),
    desk.on("presence", showRights),
    desk.commands.add({ id: "say.type", title: "Say anything: type it", group: "Speech", key: "t", run: () => input.focus() }),
    desk.commands.add({ id: "say.preview", title: "Preview what was typed", group: "Speech", key: "Alt+P", run: look }),
    preview.close,
  ];
  showRights();
  learn();
  return () => {
    for (const end of ends) end();
  };
}
