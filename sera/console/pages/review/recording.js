/** One recording: replay, time line, what happened, clips, and how the wizard worked. */

import { h, kbd, panel } from "../lib/dom.js";
import { duration } from "../lib/format.js";
import { showNear } from "./near.js";
import { Playhead, SPEEDS } from "./playhead.js";
import { showReplay } from "./replay.js";
import { showTimeline } from "./timeline.js";
import { showWizard } from "./wizard.js";

/** Show a recording; returns a function that closes it. */
export async function showRecording(root, desk, name) {
  const back = h("a", { href: "#/review" }, "All recordings");
  root.replaceChildren(h("div", { class: "row" }, back), h("p", { class: "empty", role: "status" }, `Reading ${name} …`));
  let overview;
  try {
    overview = await desk.ask(`recordings/${encodeURIComponent(name)}`);
  } catch (error) {
    root.replaceChildren(h("div", { class: "row" }, back), h("p", { class: "empty", role: "alert" }, error.message));
    return () => {};
  }
  const playhead = new Playhead(overview.duration_s);
  const clip = { from_s: null, to_s: null };
  const recording = { name, overview, playhead };
  const timeline = showTimeline(overview, playhead, clip);
  const parts = [showReplay(desk, recording), showNear(desk, recording), showWizard(desk, recording), timeline];
  const [replay, near, wizard] = parts;
  const transport = transportOf(desk, { ...recording, clip, timeline });
  root.replaceChildren(
    h("div", { class: "review-head row" }, h("h1", {}, overview.facts.title || name), h("span", { class: "quietly mono" }, name), chipsOf(overview), h("span", { class: "push" }, back)),
    h("div", { class: "review" }, replay.element, near.element,
      panel("Time line", { class: "when" }, [], transport.element, timeline.element), wizard.element));
  return () => {
    transport.close();
    for (const part of parts) part.close();
    playhead.close();
  };
}

function chipsOf(overview) {
  const chips = [[`${duration(overview.duration_s)} long`], [`${overview.messages.toLocaleString("en")} messages`]];
  if (!overview.complete) chips.push(["cut off: it has no last line", "warn"]);
  if (overview.damaged_lines) chips.push([`${overview.damaged_lines} damaged line${overview.damaged_lines > 1 ? "s" : ""} left out`, "warn"]);
  if (overview.lost) chips.push([`${overview.lost} lines lost to a full disk`, "bad"]);
  return chips.map(([text, kind = ""]) => h("span", { class: "chip number", data: { kind } }, text));
}

/** Play, speed, in and out points, export; every one with its key. */
function transportOf(desk, { name, playhead, clip, timeline }) {
  const play = h("button", { type: "button", class: "primary play", onclick: () => playhead.toggle() });
  const time = h("span", { class: "number time" });
  const speeds = SPEEDS.map((speed) => h("button", { type: "button", onclick: () => playhead.setSpeed(speed), "aria-label": `${speed} times as fast` }, `${speed}×`));
  const chosen = h("span", { class: "quietly number", role: "status" });
  const exporting = h("button", { type: "button", onclick: () => run("review.export") }, "Export CSV ", kbd("e"));
  const forget = h("button", { type: "button", class: "quiet", onclick: () => run("review.whole") }, "Whole recording");
  const step = (by_s) => () => playhead.seek(playhead.time_s + by_s);
  const onControl = () => (document.activeElement?.matches("#page button, #page a[href], #page summary") ? "a button has the focus" : null);
  const inPicture = () => (document.activeElement?.matches(".stage-picture") ? "the keys move the camera" : null);
  const commands = [
    { id: "review.play", title: "Play or pause the recording", key: "Space", run: () => playhead.toggle(), blocked: onControl },
    { id: "review.back", title: "One second back", key: "ArrowLeft", run: step(-1), repeats: true, blocked: inPicture },
    { id: "review.on", title: "One second on", key: "ArrowRight", run: step(1), repeats: true, blocked: inPicture },
    { id: "review.slower", title: "Slower", key: "-", run: () => playhead.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(playhead.speed) - 1)]), blocked: inPicture },
    { id: "review.faster", title: "Faster", key: "+", run: () => playhead.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(playhead.speed) + 1)]), blocked: inPicture },
    { id: "review.in", title: "The clip begins here", key: "i", run: () => setPoint("from_s") },
    { id: "review.out", title: "The clip ends here", key: "o", run: () => setPoint("to_s") },
    { id: "review.whole", title: "The clip is the whole recording", run: () => setPoint(null) },
    { id: "review.export", title: "Export the clip as CSV", key: "e", run: exportClip },
    { id: "review.list", title: "Back to all recordings", key: "Escape", run: () => { location.hash = "#/review"; } },
  ];
  const offs = commands.map((command) => desk.commands.add({ group: "Review", ...command }));
  const run = (id) => desk.commands.get(id).run();

  function setPoint(which) {
    if (which === null) clip.from_s = clip.to_s = null;
    else clip[which] = playhead.time_s;
    // The point that was set last counts: the other one gives way.
    if (clip.from_s !== null && clip.to_s !== null && clip.to_s <= clip.from_s) clip[which === "from_s" ? "to_s" : "from_s"] = null;
    timeline.showClip();
    showClip();
  }

  function showClip() {
    const whole = clip.from_s === null && clip.to_s === null;
    forget.hidden = whole;
    chosen.textContent = whole ? "whole recording" : `${duration(clip.from_s ?? 0)}–${duration(clip.to_s ?? playhead.duration_s)}`;
  }

  async function exportClip() {
    if (exporting.disabled) return;
    exporting.disabled = true;
    const stretch = new URLSearchParams({ from_s: clip.from_s ?? 0, ...(clip.to_s === null ? {} : { to_s: clip.to_s }) });
    try {
      const answer = await desk.ask(`recordings/${encodeURIComponent(name)}/clip.csv?${stretch}`, { raw: true });
      const address = URL.createObjectURL(await answer.blob());
      const file = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "clip.csv";
      h("a", { href: address, download: file }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      desk.toast(`${file} was exported`, "good");
    } catch (error) {
      desk.toast(`The clip could not be exported: ${error.message}`, "bad");
    }
    exporting.disabled = false;
  }

  let shown = "";
  function show(time_s) {
    const state = `${playhead.playing} ${playhead.speed}`;
    if (state !== shown) {
      shown = state;
      play.replaceChildren(playhead.playing ? "❚❚ Pause " : "▶ Play ", kbd("Space"));
      speeds.forEach((button, place) => button.setAttribute("aria-pressed", String(SPEEDS[place] === playhead.speed)));
    }
    const text = `${duration(time_s)} / ${duration(playhead.duration_s)}`;
    if (time.textContent !== text) time.textContent = text;
  }
  offs.push(playhead.on(show));
  show(playhead.time_s);
  showClip();
  const element = h("div", { class: "transport row" }, play, time,
    h("div", { class: "segments", role: "group", "aria-label": "Speed" }, speeds),
    h("span", { class: "row push" },
      h("button", { type: "button", onclick: () => run("review.in") }, "In ", kbd("i")),
      h("button", { type: "button", onclick: () => run("review.out") }, "Out ", kbd("o")), chosen, forget, exporting));
  return { element, close: () => offs.forEach((off) => off()) };
}
