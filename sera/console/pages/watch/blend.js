/** The blend stack: which layer of the animation program owns how much of each channel. */

import { eachFrame, empty, h, keyed } from "../lib/dom.js";
import { number } from "../lib/format.js";

const ASK_EVERY_MS = 8000;
const ASK_FOR_S = 10;
const REPORT_EVERY_S = 0.25;
const SHADES = 6;

/**
 * Show who owns what in the body of the desk's character; asks for reports while it is open.
 * @returns {() => void} ends it
 */
export function showBlend(root, desk) {
  const reports = new Map();
  const states = new Map();
  const places = new Map();
  const engine = h("dl", { class: "engine" });
  const layers = h("ul", { class: "layers", "aria-label": "Layers and their weights" });
  const channels = h("ul", { class: "channels", "aria-label": "Channels and who owns them" });
  const nothing = empty("");
  root.append(engine, nothing, h("h3", {}, "Who owns which channel"), channels, h("h3", {}, "Layers and their weights"), layers);

  const shade = (layer) => {
    if (!places.has(layer)) places.set(layer, places.size % SHADES);
    return places.get(layer);
  };
  const ask = () => {
    if (document.hidden || !desk.connected || desk.forbidden("WatchBlend") || desk.unhandled("WatchBlend")) return;
    // Looking is no decision of the operator's: it is not among what *oops* takes back.
    desk.sera.send("WatchBlend", { for_s: ASK_FOR_S, every_s: REPORT_EVERY_S }, { character: desk.character, expiresAfterS: 2 }).catch(() => {});
  };

  const show = eachFrame(() => {
    const report = reports.get(desk.character);
    const state = states.get(desk.character);
    const why = desk.unhandled("WatchBlend") ?? desk.forbidden("WatchBlend");
    nothing.hidden = Boolean(report);
    nothing.textContent = why ? `No blend to show: ${why}.` : `Waiting for the animation engine of ${desk.character ?? "the character"}.`;
    showEngine(engine, state);
    const weights = Object.entries(report?.layers ?? state?.layers ?? {});
    keyed(layers, weights, ([name]) => name, ([name]) => h("li", {}, h("i", { class: "key", data: { shade: shade(name) } }), h("span", {}, name), h("meter", { min: 0, max: 1, "aria-label": `Weight of ${name}` }), h("span", { class: "number" })),
      (item, [, weight]) => {
        item.children[2].value = weight;
        item.children[3].textContent = `${Math.round(100 * weight)} %`;
        item.classList.toggle("off", weight === 0);
      });
    keyed(channels, Object.entries(report?.channels ?? {}), ([name]) => name, ([name]) => h("li", {}, h("span", { class: "name" }, name), h("span", { class: "number" }), h("span", { class: "shares", role: "img" })), update);
  });

  function update(item, [name, { value, layers: shares }]) {
    const known = Object.entries(shares).filter(([, share]) => share > 0.005).sort(([, one], [, other]) => other - one);
    item.children[1].textContent = number(value, 2);
    const bar = item.children[2];
    const words = known.map(([layer, share]) => `${layer} ${Math.round(100 * share)} %`).join(", ") || "nobody";
    if (bar.getAttribute("aria-label") === `${name}: ${words}`) return;
    bar.setAttribute("aria-label", `${name}: ${words}`);
    bar.title = words;
    keyed(bar, known, ([layer]) => layer, ([layer]) => h("i", { data: { shade: shade(layer) } }, h("b", {}, layer)), (part, [, share]) => { part.style.width = `${100 * share}%`; });
  }

  const ends = [
    desk.sera.on("BlendReport", (report, { character }) => {
      reports.set(character, report);
      if (character === desk.character) show();
    }),
    desk.sera.on("EngineState", (state, { character }) => {
      states.set(character, state);
      if (character === desk.character) show();
    }),
    desk.on("character", () => { channels.replaceChildren(); show(); ask(); }),
    desk.on("presence", () => { show(); if (!reports.has(desk.character)) ask(); }),
    desk.sera.onStatus(show),
  ];
  const timer = setInterval(ask, ASK_EVERY_MS);
  ask();
  show();
  return () => {
    clearInterval(timer);
    for (const end of ends) end();
  };
}

function showEngine(list, state) {
  if (!state) {
    list.replaceChildren();
    return;
  }
  const rows = [["Program", state.program], ["Posture", state.posture ?? "–"], ["Playing", state.playing.join(", ") || "nothing"],
    ["Frames", `${Math.round(state.rate_hz)} a second, ${state.counts.late ?? 0} late, slowest ${number(state.slowest_frame_ms, 1)} ms`]];
  if (state.problem) rows.push(["Problem", state.problem]);
  keyed(list, rows, ([name]) => name, ([name]) => h("div", {}, h("dt", {}, name), h("dd", {})), (item, [, words]) => {
    if (item.lastChild.textContent !== words) item.lastChild.textContent = words;
  });
}
