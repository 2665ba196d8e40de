/**
 * The character's lines: searched, filtered, filled in, looked at before they are said, and said.
 *
 * Eyes and hands stay here: `/` searches, arrows move, `[` and `]` change the category, 1 to 9 say
 * a visible line, Enter says the chosen one. A line whose tags have no value yet is never said by
 * a key: the cursor goes to the missing value.
 */

import { eachFrame, empty, h, kbd, panel } from "../lib/dom.js";
import { openLibrary } from "./library.js";
import { addLineCommands } from "./line_commands.js";
import { makeCategories } from "./line_categories.js";
import { makeLineList } from "./line_list.js";
import { makePreview } from "./line_preview.js";
import { LineSearch } from "./line_search.js";
import { makeTagForm } from "./line_tags.js";
import { readRepertoire } from "./repertoire.js";
import { PERFORM, whyNotSaid } from "./speaking.js";

/**
 * Show the lines of the desk's character.
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showLines(root, desk) {
  desk.style("operate_middle");
  const { library, close: closeLibrary } = openLibrary(desk);
  const wish = { words: "", category: null, subcategory: null, questions: false, unused: false };
  let search = new LineSearch([]);

  const input = h("input", {
    type: "search", class: "line-search", placeholder: "Search the lines", "aria-label": "Search the lines: words, id, tags, any column",
    autocomplete: "off", spellcheck: "false", "aria-keyshortcuts": "/",
  });
  const questions = filter("Questions", "f q", "questions");
  const unused = filter("Never used", "f n", "unused");
  const found = h("span", { class: "quietly number", role: "status" });
  const categories = makeCategories(chooseCategory);
  const list = makeLineList({
    onChoose: showChosen, onSay: say, usesOf: ({ id }) => library.uses.get(id) ?? 0,
    categoryOf: (line) => (wish.category === null ? line.category || "" : wish.subcategory === null ? line.subcategory || "" : ""),
  });
  const nothing = h("div", { class: "line-nothing", hidden: true });
  const tagForm = makeTagForm(desk, { change: previewChosen, say: () => say(list.chosen, true) });
  const about = h("p", { class: "line-about quietly" });
  const previewed = h("div", { class: "line-preview" });
  const preview = makePreview(previewed, desk);
  const sayButton = h("button", { type: "button", class: "primary", "aria-keyshortcuts": "Enter", onclick: () => say(list.chosen) }, "Say ", kbd("Enter"));
  const anyButton = h("button", { type: "button", "aria-keyshortcuts": "Shift+Enter", onclick: sayCategory }, h("span", {}), " ", kbd("Shift+Enter"));
  const chosenLine = h("section", { class: "line-chosen", "aria-label": "The chosen line" },
    h("div", { class: "row" }, about, anyButton, sayButton), previewed, tagForm.element);

  root.replaceChildren(panel("Lines", { class: "lines" }, [input, kbd("/"), questions, unused, found],
    h("div", { class: "line-shelf" }, categories.element, h("div", { class: "line-column" }, list.element, nothing)), chosenLine));

  function filter(title, key, name) {
    return h("button", {
      type: "button", class: "small", "aria-pressed": "false", "aria-keyshortcuts": key, title: `Key: ${key}`,
      onclick: () => toggle(name),
    }, title);
  }

  function toggle(name) {
    wish[name] = !wish[name];
    ({ questions, unused })[name].setAttribute("aria-pressed", String(wish[name]));
    show();
  }

  function chooseCategory(category, subcategory = null) {
    wish.category = category;
    wish.subcategory = subcategory;
    show();
  }

  /** Bring everything in accordance with the wish. */
  function show() {
    const { categories: known, uses, status } = library;
    const everywhere = search.find({ ...wish, category: null, subcategory: null }, uses);
    const lines = wish.category === null ? everywhere : search.find(wish, uses);
    const loose = everywhere.filter((line) => !line.category).length;
    categories.show(known, wish, everywhere.length, LineSearch.counter(everywhere), loose);
    list.show(lines);
    list.element.hidden = !lines.length;
    nothing.hidden = Boolean(lines.length);
    if (!lines.length) nothing.replaceChildren(whyNothing(everywhere.length));
    found.textContent = status === "loading" ? "reading …" : lines.length === library.lines.length ? `${lines.length} lines` : `${lines.length} of ${library.lines.length}`;
    const path = [wish.category, wish.subcategory].filter(Boolean).join(" › ");
    anyButton.hidden = !wish.category;
    anyButton.firstChild.textContent = `Say any of ${path}`;
    anyButton.title = "The robot chooses by its own rules, as it would by itself";
  }
  const showSoon = eachFrame(show);

  function whyNothing(elsewhere) {
    if (library.status === "loading") return empty("Reading the lines …");
    if (library.status === "failed") return h("div", { class: "stack" }, empty(`There are no lines: ${library.why}.`.replace(/\.\.$/, ".")), h("div", { class: "row again" }, h("button", { type: "button", onclick: () => library.read() }, "Read them again")));
    if (!library.lines.length) return empty(`${desk.character} has no lines yet. Name a workbook under `, h("code", {}, "libraries"), " in the scenario, or write one on the page ", h("a", { href: "#/lines" }, "Lines"), ".");
    if (elsewhere) return h("div", { class: "stack" }, empty("No line of this category fits."), h("div", { class: "row again" }, h("button", { type: "button", onclick: () => chooseCategory(null) }, `Look in all categories (${elsewhere})`)));
    return h("div", { class: "stack" }, empty("No line fits."), h("div", { class: "row again" }, h("button", { type: "button", onclick: showAll }, "Show all lines")));
  }

  function showAll() {
    Object.assign(wish, { words: "", category: null, subcategory: null, questions: false, unused: false });
    input.value = "";
    for (const button of [questions, unused]) button.setAttribute("aria-pressed", "false");
    show();
  }

  function showChosen(line) {
    chosenLine.classList.toggle("none", !line);
    about.replaceChildren(...(line ? [h("strong", { dir: "auto", title: line.id }, line.id), h("span", { dir: "auto" }, [line.category, line.subcategory].filter(Boolean).join(" › ")),
      ...Object.entries(line.metadata ?? {}).map(([key, value]) => h("span", { class: "chip", title: `${key}: ${value}` }, `${key}: ${value}`)),
      line.place && h("span", { title: line.place }, line.place)].filter(Boolean) : ["No line is chosen."]));
    tagForm.show(line?.tags ?? []);
    previewChosen();
    showRights();
  }

  function previewChosen() {
    const line = list?.chosen;
    if (!line) preview.clear();
    else {
      const { given, missing } = tagForm.given(line.tags ?? []);
      preview.ask({ line: line.id, ...given }, line.shown || line.text, { missing });
    }
  }

  function showRights() {
    const why = whyNotSaid(desk);
    for (const button of [sayButton, anyButton]) {
      button.setAttribute("aria-disabled", String(Boolean(why) || (button === sayButton && !list.chosen)));
      if (button === sayButton) button.title = why ?? "";
    }
  }

  /** Say a line; where a value is missing, go there instead. */
  async function say(line, fromField = false) {
    if (!line) return;
    const why = whyNotSaid(desk);
    if (why) {
      desk.toast(why, "warn");
      return;
    }
    const { given, missing } = tagForm.given(line.tags ?? []);
    if (missing.length) {
      if (!list.chooseId(line.id)) {
        showAll();
        list.chooseId(line.id);
      }
      tagForm.focus(missing[0]);
      desk.toast(`Not said yet: ${missing.join(", ")} ${missing.length > 1 ? "have" : "has"} no value.`, "warn");
      return;
    }
    if (fromField) list.element.focus();
    await desk.order(PERFORM, { line: line.id, ...given });
  }

  async function sayCategory() {
    const why = whyNotSaid(desk) ?? (wish.category ? null : "Choose a category first: [ and ] go through them.");
    if (why) {
      desk.toast(why, "warn");
      return;
    }
    const lines = search.find({ category: wish.category, subcategory: wish.subcategory }, library.uses);
    const { given } = tagForm.given([...new Set(lines.flatMap(({ tags }) => tags ?? []))]);
    await desk.order(PERFORM, { category: wish.category, ...(wish.subcategory === null ? {} : { subcategory: wish.subcategory }), ...given });
  }

  async function learnTargets() {
    const { targets } = await readRepertoire(desk);
    tagForm.know(targets.map(({ name }) => name));
    previewChosen();
  }

  input.addEventListener("input", () => {
    wish.words = input.value;
    showSoon();
  });
  const ends = [
    library.on((what) => {
      // A line that was said now is dimmed but stays in its place, under its key.
      if (what === "uses") list.refresh();
      else if (what === "lines") {
        search = new LineSearch(library.lines);
        if (wish.category && !library.categories.some(({ name }) => name === wish.category)) chooseCategory(null);
        else show();
      } else showSoon();
    }),
    desk.on("character", () => {
      showAll();
      learnTargets();
    }),
    desk.on("presence", eachFrame(showRights)),
    desk.sera.onStatus((status) => { if (status === "connected") previewChosen(); }),
    addLineCommands(desk, { input, list, library, wish, say, sayCategory, toggle, chooseCategory, showAll }),
    list.close, tagForm.close, preview.close, closeLibrary,
  ];
  if (library.status === "ready") search = new LineSearch(library.lines);
  show();
  learnTargets();
  return () => {
    for (const end of ends) end();
  };
}
