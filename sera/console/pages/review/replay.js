/** The 3-D replay of a recording, with what is said as captions. */

import { empty, h, panel } from "../lib/dom.js";
import { Motion } from "./motion.js";
import { countUntil } from "./playhead.js";

const LINGERS_S = 0.4;
const PATIENCE_MS = 2500;

/**
 * Show the replay; it follows the playhead.
 *
 * @param {any} desk
 * @param {{name: string, overview: any, playhead: import("./playhead.js").Playhead}} recording
 * @returns {{element: Element, close: () => void}}
 */
export function showReplay(desk, { name, overview, playhead }) {
  const place = h("div", { class: "replay-stage" }, empty("The 3-D view opens …"));
  const caption = h("div", { class: "caption", role: "group", "aria-label": "What is said" });
  const note = h("span", { class: "quietly push", role: "status" });
  const element = panel("Replay", { class: "replay" }, [note], place, caption);
  const motion = new Motion(desk, name);
  let stage = null;
  let closed = false;
  let since = 0;

  // A recording that names its bodies has said of the others that they had none.
  const unknown = overview.robots_recorded ? [] : Object.entries(overview.facts.characters).filter(([, one]) => !one.robot).map(([character]) => character);
  const standing = overview.motion ? "" : "no motion was recorded";
  const about = unknown.length && overview.motion ? `the scenario's file is gone: the robot of ${unknown.join(", ")} is unknown` : standing;
  note.textContent = about;

  function showCaption(time_s) {
    const until = countUntil(overview.words, time_s, (one) => one.from_s);
    const now = overview.words.slice(Math.max(0, until - 20), until).filter(({ to_s }) => to_s + LINGERS_S >= time_s).slice(-2);
    const text = now.map(({ who, text: words }) => `${who}: ${words}`).join("\n");
    if (caption.dataset.text === text) return;
    caption.dataset.text = text;
    caption.replaceChildren(...now.map(({ who, text: words, heard }) => h("span", { class: "said", data: { heard } }, h("strong", {}, who), ` ${words}`)));
  }

  function show(time_s) {
    showCaption(time_s);
    if (!stage) return;
    const ready = !overview.motion || motion.ready(time_s);
    if (ready || !playhead.playing) since = 0;
    else since ||= performance.now();
    // Motion that takes long to be read is shown when it is there: words and entries go on.
    playhead.waiting = since > 0 && performance.now() - since < PATIENCE_MS;
    if (ready) motion.show(time_s, (type, data, envelope) => stage.take(type, data, envelope));
    else if (!playhead.playing) setTimeout(() => { if (!closed && playhead.time_s === time_s) show(time_s); }, 120);
    const words = ready ? motion.problem ?? about : "reading …";
    if (note.textContent !== words) note.textContent = words;
  }

  const off = playhead.on(show);
  import("../parts/stage3d/stage.js").then(async ({ openStage }) => {
    if (closed) return;
    place.replaceChildren();
    const opened = await openStage(place, desk, { live: false, facts: { ...desk.facts, ...overview.facts }, controls: true });
    if (closed) opened.close();
    else {
      stage = opened;
      show(playhead.time_s);
    }
  }).catch((error) => {
    place.replaceChildren(empty(`The 3-D view cannot be shown here: ${error.message} Everything else on this page works without it.`));
  });
  showCaption(playhead.time_s);
  return {
    element,
    close: () => {
      closed = true;
      off();
      motion.close();
      stage?.close();
    },
  };
}
