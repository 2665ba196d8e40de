/**
 * Live messages: filtered, paused with a key, one opened in full. At most `SHOWN` rows stand on
 * the page, and they change once a frame however many messages come.
 */

import { eachFrame, empty, field, h, kbd, keyed, panel } from "../lib/dom.js";
import { clock, summary } from "../lib/format.js";

const SHOWN = 150;
const QUIET_MS = 120;

/** @returns {{element: Element, close: () => void}} */
export function showMessages(desk, traffic) {
  const fields = Object.fromEntries(["type", "source", "character", "text"].map((name) => [name, h("input", { type: "search", autocomplete: "off", spellcheck: "false", size: 9 })]));
  const list = h("tbody");
  const table = h("table", { class: "live" }, h("thead", {}, h("tr", {}, ["Time", "Message", "Source", "For", "Content"].map((title) => h("th", { scope: "col" }, title)))), list);
  const place = h("div", { class: "scroll live-list", tabindex: "0", role: "region", "aria-label": "Live messages" }, table);
  const count = h("span", { class: "quietly number" });
  const pause = h("button", { type: "button", class: "small", "aria-pressed": "false", onclick: () => toggle() }, "Pause ", kbd("p"));
  const full = h("div", { class: "full", "aria-live": "polite" }, empty("Choose a message to see all of it and what led to it."));
  const element = panel("Messages", { class: "messages" }, [h("span", { class: "row push" }, count, pause)],
    h("div", { class: "row filters" }, field("Type", fields.type), field("Source", fields.source), field("Character", fields.character), field("Text", fields.text)), place, full);
  let paused = null;
  let chosen = null;
  let last = 0;
  let timer = 0;

  const wanted = () => {
    const [type, source, character, text] = ["type", "source", "character", "text"].map((name) => fields[name].value.trim().toLowerCase());
    return ({ data, envelope }) => (!type || envelope.type.toLowerCase().includes(type)) && (!source || envelope.source.toLowerCase().includes(source))
      && (!character || String(envelope.character).toLowerCase().includes(character)) && (!text || JSON.stringify(data).toLowerCase().includes(text));
  };

  function show() {
    last = performance.now();
    const from = paused ?? traffic.kept;
    const fits = wanted();
    const found = [];
    for (let at = from.length - 1; at >= 0 && found.length < SHOWN; at--) if (fits(from[at])) found.push(from[at]);
    if (!found.length) {
      const any = Object.values(fields).some(({ value }) => value.trim());
      place.replaceChildren(empty(any ? "No message fits these words." : "No message has come yet."));
    } else if (!table.isConnected) place.replaceChildren(table);
    keyed(list, found, ({ key }) => key, rowOf, update);
    const words = `${found.length} shown of ${traffic.total.toLocaleString("en")}${paused ? ", paused" : ""}`;
    if (count.textContent !== words) count.textContent = words;
  }

  const draw = eachFrame(show);
  /** Not more often than eyes can follow. */
  function soon() {
    if (timer || paused) return;
    timer = setTimeout(() => {
      timer = 0;
      if (!paused) draw();
    }, Math.max(0, QUIET_MS - (performance.now() - last)));
  }

  function rowOf({ key, stream }) {
    return h("tr", { class: stream ? "stream" : "" }, h("td", { class: "number" }),
      h("td", {}, h("button", { type: "button", class: "small", onclick: () => choose(key) })), h("td"), h("td"), h("td", { class: "words" }));
  }

  function update(row, entry) {
    if (row.__shown === entry.envelope && row.__chosen === (entry.key === chosen)) return;
    row.__shown = entry.envelope;
    row.__chosen = entry.key === chosen;
    const { envelope, data, times, stream } = entry;
    const [time, what, source, character, words] = row.children;
    time.textContent = clock(envelope.time);
    what.firstChild.textContent = stream ? `${envelope.type} ×${times}` : envelope.type;
    what.firstChild.setAttribute("aria-pressed", String(row.__chosen));
    source.textContent = envelope.own ? "this page" : envelope.source;
    character.textContent = envelope.character;
    words.textContent = summary(data, 120);
  }

  function choose(key) {
    chosen = key;
    const entry = traffic.kept.findLast((one) => one.key === key) ?? paused?.find((one) => one.key === key);
    if (!entry) return;
    const { envelope, data } = entry;
    const { id, type, time, source, character, cause } = envelope;
    const led = cause && traffic.find(cause);
    full.replaceChildren(
      h("div", { class: "row" }, h("strong", {}, type), h("span", { class: "quietly mono" }, id),
        cause ? (led ? h("button", { type: "button", class: "small", onclick: () => choose(led.key) }, `caused by ${led.envelope.type}`) : h("span", { class: "quietly mono" }, `caused by ${cause}`)) : h("span", { class: "quietly" }, "no cause was given")),
      h("pre", { class: "mono", tabindex: "0", "aria-label": "The message in full" }, JSON.stringify({ type, id, time, source, character, cause, data }, null, 1)));
    show();
  }

  function toggle() {
    paused = paused ? null : [...traffic.kept];
    pause.setAttribute("aria-pressed", String(Boolean(paused)));
    pause.firstChild.textContent = paused ? "Go on " : "Pause ";
    show();
  }

  for (const input of Object.values(fields)) input.addEventListener("input", show);
  const offs = [
    traffic.onMessage(soon),
    desk.commands.add({ id: "bus.pause", title: "Pause or go on with live messages", group: "Bus", key: "p", run: toggle }),
    desk.commands.add({ id: "bus.filter", title: "Filter messages by type", group: "Bus", key: "/", run: () => fields.type.focus() }),
  ];
  show();
  return {
    element,
    close: () => {
      clearTimeout(timer);
      offs.forEach((off) => off());
    },
  };
}
