/**
 * The list of lines: thousands of rows of which only the visible ones are drawn. The first nine
 * visible rows have the keys 1 to 9. It is one listbox for the keyboard and for screen readers:
 * the chosen row is its active descendant.
 */

import { eachFrame, h, keyed } from "../lib/dom.js";

const BEYOND = 6; // rows drawn above and below what is visible
export const HOT_ROWS = 9;
let lists = 0;

/**
 * @param {object} options
 * @param {(line: any) => void} options.onChoose - a row was chosen
 * @param {(line: any) => void} options.onSay - a row shall be said
 * @param {(line: any) => number} options.usesOf
 * @param {(line: any) => string} options.categoryOf - what is shown as the row's category, or ""
 */
export function makeLineList({ onChoose, onSay, usesOf, categoryOf }) {
  const prefix = `lines-${++lists}`;
  const rows = h("div", { class: "line-rows", role: "presentation" });
  const box = h("div", { class: "line-list", role: "listbox", tabindex: "0", "aria-label": "Lines" }, rows);
  const coarse = matchMedia("(pointer: coarse)");
  let rowHeight_px = 34;
  let lines = [];
  let chosen = -1;

  const firstVisible = () => Math.max(0, Math.ceil((box.scrollTop - 4) / rowHeight_px));
  const visibleRows = () => Math.max(1, Math.floor(box.clientHeight / rowHeight_px + 0.3));
  const hotRows = () => Math.min(HOT_ROWS, visibleRows(), lines.length - firstVisible());

  function draw() {
    const from = Math.max(0, Math.floor(box.scrollTop / rowHeight_px) - BEYOND);
    const drawn = lines.slice(from, Math.ceil((box.scrollTop + box.clientHeight) / rowHeight_px) + BEYOND)
      .map((line, place) => ({ line, place: from + place }));
    // The active descendant must exist even when it was scrolled away.
    if (chosen >= 0 && !drawn.some(({ place }) => place === chosen)) drawn.push({ line: lines[chosen], place: chosen });
    rows.style.height = `${lines.length * rowHeight_px}px`;
    const [first, hot] = [firstVisible(), hotRows()];
    keyed(rows, drawn, ({ line, place }) => `${place} ${line.id}`, makeRow, (row, { line, place }) => {
      const uses = usesOf(line);
      row.classList.toggle("used", uses > 0);
      row.setAttribute("aria-selected", String(place === chosen));
      row.setAttribute("aria-setsize", String(lines.length));
      const key = place - first;
      row.hotKey.textContent = key >= 0 && key < hot ? String(key + 1) : "";
      row.useCount.textContent = uses ? `×${uses}` : "";
      row.useCount.title = uses ? `said ${uses === 1 ? "once" : `${uses} times`}` : "";
      row.category.textContent = categoryOf(line);
    });
    if (chosen >= 0) box.setAttribute("aria-activedescendant", `${prefix}-${chosen}`);
    else box.removeAttribute("aria-activedescendant");
  }
  const drawSoon = eachFrame(draw);

  function makeRow({ line, place }) {
    const hotKey = h("kbd", { "aria-hidden": "true" });
    const useCount = h("span", { class: "uses number" });
    const category = h("span", { class: "of" });
    const row = h("div", {
      class: "line-row", role: "option", id: `${prefix}-${place}`, "aria-posinset": place + 1,
      style: { top: `${place * rowHeight_px}px` },
      onclick: (event) => {
        choose(place);
        if (event.target.closest(".go")) onSay(line);
      },
      ondblclick: (event) => { if (!event.target.closest(".go")) onSay(line); },
    },
    h("span", { class: "hot" }, hotKey),
    h("span", { class: "said", dir: "auto", title: line.shown || line.text }, line.shown || line.text || "(nothing to say)"),
    line.question && h("span", { class: "chip", title: "a question: the robot waits for an answer" }, "?", h("span", { class: "unseen" }, " question")),
    line.tags?.length ? h("span", { class: "chip", title: `has to be filled in: ${line.tags.join(", ")}` }, line.tags.join(", ")) : null,
    category, useCount,
    h("span", { class: "go", "aria-hidden": "true", title: "Say it" }, "▶"));
    return Object.assign(row, { hotKey, useCount, category });
  }

  function choose(place) {
    chosen = lines.length ? Math.max(0, Math.min(lines.length - 1, place)) : -1;
    drawSoon();
    onChoose(lines[chosen] ?? null);
  }

  function reveal() {
    const top = chosen * rowHeight_px;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight_px > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight_px - box.clientHeight;
  }

  function measure() {
    rowHeight_px = coarse.matches ? 44 : 34;
    box.style.setProperty("--row", `${rowHeight_px}px`);
    rows.replaceChildren();
    drawSoon();
  }

  box.addEventListener("scroll", drawSoon, { passive: true });
  coarse.addEventListener("change", measure);
  const resized = new ResizeObserver(drawSoon);
  resized.observe(box);
  measure();

  return {
    element: box,
    /** The chosen line, or null. */
    get chosen() { return lines[chosen] ?? null; },
    /** Show these lines; the chosen one stays chosen where it is among them. */
    show(shown) {
      const before = lines[chosen]?.id;
      const was = chosen;
      lines = shown;
      const place = before === undefined ? -1 : lines.findIndex(({ id }) => id === before);
      rows.replaceChildren();
      if (place < 0) box.scrollTop = 0;
      choose(Math.max(0, place));
      if (chosen !== was) reveal();
    },
    /** Go so many rows down (up where negative). */
    move(steps) {
      choose(chosen + steps);
      reveal();
    },
    /** Choose the row under a hot key, from 1; null where there is none. */
    chooseHot(number) {
      if (number > hotRows()) return null;
      choose(firstVisible() + number - 1);
      return lines[chosen] ?? null;
    },
    /** Choose a line by its id. */
    chooseId(id) {
      const place = lines.findIndex((line) => line.id === id);
      if (place < 0) return false;
      choose(place);
      reveal();
      return true;
    },
    /** How many rows a page has. */
    get page() { return visibleRows(); },
    refresh: drawSoon,
    close() {
      resized.disconnect();
      coarse.removeEventListener("change", measure);
    },
  };
}
