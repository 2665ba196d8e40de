/** The keys of the lines, and the lines in the palette. */

import { HOT_ROWS } from "./line_list.js";
import { fold } from "./line_search.js";
import { inShort, keysAreFree } from "./speaking.js";

const IN_PALETTE = 20;
const GROUP = "Lines";

/**
 * Add the commands of the lines; returns a function that takes them away.
 * @param {import("../lib/desk.js").Desk} desk
 * @param {object} shown - the parts and deeds of `lines.js`
 */
export function addLineCommands(desk, { input, list, library, wish, say, sayCategory, toggle, chooseCategory, showAll }) {
  const { commands } = desk;
  const elsewhere = () => (keysAreFree(list.element) ? null : "another control has the keys");

  /** The next or previous category, around the end. */
  function turnCategory(step) {
    const names = [null, ...library.categories.map(({ name }) => name), ...(library.lines.some(({ category }) => !category) ? [""] : [])];
    const place = names.indexOf(wish.category);
    chooseCategory(names[(place + step + names.length) % names.length]);
  }

  function turnSubcategory(step) {
    const subs = [null, ...(library.categories.find(({ name }) => name === wish.category)?.subcategories ?? [])];
    chooseCategory(wish.category, subs[(subs.indexOf(wish.subcategory) + step + subs.length) % subs.length]);
  }

  function sayHot(number) {
    const line = list.chooseHot(number);
    if (line) say(line);
    else desk.toast(`There is no line under ${number}.`);
  }

  const moves = { ArrowDown: () => 1, ArrowUp: () => -1, PageDown: () => list.page, PageUp: () => -list.page };
  const ends = [
    { id: "lines.search", title: "Search the lines", key: "/", run: () => { input.focus(); input.select(); } },
    { id: "lines.say", title: "Say the chosen line", key: "Enter", run: () => say(list.chosen), blocked: elsewhere },
    { id: "lines.say_category", title: "Say any line of the chosen category", key: "Shift+Enter", run: sayCategory, blocked: elsewhere },
    { id: "lines.down", title: "Next line", key: "ArrowDown", run: () => list.move(1), blocked: elsewhere, repeats: true },
    { id: "lines.up", title: "Previous line", key: "ArrowUp", run: () => list.move(-1), blocked: elsewhere, repeats: true },
    { id: "lines.next_category", title: "Next category", key: "]", run: () => turnCategory(1), repeats: true },
    { id: "lines.previous_category", title: "Previous category", key: "[", run: () => turnCategory(-1), repeats: true },
    { id: "lines.next_subcategory", title: "Next subcategory", key: "}", run: () => turnSubcategory(1) },
    { id: "lines.previous_subcategory", title: "Previous subcategory", key: "{", run: () => turnSubcategory(-1) },
    { id: "lines.questions", title: "Only questions", key: "f q", run: () => toggle("questions") },
    { id: "lines.unused", title: "Only lines never used", key: "f n", run: () => toggle("unused") },
    { id: "lines.all", title: "Show all lines", key: "f a", run: showAll },
    ...Array.from({ length: HOT_ROWS }, (_, place) => ({
      id: `lines.say.${place + 1}`, title: `Say visible line ${place + 1}`, key: String(place + 1), run: () => sayHot(place + 1),
    })),
  ].map((command) => commands.add({ group: GROUP, ...command }));

  // In the search field arrows and Enter work on the list, as in the palette.
  const inSearch = (event) => {
    if (event.isComposing) return;
    if (moves[event.key]) list.move(moves[event.key]());
    else if (event.key === "Enter" && !event.repeat) (event.shiftKey ? sayCategory() : say(list.chosen));
    else if (event.key === "Escape" && !input.value) list.element.focus();
    else return; // a first Escape empties the field, as search fields do
    event.preventDefault();
  };
  const inList = (event) => {
    const steps = { ...moves, Home: () => -Infinity, End: () => Infinity }[event.key];
    if (!steps || event.ctrlKey || event.altKey || event.metaKey) return;
    list.move(steps());
    event.preventDefault();
  };
  input.addEventListener("keydown", inSearch);
  list.element.addEventListener("keydown", inList);

  ends.push(commands.provide((words) => {
    const wanted = fold(words).split(/\s+/).filter(Boolean);
    if (!wanted.length) return [];
    const entries = [];
    for (const line of library.lines) {
      const title = `Say ${line.id}: ${inShort(line.shown || line.text, 90)}`;
      const text = fold(`${title} ${line.category ?? ""}`);
      if (wanted.every((word) => text.includes(word))) entries.push({ title, group: line.category || GROUP, run: () => say(line) });
      if (entries.length >= IN_PALETTE) break;
    }
    return entries;
  }));
  return () => {
    for (const end of ends) end();
  };
}
