/**
 * The table of lines. Only what is near the window is drawn, so that thousands of rows stay fluid;
 * heights are guessed until a row has been seen.
 */

import { eachFrame, h, keyed } from "../lib/dom.js";
import { COLUMNS, makeRow, updateRow } from "./row.js";

const BEYOND_PX = 400;
const GUESS_PX = 46;
const GUESS_FINDING_PX = 58;

/**
 * Make the table.
 *
 * @param {import("./workbook.js").Workbook} workbook
 * @param {import("./uses.js").Uses} uses
 * @param {import("./player.js").Player} player
 */
export function makeTable(workbook, uses, player) {
  let rows = [];
  let tops = [0];
  let focused = null;
  let stamp = "";
  let width = 0;
  const heights = new Map();
  const above = h("tr", {}, h("td", { colspan: COLUMNS.length }));
  const below = h("tr", {}, h("td", { colspan: COLUMNS.length }));
  const body = h("tbody", { class: "rows" });
  const caption = h("caption", { class: "unseen" }, "Lines of the workbook");
  const table = h("table", { class: "lines-table" }, caption,
    h("thead", {}, h("tr", {}, COLUMNS.map((name, place) => h("th", { scope: "col", class: `head-${name.toLowerCase()}` },
      place === 0 ? h("span", { class: "unseen" }, name) : name)))),
    h("tbody", { class: "space", "aria-hidden": "true" }, above), body, h("tbody", { class: "space", "aria-hidden": "true" }, below));
  const root = h("div", { class: "lines-scroll scroll", tabindex: "-1", role: "region", "aria-label": "Table of lines" }, table);

  const heightOf = (row) => heights.get(row.key) ?? GUESS_PX + Math.max(0, row.findings.length - 0.6) * GUESS_FINDING_PX * Number(row.findings.length > 0);
  function lay() {
    tops = [0];
    for (const row of rows) tops.push(tops.at(-1) + heightOf(row));
  }
  /** The last row that begins at or above a place. */
  function rowAt(place) {
    let [low, high] = [0, rows.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (tops[middle] <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  function draw() {
    const first = rows.length ? rowAt(root.scrollTop - BEYOND_PX) : 0;
    const last = rows.length ? Math.min(rows.length, rowAt(root.scrollTop + root.clientHeight + BEYOND_PX) + 1) : 0;
    const shown = rows.slice(first, last);
    const blocked = player.blocked;
    const chosen = focused ?? rows[0]?.key;
    keyed(body, shown, (row) => `${stamp} ${row.key}`, (row) => makeRow(row, workbook, acts), (element, row) => updateRow(element, {
      uses: { known: uses.known, count: uses.of(row) }, performance: player.of(row), blocked, isFocused: row.key === chosen,
    }));
    for (const [place, element] of [...body.children].entries()) element.setAttribute("aria-rowindex", String(first + place + 2));
    above.style.height = `${tops[first]}px`;
    below.style.height = `${tops[rows.length] - tops[last]}px`;
    measure(shown, first);
  }

  /** Learn how high rows really are; what stands in the window stays where it is. */
  function measure(shown, first) {
    let moved = 0;
    let changed = false;
    for (const [place, row] of shown.entries()) {
      const height = body.children[place].offsetHeight;
      if (Math.abs(height - heightOf(row)) < 0.5) continue;
      if (tops[first + place + 1] <= root.scrollTop) moved += height - heightOf(row);
      heights.set(row.key, height);
      changed = true;
    }
    if (!changed) return;
    lay();
    above.style.height = `${tops[first]}px`;
    below.style.height = `${tops[rows.length] - tops[first + shown.length]}px`;
    if (moved) root.scrollTop += moved;
    drawSoon();
  }

  const drawSoon = eachFrame(draw);
  const acts = {
    play: (row) => {
      focused = row.key;
      player.toggle(row);
    },
    chooseRow: (row) => {
      focused = row.key;
      drawSoon();
    },
  };

  function goTo(place) {
    if (!rows.length) return;
    const to = Math.max(0, Math.min(rows.length - 1, place));
    focused = rows[to].key;
    const head = table.tHead.offsetHeight;
    // Rows on the way are measured when they are drawn, which moves those below them.
    for (let turn = 0, before = -1; turn < 5 && before !== tops[to + 1]; turn++) {
      before = tops[to + 1];
      if (tops[to] < root.scrollTop) root.scrollTop = tops[to];
      else if (tops[to + 1] + head > root.scrollTop + root.clientHeight) root.scrollTop = tops[to + 1] + head - root.clientHeight;
      draw();
    }
    focusRow();
  }
  const focusRow = () => body.querySelector("tr[aria-current]")?.focus({ preventScroll: true });

  root.addEventListener("scroll", drawSoon, { passive: true });
  root.addEventListener("focusin", (event) => {
    const element = event.target instanceof Element ? event.target.closest("tbody.rows > tr") : null;
    const row = element && rows.find(({ key, row: number, sheet }) => String(number) === element.dataset.row && sheet.title === element.dataset.sheet && key);
    if (row && row.key !== focused) acts.chooseRow(row);
  });
  const watching = new ResizeObserver(() => {
    if (root.clientWidth !== width) heights.clear();
    width = root.clientWidth;
    lay();
    drawSoon();
  });
  watching.observe(root);

  return {
    root, drawSoon,
    /** Show other rows, or the same ones changed. */
    show(wanted) {
      rows = wanted;
      const now = `${workbook.version} ${workbook.language}`;
      if (now !== stamp) heights.clear();
      stamp = now;
      const hadFocus = body.contains(document.activeElement);
      table.setAttribute("aria-rowcount", String(rows.length + 1));
      const isFaulty = rows.some(({ worst }) => worst);
      table.classList.toggle("no-findings", !isFaulty);
      for (const space of [above, below]) space.firstChild.colSpan = COLUMNS.length - Number(!isFaulty);
      if (!rows.some(({ key }) => key === focused)) focused = null;
      lay();
      draw();
      if (hadFocus && !body.contains(document.activeElement)) focusRow();
    },
    /** The row that keys act on; null where there is none. */
    get focusedRow() { return rows.find(({ key }) => key === focused) ?? rows[0] ?? null; },
    move(steps) {
      const at = rows.findIndex(({ key }) => key === focused);
      goTo(at < 0 ? 0 : at + steps);
    },
    page(direction) { this.move(direction * Math.max(1, Math.floor(root.clientHeight / GUESS_PX) - 1)); },
    goTo,
    /** To the next row with a finding, from the beginning again after the last. */
    nextFinding() {
      const at = rows.findIndex(({ key }) => key === focused);
      const next = rows.findIndex(({ worst }, place) => worst && place > at);
      goTo(next >= 0 ? next : rows.findIndex(({ worst }) => worst));
    },
    /** Whether arrow keys are meant for the table. */
    get hasKeys() {
      const at = document.activeElement;
      return at === document.body || at === null || at.id === "page" || root.contains(at);
    },
    close() { watching.disconnect(); },
  };
}
