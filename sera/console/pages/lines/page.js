/**
 * Lines: where authors work. A workbook is dropped, findings appear beside its cells, and any line
 * is performed on a body at once.
 */

import { eachFrame, empty, h, panel } from "../lib/dom.js";
import { makeFilters } from "./filters.js";
import { makeIntake } from "./intake.js";
import { Player } from "./player.js";
import { findingShown } from "./row.js";
import { makeBody, makeNumbers } from "./side.js";
import { makeTable } from "./table.js";
import { Uses } from "./uses.js";
import { Workbook } from "./workbook.js";

/** Open the page. */
export async function open(root, desk) {
  const workbook = new Workbook(desk);
  const usesSoon = eachFrame(() => { filters.show(); showRows(); });
  const uses = new Uses(desk, usesSoon);
  const playSoon = eachFrame(() => { table.drawSoon(); body.show(); });
  const player = new Player(desk, workbook, playSoon);
  const table = makeTable(workbook, uses, player);
  const filters = makeFilters(desk, workbook, uses, () => { showRows(); numbers.show(); });
  const intake = makeIntake(desk, root, workbook);
  const body = makeBody(desk, player);
  const numbers = makeNumbers(workbook, filters);
  const shown = h("span", { class: "quietly push", role: "status" });
  const languages = h("div", { class: "segments", role: "group", "aria-label": "Language" });
  const problems = h("ul", { class: "problems", "aria-label": "About the whole workbook" });
  const nothing = empty("No line fits. ", h("button", { type: "button", class: "small", onclick: () => filters.reset() }, "Show all lines"));
  const lines = panel("Lines", { class: "lines-panel" }, [languages, shown], filters.root, problems, nothing, table.root);
  root.replaceChildren(h("h1", { class: "unseen" }, "Lines"),
    h("div", { class: "lines-page" }, h("div", { class: "main" }, intake.strip, intake.begin, lines), h("div", { class: "side" }, body.root, numbers.root)));

  function showRows() {
    const rows = filters.rows();
    const all = workbook.rows.length;
    shown.textContent = rows.length === all ? `${all} rows` : `${rows.length} of ${all} rows`;
    nothing.hidden = rows.length > 0 || !all;
    table.root.hidden = rows.length === 0;
    table.show(rows);
  }

  function show() {
    const { data } = workbook;
    lines.hidden = !data;
    languages.hidden = workbook.languages.length < 2;
    languages.replaceChildren(...workbook.languages.map((tag) => h("button", {
      type: "button", class: "small", "aria-pressed": String(tag === workbook.language), onclick: () => { workbook.language = tag; },
    }, tag)));
    problems.replaceChildren(...(data?.problems ?? []).slice(0, 50).map((one) => findingShown({ ...one, column: [one.sheet, one.row && `row ${one.row}`, one.column].filter(Boolean).join(", ") })));
    problems.hidden = !data?.problems.length;
    lines.classList.toggle("busy", Boolean(workbook.busy));
    intake.show();
    filters.show();
    numbers.show();
    showRows();
    body.show();
  }

  const offs = [...addKeys(desk, workbook, table, player), workbook.on(show),
    desk.on("character", () => { uses.load(); workbook.recheck(); show(); }), desk.on("presence", playSoon)];
  show();
  uses.load();
  return () => {
    for (const off of offs) off();
    for (const part of [player, uses, table, filters, intake, body]) part.close();
  };
}

function addKeys(desk, workbook, table, player) {
  const group = "Lines";
  const noRows = () => (workbook.rows.length ? null : "no workbook is open");
  const elsewhere = () => noRows() ?? (table.hasKeys ? null : "the keys belong to something else now");
  const add = (id, title, key, run, blocked = noRows, more = {}) => desk.commands.add({ id: `lines.${id}`, title, group, key, run, blocked, ...more });
  const play = () => { if (table.focusedRow) player.toggle(table.focusedRow); };
  return [
    add("play", "Perform the chosen line, or stop it", "p", play, () => noRows() ?? player.blocked),
    add("next", "Next line", "ArrowDown", () => table.move(1), elsewhere, { repeats: true }),
    add("previous", "Line before", "ArrowUp", () => table.move(-1), elsewhere, { repeats: true }),
    add("page_down", "A page further", "PageDown", () => table.page(1), elsewhere, { repeats: true }),
    add("page_up", "A page back", "PageUp", () => table.page(-1), elsewhere, { repeats: true }),
    add("first", "First line", "Home", () => table.goTo(0), elsewhere),
    add("last", "Last line", "End", () => table.goTo(Infinity), elsewhere),
    add("finding", "Next line with a finding", "e", () => table.nextFinding(), () => noRows() ?? (workbook.rows.some(({ worst }) => worst) ? null : "nothing was found")),
    add("close", "Put the workbook away", "w", () => workbook.close()),
  ];
}
