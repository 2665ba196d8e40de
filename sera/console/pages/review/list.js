/** The list of recordings: search, open with Enter, move with the arrow keys. */

import { empty, h, kbd, panel } from "../lib/dom.js";
import { duration } from "../lib/format.js";

const KINDS = { study: "study session", pilot: "pilot", rehearsal: "rehearsal", simulated: "simulated" };

/** The address of a recording's page. */
export const addressOf = (name) => `#/review?run=${encodeURIComponent(name)}`;

/** Show all recordings; returns a function that closes the list. */
export async function showList(root, desk) {
  const search = h("input", { type: "search", "aria-label": "Search recordings", placeholder: "Scenario, date, person", autocomplete: "off" });
  const rows = h("tbody");
  const found = h("p", { class: "quietly number", role: "status" });
  const table = h("table", { class: "recordings" },
    h("thead", {}, h("tr", {}, ["Recording", "Started", "Length", "Messages", "Size", "State"].map((title) => h("th", { scope: "col" }, title)))), rows);
  const place = h("div", { class: "scroll" }, table);
  const shown = panel("Recordings", {}, [h("span", { class: "push row" }, found, search, kbd("/"))], place);
  root.replaceChildren(h("h1", { class: "unseen" }, "Review"), shown);

  let recordings = [];
  let leftOut = 0;
  try {
    ({ recordings, left_out: leftOut } = await desk.ask("recordings"));
  } catch (error) {
    place.replaceChildren(h("p", { class: "empty", role: "alert" }, `The recordings cannot be listed: ${error.message}`));
  }

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = recordings.filter((one) => {
      const text = `${one.id} ${titleOf(one)} ${one.scenario} ${startOf(one)} ${stateOf(one)[0]}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    rows.replaceChildren(...fitting.map(rowOf));
    found.textContent = words.length ? `${fitting.length} of ${recordings.length}` : `${recordings.length}${leftOut ? `, ${leftOut} older ones are not listed` : ""}`;
    if (recordings.length && !fitting.length) place.replaceChildren(empty("No recording fits these words. Empty the search to see all."));
    else if (recordings.length) place.replaceChildren(table);
  }

  if (recordings.length) show();
  else if (!place.querySelector("[role=alert]")) {
    search.hidden = true;
    place.replaceChildren(empty("Nothing has been recorded here yet. Every run that is not started with --no-record is kept: run a scenario, and it appears in this list."));
  }

  search.addEventListener("input", show);
  search.addEventListener("keydown", (event) => {
    const links = [...rows.querySelectorAll("a")];
    if (event.key === "Enter" && links[0]) links[0].click();
    else if (event.key === "ArrowDown" && links[0]) links[0].focus();
    else return;
    event.preventDefault();
  });
  rows.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...rows.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    (links[at + step] ?? (step < 0 ? search : links[at])).focus();
  });
  const offs = [
    desk.commands.add({ id: "review.search", title: "Search recordings", group: "Review", key: "/", run: () => search.focus() }),
    desk.commands.provide(() => recordings.slice(0, 200).map((one) => ({ title: `${titleOf(one)} ${startOf(one)} ${one.id}`, group: "Recording", run: () => { location.hash = addressOf(one.id); } }))),
  ];
  return () => offs.forEach((off) => off());
}

function rowOf(one) {
  const [state, kind] = stateOf(one);
  return h("tr", {},
    h("th", { scope: "row" }, h("a", { href: addressOf(one.id) }, titleOf(one)), h("div", { class: "quietly mono" }, one.id)),
    h("td", { class: "number" }, startOf(one)),
    h("td", { class: "number" }, one.duration_s === null ? "–" : duration(one.duration_s)),
    h("td", { class: "number" }, one.messages === null ? "–" : one.messages.toLocaleString("en")),
    h("td", { class: "number" }, sizeOf(one.size_bytes)),
    h("td", {}, h("span", { class: "chip", data: { kind } }, state), one.why ? h("div", { class: "quietly" }, one.why) : null));
}

/** What a recording is called: a session by study, participant and kind; the condition is never said. */
function titleOf(one) {
  if (!one.study) return one.scenario || one.id;
  const { name, participant, kind } = one.study;
  return [name, `participant ${participant}`, KINDS[kind] ?? kind].filter(Boolean).join(" · ");
}

function stateOf(one) {
  if (one.live) return ["this run, going on", "accent"];
  if (one.broken) return [one.size_bytes ? "cut off" : "empty", "warn"];
  return ["complete", "good"];
}

function startOf(one) {
  return one.started ? new Date(one.started).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "unknown";
}

function sizeOf(bytes) {
  return bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}
