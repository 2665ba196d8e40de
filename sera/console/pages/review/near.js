/** What happened near the playhead, and the chain of causes of one entry. */

import { empty, h, keyed, panel } from "../lib/dom.js";
import { duration } from "../lib/format.js";
import { countUntil } from "./playhead.js";

const BEFORE = 9;
const AFTER = 4;
const EVERY_MS = 180;

/**
 * @param {any} desk
 * @param {{name: string, overview: any, playhead: import("./playhead.js").Playhead}} recording
 * @returns {{element: Element, close: () => void}}
 */
export function showNear(desk, { name, overview, playhead }) {
  const { entries } = overview;
  const rows = h("tbody");
  const table = h("table", {}, h("thead", {}, h("tr", {}, ["Time", "What", "Who", "Content"].map((title) => h("th", { scope: "col" }, title)))), rows);
  const chain = h("div", { class: "chain", "aria-live": "polite" }, empty("Choose an entry above to see what led to it and what came of it."));
  const note = overview.left_out ? h("span", { class: "quietly push" }, `${overview.left_out.toLocaleString("en")} less important entries are not listed`) : null;
  const place = h("div", { class: "scroll near-table", tabindex: "0", role: "region", "aria-label": "Entries near the playhead" },
    entries.length ? table : empty("This recording holds no messages that can be listed."));
  const element = panel("What happened", { class: "near" }, [note], place, h("h3", { class: "chain-heading" }, "Cause and effect"), chain);
  let shownAt = 0;
  let timer = 0;
  let chosen = null;
  let asked = 0;

  function show() {
    clearTimeout(timer);
    timer = 0;
    shownAt = performance.now();
    const until = countUntil(entries, playhead.time_s, (entry) => entry[0]);
    const from = Math.max(0, until - BEFORE);
    keyed(rows, entries.slice(from, until + AFTER), (entry) => `${entry[4]} ${entry[0]}`, rowOf, (row, entry) => {
      row.classList.toggle("to-come", entry[0] > playhead.time_s);
      const now = entry === entries[until - 1];
      row.classList.toggle("now", now);
      row.firstChild.firstChild.hidden = !now;
      row.querySelector("button").setAttribute("aria-pressed", String(entry[4] === chosen));
    });
    const now = rows.querySelector(".now");
    if (now && !place.matches(":hover")) place.scrollTop = now.offsetTop - place.clientHeight * 0.55;
  }

  function rowOf(entry) {
    const [at_s, type, character, source, id, , words] = entry;
    return h("tr", {},
      h("td", { class: "number" }, h("span", { class: "unseen" }, "now "), exact(at_s)),
      h("td", {}, h("button", { type: "button", class: "small", onclick: () => choose(id, at_s) }, type)),
      h("td", { title: source }, character === "world" ? source : character),
      h("td", { class: "words" }, words));
  }

  async function choose(id, at_s) {
    chosen = id;
    playhead.pause();
    playhead.seek(at_s);
    show();
    const turn = ++asked;
    chain.replaceChildren(empty("Following its causes …"));
    let found;
    try {
      found = await desk.ask(`recordings/${encodeURIComponent(name)}/trace?${new URLSearchParams({ message: id })}`);
    } catch (error) {
      if (turn === asked) chain.replaceChildren(h("p", { class: "empty", role: "alert" }, error.message));
      return;
    }
    if (turn !== asked) return;
    const here = found.steps.findIndex(({ asked_for: is }) => is);
    chain.replaceChildren(
      h("ol", {}, found.steps.map((step, place) => stepOf(step, place < here ? "led to it" : place > here ? "came of it" : "chosen"))),
      found.left_out ? empty(`${found.left_out} further effects are not listed.`) : "",
      found.steps[here] ? h("pre", { class: "mono", tabindex: "0", "aria-label": "Fields of the chosen message" }, JSON.stringify(found.steps[here].data, null, 1)) : "");
    chain.scrollTop = 0;
  }

  function stepOf(step, part) {
    return h("li", { "aria-current": step.asked_for ? "true" : null, style: { "margin-left": `${Math.min(step.depth, 8) * 0.8}rem` } },
      h("div", { class: "row" },
        h("button", { type: "button", class: "small", onclick: () => playhead.seek(step.at_s), title: `Go to ${exact(step.at_s)}` }, `${exact(step.at_s)} ${step.type}`),
        h("span", { class: "quietly" }, step.source), h("span", { class: "chip", data: { kind: step.asked_for ? "accent" : "" } }, part)));
  }

  const off = playhead.on((_time_s, jumped) => {
    const due = EVERY_MS - (performance.now() - shownAt);
    if (jumped || due <= 0) show();
    else if (!timer) timer = setTimeout(show, due);
  });
  show();
  return {
    element,
    close: () => {
      asked++;
      clearTimeout(timer);
      off();
    },
  };
}

function exact(at_s) {
  return `${duration(at_s)}.${Math.floor((Math.max(0, at_s) % 1) * 10)}`;
}
