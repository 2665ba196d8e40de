/** How the timeline is painted: rows, a ruler, marks with as many words as fit, and causes as lines. */

import { clock } from "../lib/format.js";
import { ROWS } from "./moments.js";
import { inWords, sentenceOf } from "./words.js";

/** Room for the names of the rows, and at the right edge. */
export const LEFT_PX = 92;
export const RIGHT_PX = 6;
/** Half the height of a mark, and the width of one without duration. */
export const MARK_PX = 7;
const TOP_PX = 18;
const STEPS_S = [0.5, 1, 2, 5, 10, 30, 60];
const FILLS = { perception: "warn", decision: "good", speech: "accent", gaze: "quiet", motion: "accent", fault: "bad" };
/** More marks than this are painted without words. */
const WORDY = 400;

/**
 * Paint it all; returns where the marks lie: `{ entry, row, x, to, y }`.
 *
 * @param {CanvasRenderingContext2D} pen
 * @param {{width: number, height: number, end_s: number, span_s: number, live: boolean, entries: any[], chosen: string|null, chain: Set<string>, hover: any}} scene
 */
export function paintTimeline(pen, scene) {
  const { width, height } = scene;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const tall = (height - TOP_PX) / ROWS.length;
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  pen.textBaseline = "middle";
  paintRuler(pen, scene, colour);
  ROWS.forEach(({ title }, row) => {
    const y = TOP_PX + row * tall;
    pen.fillStyle = colour("line");
    pen.fillRect(0, y, width, 1);
    pen.fillStyle = colour("quiet");
    pen.fillText(title, 8, y + tall / 2);
  });
  pen.save();
  pen.beginPath();
  pen.rect(LEFT_PX - 4, 0, width - LEFT_PX + 4, height);
  pen.clip();
  const marks = placed(scene, tall);
  paintChain(pen, marks, scene, colour);
  paintMarks(pen, marks, scene, colour);
  paintTip(pen, marks, scene, colour);
  pen.restore();
  return marks;
}

function across({ width, end_s, span_s }, time_s) {
  return LEFT_PX + (1 - (end_s - time_s) / span_s) * (width - LEFT_PX - RIGHT_PX);
}

function paintRuler(pen, scene, colour) {
  const { width, height, end_s, span_s, live } = scene;
  const step = STEPS_S.find((one) => (one / span_s) * (width - LEFT_PX) > 80) ?? 60;
  // Live, the lines stand still and time runs through them; else they stand at round times.
  const first = live ? end_s - Math.floor(span_s / step) * step : Math.ceil((end_s - span_s) / step) * step;
  pen.fillStyle = colour("quiet");
  for (let at = first; at <= end_s + 1e-6; at += step) {
    const x = across(scene, at);
    pen.globalAlpha = 0.5;
    pen.fillRect(x, TOP_PX, 0.5, height - TOP_PX);
    pen.globalAlpha = 1;
    if (x < width - 60) pen.fillText(live ? `${Number((end_s - at).toFixed(1))} s ago` : clock(at), x + 3, TOP_PX / 2);
  }
}

/** Where the entries of this window lie. */
function placed(scene, tall) {
  const { end_s, span_s, entries } = scene;
  const rows = new Map(ROWS.map(({ name }, place) => [name, place]));
  const marks = [];
  for (const entry of entries) {
    const row = rows.get(entry.row);
    if (row === undefined || entry.from_s > end_s || (entry.to_s ?? entry.from_s) < end_s - span_s) continue;
    const x = across(scene, entry.from_s);
    const to = entry.to_s === null ? x : across(scene, Math.min(entry.to_s, end_s));
    marks.push({ entry, row, x, to: Math.max(to, x + MARK_PX), y: TOP_PX + (row + 0.5) * tall });
  }
  return marks;
}

/** Lines from cause to effect of what was chosen. */
function paintChain(pen, marks, { chain }, colour) {
  const linked = marks.filter(({ entry }) => chain.has(entry.envelope.id)).sort((one, other) => one.entry.from_s - other.entry.from_s || one.row - other.row);
  pen.strokeStyle = colour("accent");
  pen.lineWidth = 1.5;
  pen.beginPath();
  linked.forEach(({ x, y }, place) => (place ? pen.lineTo(x + MARK_PX / 2, y) : pen.moveTo(x + MARK_PX / 2, y)));
  pen.stroke();
}

function paintMarks(pen, marks, { width, chosen, chain, hover }, colour) {
  const fills = ROWS.map(({ name }) => colour(FILLS[name]));
  const [ink, edge] = [colour("ink"), colour("edge")];
  const next = new Array(ROWS.length).fill(width);
  // From new to old, so that words know how much room is left before the next mark.
  for (let place = marks.length - 1; place >= 0; place--) {
    const { entry, row, x, to, y } = marks[place];
    const { id } = entry.envelope;
    const isChosen = id === chosen;
    pen.globalAlpha = chain.size > 1 && !chain.has(id) ? 0.45 : 1;
    pen.fillStyle = fills[row];
    pen.beginPath();
    pen.roundRect(x, y - MARK_PX, to - x, 2 * MARK_PX, 3);
    pen.fill();
    if (isChosen || chain.has(id) || entry === hover) {
      pen.strokeStyle = isChosen ? ink : edge;
      pen.lineWidth = isChosen ? 2.5 : 1.5;
      pen.stroke();
    }
    const room = next[row] - to - 8;
    if (marks.length <= WORDY && room > 40) {
      pen.fillStyle = ink;
      pen.fillText(fitting(pen, inWords(entry.envelope), room), to + 4, y);
    }
    next[row] = x;
  }
  pen.globalAlpha = 1;
}

function paintTip(pen, marks, { width, hover }, colour) {
  const mark = hover && marks.find(({ entry }) => entry === hover);
  if (!mark) return;
  const words = fitting(pen, sentenceOf(mark.entry.envelope), width - LEFT_PX - 30);
  const wide = pen.measureText(words).width + 14;
  const x = Math.max(LEFT_PX, Math.min(mark.x, width - wide - 4));
  const y = mark.y < 40 ? mark.y + 22 : mark.y - 22;
  pen.fillStyle = colour("sheet");
  pen.strokeStyle = colour("edge");
  pen.lineWidth = 1;
  pen.beginPath();
  pen.roundRect(x, y - 11, wide, 22, 5);
  pen.fill();
  pen.stroke();
  pen.fillStyle = colour("ink");
  pen.fillText(words, x + 7, y + 1);
}

/** As many words as fit. */
function fitting(pen, words, room_px) {
  if (pen.measureText(words).width <= room_px) return words;
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(`${words.slice(0, middle)}…`).width <= room_px) low = middle;
    else high = middle - 1;
  }
  return low > 2 ? `${words.slice(0, low)}…` : "";
}
