/**
 * The time line: a row for each family of messages, phases and marks, and the playhead, which is
 * a slider for pointer and keys. Ticks are drawn once; only the playhead moves.
 */

import { h } from "../lib/dom.js";
import { duration } from "../lib/format.js";

const ROW_PX = 20;
const FAMILIES = ["study", "decision", "speech", "behaviour", "motion", "perception", "activity", "system", "own"];
const TITLES = { study: "Study", decision: "Decision", speech: "Speech", behaviour: "Behaviour", motion: "Motion", perception: "Perception", activity: "Activity", system: "System", own: "Own" };
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/**
 * @param {any} overview - of the recording
 * @param {import("./playhead.js").Playhead} playhead
 * @param {{from_s: number|null, to_s: number|null}} clip - in and out points
 * @returns {{element: Element, showClip: () => void, close: () => void}}
 */
export function showTimeline(overview, playhead, clip) {
  const length_s = Math.max(overview.duration_s, 0.001);
  const families = FAMILIES.filter((family) => overview.entries.some((entry) => familyOf(overview, entry) === family));
  const canvas = h("canvas", { "aria-hidden": "true" });
  const head = h("div", { class: "playhead", "aria-hidden": "true" });
  const chosen = h("div", { class: "clip", "aria-hidden": "true", hidden: true });
  const phases = h("div", { class: "phases" });
  const marks = h("div", { class: "marks" });
  const lane = h("div", { class: "lane", role: "slider", tabindex: "0", "aria-label": "Time in the recording", "aria-valuemin": "0", "aria-valuemax": length_s.toFixed(1), "aria-keyshortcuts": "ArrowLeft ArrowRight" }, canvas, chosen, head);
  const scale = h("div", { class: "scale number", "aria-hidden": "true" });
  const names = h("div", { class: "names" }, families.map((family) => h("span", { title: `${overview.families[family]} messages` }, TITLES[family])));
  const element = h("div", { class: "timeline" }, h("span", { class: "quietly" }, ""), phases, h("span", { class: "quietly" }, overview.marks.length ? "Marks" : ""), marks, names, lane, h("span"), scale);
  const share = (at_s) => `${(100 * Math.min(Math.max(at_s, 0), length_s)) / length_s}%`;

  for (const { from_s, to_s, title } of bandsOf(overview.phases, length_s)) {
    phases.append(h("span", { class: "phase", title: `${title}, ${duration(from_s)}–${duration(to_s)}`, style: { left: share(from_s), width: share(to_s - from_s) } }, title));
  }
  phases.hidden = !phases.firstChild;
  phases.previousElementSibling.textContent = phases.hidden ? "" : "Phases";
  for (const mark of overview.marks) {
    const words = `${mark.label ?? "mark"}${mark.note ? `: ${withoutPseudonym(mark.note)}` : ""}, ${duration(mark.at_s)}`;
    marks.append(h("button", { type: "button", class: "mark", title: words, "aria-label": `Go to mark ${words}`, data: { label: mark.label }, style: { left: share(mark.at_s) }, onclick: () => playhead.seek(mark.at_s) }, "⚑"));
  }
  marks.hidden = !overview.marks.length;
  for (const place of [phases, marks]) place.previousElementSibling.hidden = place.hidden;
  const step_s = STEPS_S.find((step) => length_s / step <= 12) ?? length_s / 8;
  for (let at_s = 0; at_s <= length_s * 0.97; at_s += step_s) scale.append(h("span", { style: { left: share(at_s) } }, duration(at_s)));

  function draw() {
    const width = lane.clientWidth;
    const height = Math.max(1, families.length) * ROW_PX;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    canvas.width = Math.max(1, width * ratio);
    canvas.height = height * ratio;
    lane.style.setProperty("height", `${height}px`);
    const colours = getComputedStyle(document.documentElement);
    const ink = (name) => colours.getPropertyValue(name).trim();
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.fillStyle = ink("--line");
    families.forEach((_, row) => pen.fillRect(0, (row + 1) * ROW_PX - 1, width, 1));
    const rows = new Map(families.map((family, row) => [family, row]));
    for (const entry of overview.entries) {
      const row = rows.get(familyOf(overview, entry));
      const bad = entry[1] === "ModuleFault" || entry[1] === "(malformed)" || entry[1] === "EmergencyStop";
      pen.fillStyle = ink(bad ? "--bad" : "--accent");
      pen.globalAlpha = bad ? 1 : 0.65;
      pen.fillRect((entry[0] / length_s) * width - 0.75, row * ROW_PX + (bad ? 1 : 4), bad ? 2.5 : 1.5, ROW_PX - (bad ? 3 : 9));
    }
    pen.globalAlpha = 0.3;
    const speech = rows.get("speech");
    pen.fillStyle = ink("--accent");
    if (speech !== undefined) for (const line of overview.words) if (!line.heard) pen.fillRect((line.from_s / length_s) * width, speech * ROW_PX + 4, Math.max(2, ((line.to_s - line.from_s) / length_s) * width), ROW_PX - 9);
  }

  function move(time_s) {
    head.style.setProperty("left", share(time_s));
    lane.setAttribute("aria-valuenow", time_s.toFixed(1));
    lane.setAttribute("aria-valuetext", `${duration(time_s)} of ${duration(length_s)}`);
  }

  function showClip() {
    const { from_s, to_s } = clip;
    chosen.hidden = from_s === null && to_s === null;
    chosen.style.setProperty("left", share(from_s ?? 0));
    chosen.style.setProperty("width", share((to_s ?? length_s) - (from_s ?? 0)));
  }

  const seek = (event) => playhead.seek(((event.clientX - lane.getBoundingClientRect().left) / lane.clientWidth) * length_s);
  lane.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    lane.setPointerCapture(event.pointerId);
    seek(event);
  });
  lane.addEventListener("pointermove", (event) => { if (lane.hasPointerCapture(event.pointerId)) seek(event); });
  lane.addEventListener("keydown", (event) => {
    const to_s = { PageUp: playhead.time_s + 10, PageDown: playhead.time_s - 10, Home: 0, End: length_s }[event.key];
    if (to_s === undefined) return;
    event.preventDefault();
    playhead.seek(to_s);
  });
  const sizes = new ResizeObserver(draw);
  sizes.observe(lane);
  addEventListener("theme", draw);
  const off = playhead.on(move);
  move(playhead.time_s);
  showClip();
  return {
    element,
    showClip,
    close: () => {
      off();
      sizes.disconnect();
      removeEventListener("theme", draw);
    },
  };
}

/** Words that the recorder keeps apart from the log are shown as such. */
export function withoutPseudonym(text) {
  return /^~\S+$/.test(text) ? "(words kept with the participant's data)" : text;
}

/** Entries are `[at_s, type, character, source, id, cause, words]`. */
function familyOf(overview, entry) {
  return overview.types[entry[1]]?.family ?? "own";
}

/** Phases as bands: each lasts until it ends or the next one begins. */
function bandsOf(phases, length_s) {
  const bands = [];
  for (const { at_s, phase, step, status } of phases) {
    const open = bands.at(-1);
    const begins = status === "started" || status === "repeated";
    if (open && open.to_s === null && (begins || (["finished", "skipped", "aborted"].includes(status) && open.phase === phase && open.step === step))) open.to_s = at_s;
    if (begins) bands.push({ from_s: at_s, to_s: null, phase, step, title: step ? `${phase} · ${step}` : String(phase) });
  }
  return bands.map((band) => ({ ...band, to_s: band.to_s ?? length_s }));
}
