/** Which lines are shown: words, category, questions, findings, never used, with tags. */

import { h, kbd } from "../lib/dom.js";

const NOTHING = { words: "", category: null, question: false, finding: false, error: false, unused: false, tags: false };
/** Stays when a changed file is dropped and while other pages are open. */
const chosen = { ...NOTHING };

const CHIPS = [
  { name: "finding", title: "Findings", key: "f f", fits: (row) => row.worst !== "" },
  { name: "error", title: "Errors", key: "f e", fits: (row) => row.worst === "error" },
  { name: "question", title: "Questions", key: "f q", fits: (row) => row.question },
  { name: "tags", title: "With tags", key: "f t", fits: (row) => row.texts.some(({ tags }) => tags.length) },
  { name: "unused", title: "Never used", key: "f u", fits: (row, uses) => uses.known && row.id_is_given !== undefined && !uses.of(row) },
];

/**
 * The row of filters.
 *
 * @param {any} desk
 * @param {import("./workbook.js").Workbook} workbook
 * @param {import("./uses.js").Uses} uses
 * @param {() => void} changed - called when other rows are to be shown
 */
export function makeFilters(desk, workbook, uses, changed) {
  const offs = [];
  const search = h("input", {
    type: "search", class: "find-lines", placeholder: "Find in the lines …", "aria-label": "Find in the lines",
    autocomplete: "off", spellcheck: "false", value: chosen.words,
    oninput: () => set("words", search.value),
    onkeydown: (event) => {
      if (event.key !== "Escape" && event.key !== "Enter") return;
      if (event.key === "Escape") { search.value = ""; set("words", ""); }
      search.blur();
      event.preventDefault();
    },
  });
  const category = h("select", { "aria-label": "Category", onchange: () => set("category", category.value ? category.value.slice(1) : null) });
  const chips = CHIPS.map(({ name, title, key }) => h("button", {
    type: "button", class: "small chip-button", data: { filter: name }, title: `Key: ${key}`, "aria-pressed": "false", onclick: () => toggle(name),
  }, title, h("span", { class: "count number" })));
  const clear = h("button", { type: "button", class: "small quiet", onclick: reset }, "Clear ", kbd("f x"));
  const root = h("div", { class: "row filters", role: "group", "aria-label": "Which lines are shown" },
    h("span", { class: "row find-field" }, search, kbd("/")), category, chips, clear);

  function set(name, value) {
    chosen[name] = value;
    show();
    changed();
  }
  function toggle(name) {
    if (name === "unused" && !uses.known && !chosen.unused) desk.toast(uses.why, "warn");
    else set(name, !chosen[name]);
  }
  function reset() {
    Object.assign(chosen, NOTHING);
    search.value = "";
    show();
    changed();
  }

  function show() {
    const names = categoriesOf(workbook.rows);
    if (chosen.category !== null && !names.has(chosen.category)) names.set(chosen.category, 0);
    category.replaceChildren(h("option", { value: "" }, "All categories"),
      ...[...names].map(([name, count]) => h("option", { value: `=${name}` }, `${name || "without category"} (${count})`)));
    category.value = chosen.category === null ? "" : `=${chosen.category}`;
    for (const [place, { name, fits }] of CHIPS.entries()) {
      const count = workbook.rows.reduce((sum, row) => sum + Boolean(fits(row, uses)), 0);
      chips[place].setAttribute("aria-pressed", String(chosen[name]));
      chips[place].lastChild.textContent = name === "unused" && !uses.known ? "?" : String(count);
    }
    clear.hidden = Object.entries(NOTHING).every(([name, value]) => chosen[name] === value);
  }

  const can = () => (workbook.rows.length ? null : "no workbook is open");
  const group = "Lines";
  offs.push(desk.commands.add({ id: "lines.search", title: "Find in the lines", group, key: "/", run: () => { search.focus(); search.select(); }, blocked: can }));
  offs.push(desk.commands.add({ id: "lines.clear", title: "Show all lines", group, key: "f x", run: reset, blocked: can }));
  for (const { name, title, key } of CHIPS) {
    offs.push(desk.commands.add({ id: `lines.filter.${name}`, title: `Only lines: ${title.toLowerCase()}`, group, key, run: () => toggle(name), blocked: can }));
  }
  offs.push(desk.commands.provide(() => [...categoriesOf(workbook.rows).keys()].slice(0, 100).map((name) => (
    { title: `Only category ${name || "without category"}`, group, run: () => set("category", name) }))));

  return {
    root, show, reset,
    get category() { return chosen.category; },
    choose(name) { set("category", chosen.category === name ? null : name); },
    /** The rows that fit. */
    rows() {
      const words = chosen.words.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = CHIPS.filter(({ name }) => chosen[name]);
      return workbook.rows.filter((row) => (chosen.category === null || row.category === chosen.category)
        && wanted.every(({ fits }) => fits(row, uses)) && words.every((word) => row.searched.includes(word)));
    },
    close() { for (const off of offs) off(); },
  };
}

/** Categories with how many lines each has, in the order of the sheet. */
export function categoriesOf(rows) {
  const found = new Map();
  for (const { category } of rows) found.set(category, (found.get(category) ?? 0) + 1);
  return found;
}
