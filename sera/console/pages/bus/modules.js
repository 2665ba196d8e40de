/** Modules: whether each is well, how much it says, and what it counted. */

import { empty, h, keyed, panel, svg } from "../lib/dom.js";

const STATUS = { present: ["well", "good"], starting: ["starting", "warn"], stopped: ["stopped", ""], lost: ["lost", "bad"] };

/** @returns {{element: Element, close: () => void}} */
export function showModules(desk, traffic) {
  const rows = h("tbody");
  const table = h("table", {}, h("thead", {}, h("tr", {}, ["Module", "Health", "Messages a second", "Said"].map((title) => h("th", { scope: "col" }, title)))), rows);
  const place = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of modules" }, table);
  const total = h("span", { class: "quietly number push" });
  const element = panel("Modules", { class: "modules" }, [total], place);

  function show() {
    for (const source of [...desk.presence.keys(), desk.sera.hello.source]) traffic.of(source);
    const known = [...traffic.sources.values()].sort((one, other) => one.owner.localeCompare(other.owner) || one.source.localeCompare(other.source)).slice(0, 200);
    if (!known.length) {
      place.replaceChildren(empty("No module has said anything yet. Modules appear here as soon as they are present on the bus."));
      return;
    }
    if (!table.isConnected) place.replaceChildren(table);
    keyed(rows, known, ({ source }) => source, rowOf, update);
    const rate = known.reduce((sum, one) => sum + traffic.history(one, 1)[0], 0);
    total.textContent = `${known.length} modules · ${rate} messages in the last second`;
  }

  function rowOf({ source }) {
    return h("tr", {}, h("th", { scope: "row" }, source, h("span", { class: "quietly role" })),
      h("td", {}, h("span", { class: "chip" }), h("div", { class: "trouble" })),
      h("td", {}, h("div", { class: "row rate" }, h("span", { class: "number" }), sparkline())),
      h("td", { class: "number" }));
  }

  function update(row, known) {
    const presence = desk.presence.get(known.source);
    // The server of this page never hears itself; that the page is connected tells enough.
    const serves = !presence && desk.connected && known.source === desk.sera.hello.source;
    const [words, kind] = serves ? ["serves this page", "good"] : healthOf(known, presence);
    const chip = row.querySelector(".chip");
    chip.textContent = words;
    chip.dataset.kind = kind;
    row.querySelector(".role").textContent = presence?.role && presence.role !== "module" ? presence.role : "";
    const trouble = troubleOf(known, presence);
    const shown = row.querySelector(".trouble");
    if (shown.textContent !== trouble) {
      shown.textContent = trouble;
      shown.title = trouble;
    }
    const history = traffic.history(known);
    row.querySelector(".rate .number").textContent = String(history.at(-1));
    draw(row.querySelector("svg"), history, known.source);
    row.lastChild.textContent = known.total.toLocaleString("en");
    row.title = known.counts ? Object.entries(known.counts).map(([name, count]) => `${name} ${count}`).join(", ") : "";
  }

  const offs = [traffic.onSecond(show), desk.on("presence", show)];
  show();
  return { element, close: () => offs.forEach((off) => off()) };
}

function healthOf(known, presence) {
  const [words, kind] = STATUS[presence?.status] ?? ["heard", ""];
  if (presence?.status !== "present") return [words, kind];
  if (presence.problem || known.problems.size) return ["hindered", "warn"];
  if (known.faults.error) return [`${known.faults.error} error${known.faults.error > 1 ? "s" : ""}`, "bad"];
  if (known.faults.warning) return [`${known.faults.warning} warning${known.faults.warning > 1 ? "s" : ""}`, "warn"];
  return [words, kind];
}

function troubleOf(known, presence) {
  return [presence?.problem, ...known.problems.values(), known.faults.last].filter(Boolean).join(" · ").slice(0, 300);
}

function sparkline() {
  return svg("svg", { viewBox: "0 0 60 16", class: "spark", role: "img", preserveAspectRatio: "none" }, svg("polyline", { points: "" }));
}

function draw(picture, history, source) {
  const highest = Math.max(1, ...history);
  const points = history.map((value, place) => `${((60 * place) / (history.length - 1)).toFixed(1)},${(15 - (14 * value) / highest).toFixed(1)}`).join(" ");
  picture.firstChild.setAttribute("points", points);
  picture.setAttribute("aria-label", `${source}: at most ${Math.max(...history)} a second in the last half minute`);
}
