/** One row of the table: the line with its markup subdued, and its findings beside the cells. */

import { h } from "../lib/dom.js";

export const COLUMNS = ["Perform", "Row", "Category", "Line", "Question", "Uses", "Findings"];
const ICONS = { error: "✕", warning: "!" };
const REPEATS = { session: "once in a session", ever: "once for ever" };

/**
 * Make the element of a row.
 *
 * @param {any} row
 * @param {import("./workbook.js").Workbook} workbook
 * @param {{play: (row: any) => void, chooseRow: (row: any) => void}} acts
 */
export function makeRow(row, workbook, { play, chooseRow }) {
  const said = workbook.textOf(row);
  const about = (meaning) => row.findings.filter(({ column }) => meaningOf(row, column) === meaning);
  const cell = (name, meanings, ...content) => {
    const found = meanings.flatMap(about);
    const worst = found.some(({ severity }) => severity === "error") ? "error" : found.length ? "warning" : null;
    return h("td", { class: `cell-${name}`, data: worst ? { worst } : {} }, content,
      worst && h("span", { class: "cell-mark", title: found.map(({ message }) => message).join("\n"), "aria-hidden": "true" }, ICONS[worst]));
  };
  const [category, ...below] = row.category.split(":");
  const playing = h("button", { type: "button", class: "small play", "aria-label": `Perform row ${row.row}: ${(said?.shown ?? "").slice(0, 80)}`, onclick: (event) => { event.stopPropagation(); play(row); } }, "▶");
  const performed = h("p", { class: "performed", hidden: true });
  return h("tr", {
    data: { row: row.row, sheet: row.sheet.title, ...(row.worst ? { worst: row.worst } : {}) },
    // The keys walk over rows: whoever hears the page is told which one has the focus.
    "aria-label": `Row ${row.row}, ${row.category || "no category"}: ${said?.shown || "no words"}${row.findings.length ? `; findings: ${row.findings.length}` : ""}`,
    onclick: () => chooseRow(row), ondblclick: () => play(row),
  },
  h("td", { class: "cell-play" }, playing),
  cell("row", ["id"], h("span", { class: "number" }, row.row), row.id_is_given && h("span", { class: "mono id", title: row.id }, row.id)),
  cell("category", ["category", "subcategory", "current_state", "next_state"], h("span", {}, category), below.length > 0 && h("span", { class: "below" }, ` : ${below.join(" : ")}`)),
  cell("line", said ? [`text:${said.language}`, "text:", "text"] : ["text:", "text"], textShown(row, said, workbook), metadataShown(row), performed),
  cell("question", ["question"], row.question && h("span", { title: "a question: the robot waits for an answer" }, h("span", { "aria-hidden": "true" }, "?"), h("span", { class: "unseen" }, "question"))),
  h("td", { class: "cell-uses number" }),
  h("td", { class: "cell-findings" }, row.findings.length > 0 && h("ul", {}, inOrder(row).map(findingShown))));
}

/** Bring the parts of a row up to date that change while it stands. */
export function updateRow(element, { uses, performance, blocked, isFocused }) {
  element.tabIndex = isFocused ? 0 : -1;
  if (isFocused) element.setAttribute("aria-current", "true");
  else element.removeAttribute("aria-current");
  const counted = uses.known ? String(uses.count || "–") : "";
  const cell = element.querySelector(".cell-uses");
  if (cell.textContent !== counted) cell.textContent = counted;
  const isUnderWay = ["asked", "saying"].includes(performance?.state ?? "");
  const button = element.querySelector(".play");
  const sign = isUnderWay ? "■" : "▶";
  if (button.textContent !== sign) button.textContent = sign;
  button.disabled = Boolean(blocked) && !isUnderWay;
  button.title = isUnderWay ? "Stop" : blocked ?? "Perform (key p)";
  if (performance) element.dataset.performance = performance.state;
  else delete element.dataset.performance;
  const shown = element.querySelector(".performed");
  shown.hidden = !performance;
  if (performance) shown.replaceChildren(...performanceShown(performance));
}

/** What is being said, with the word that the voice has reached. */
export function performanceShown({ state, text, from, to, note }) {
  if (state === "asked") return ["waits for its turn"];
  if (state === "saying" && from >= 0) return [text.slice(0, from), h("mark", {}, text.slice(from, to)), text.slice(to)];
  if (state === "saying") return [text || "performs without words"];
  return [state === "said" ? "✓ " : "✕ not said: ", note];
}

/** A finding in words: how bad, which column, what, and what to do. */
export function findingShown({ severity, column, message, fix, text }) {
  return h("li", { class: "finding", data: { severity } },
    h("span", { class: "severity" }, h("span", { "aria-hidden": "true" }, `${ICONS[severity]} `), severity),
    column && h("span", { class: "column" }, column),
    h("span", { class: "message" }, message, text && !message.includes(text) && [" ", h("code", {}, text)]),
    fix && h("span", { class: "fix" }, `→ ${fix}`));
}

/** Findings by their columns, as the sheet has them. */
function inOrder({ findings, sheet }) {
  return findings.toSorted((one, other) => sheet.columns.indexOf(one.column) - sheet.columns.indexOf(other.column));
}

function meaningOf(row, column) {
  return row.sheet.meanings[column] ?? column.toLowerCase();
}

function metadataShown(row) {
  const parts = Object.entries(row.metadata).map(([name, value]) => `${name}: ${value}`);
  if (REPEATS[row.repetitions]) parts.unshift(REPEATS[row.repetitions]);
  const others = row.findings.some(({ column }) => column && !["id", "category", "subcategory", "question"].includes(meaningOf(row, column)) && !meaningOf(row, column).startsWith("text"));
  return parts.length > 0 && h("p", { class: "metadata", title: parts.join("\n"), data: others ? { worst: row.worst } : {} }, parts.join(" · "));
}

function textShown(row, said, workbook) {
  if (!said) return h("p", { class: "line-text missing" }, row.texts.length ? `no text in ${workbook.language}` : "no words");
  const letters = [...said.text];
  const kinds = kindsOf(said, letters.length);
  const worst = faultsOf(row, said, letters);
  const shown = h("p", { class: "line-text", lang: said.language || null, dir: "auto" });
  for (let from = 0; from < letters.length;) {
    let to = from + 1;
    while (to < letters.length && kinds[to] === kinds[from] && worst[to] === worst[from]) to++;
    const text = letters.slice(from, to).join("");
    const isPlain = !kinds[from] && !worst[from];
    shown.append(isPlain ? text : h("span", { class: kinds[from] ?? null, data: worst[from] ? { worst: worst[from] } : {} }, text));
    from = to;
  }
  return shown;
}

function kindsOf(said, length) {
  const kinds = new Array(length).fill(null);
  let at = 0;
  for (const [kind, text] of said.pieces) {
    const size = [...text].length;
    if (kind !== "say") kinds.fill(kind, at, at + size);
    at += size;
  }
  return kinds;
}

function faultsOf(row, said, letters) {
  const worst = new Array(letters.length).fill(null);
  for (const { column, severity, start, text } of row.findings) {
    if (start === null || !text || ![`text:${said.language}`, "text:", "text"].includes(meaningOf(row, column))) continue;
    const wanted = [...text];
    // A finding about a verb begins at its bracket.
    const from = [start, start + 1].find((at) => wanted.every((letter, place) => letters[at + place] === letter));
    if (from === undefined) continue;
    for (let at = from; at < from + wanted.length; at++) if (worst[at] !== "error") worst[at] = severity;
  }
  return worst;
}
