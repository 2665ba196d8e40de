/**
 * What the robot perceives, in words: people, what was heard, clicks, markers, and how its senses are.
 *
 * Calm on purpose: entries keep their places, what has just changed is tinted for a moment, and everything
 * is drawn at most once a frame however many messages come.
 */

import { eachFrame, h, keyed, panel } from "../lib/dom.js";
import { ago, summary } from "../lib/format.js";
import { PERCEIVED, Perceived, whereSeen } from "./perceived.js";

const FRESH_S = 1.5;
const AGES_EVERY_MS = 500;
const ENGAGEMENT = {
  engaged: ["good", "engaged"], engaging: ["accent", "engaging"], disengaging: ["warn", "turning away"], disengaged: ["", "not engaged"],
};
const SENSE = { ok: ["good", "well"], degraded: ["warn", "doubtful"], lost: ["bad", "lost"], missing: ["bad", "missing"] };
const SENSE_NAMES = { camera: "Camera", microphone: "Microphone", markers: "Markers", speech: "Recogniser", other: "Sensor" };

/**
 * Show the perceptions; returns a function that closes them.
 *
 * @param {Element} root
 * @param {any} desk
 */
export function showPerceptions(root, desk) {
  desk.style("room");
  const perceived = new Perceived();
  const parts = {
    people: part("People", "Nobody is seen."),
    heard: part("Heard", "Nothing was heard yet."),
    touched: part("Clicks and keys", ""),
    markers: part("Markers", ""),
    others: part("Also perceived", ""),
    senses: part("Senses", "No camera or microphone has reported yet."),
  };
  const shown = panel("What the robot perceives", { class: "perceptions", tabindex: "0" }, [], ...Object.values(parts).map(({ root: one }) => one));
  root.append(shown);

  const draw = eachFrame(() => {
    const now_s = desk.now();
    const robot = desk.facts.characters[desk.character];
    show(parts.people, [...perceived.people.values()], now_s, (one) => person(one, perceived.speaker, robot), false);
    show(parts.heard, perceived.heard, now_s, words);
    show(parts.touched, perceived.touched, now_s, touch);
    show(parts.markers, [...perceived.markers.values()], now_s, (one) => marker(one, robot), false);
    show(parts.others, perceived.others, now_s, other);
    show(parts.senses, [...perceived.senses.values()], now_s, sense, false);
    const voice = perceived.voice;
    parts.heard.note.textContent = voice ? `${voice.person ?? "somebody"} speaks${voice.side ? ` (${voice.side})` : ""}` : "";
    parts.heard.note.hidden = !voice;
    parts.heard.none.hidden ||= Boolean(voice);
  });

  // A scenario may have perceptions of its own; what the robot knows belongs before the Wizard's eyes.
  const own = Object.entries(desk.sera.hello.may_receive ?? {})
    .filter(([type, { kind, stream }]) => kind === "perception" && !stream && !PERCEIVED.includes(type)).map(([type]) => type);
  const ends = [...PERCEIVED, ...own].map((type) => desk.sera.on(type, (data, envelope) => {
    perceived.take(type, data, envelope);
    draw();
  }));
  ends.push(desk.on("character", draw));
  const timer = setInterval(draw, AGES_EVERY_MS);
  draw();
  return () => {
    clearInterval(timer);
    for (const end of ends) end();
    shown.remove();
  };
}

function part(title, none) {
  const list = h("ul", { "aria-label": title });
  const note = h("span", { class: "chip", data: { kind: "accent" }, hidden: true });
  const without = h("p", { class: "none" }, none);
  const root = h("div", { class: "part" }, h("h3", {}, title, " ", note), list, without);
  return { root, list, note, none: without, always: Boolean(none) };
}

/** Bring a part up to date; `aged`: its entries are moments, so that their age is that of the moment. */
function show({ root, list, none, always }, entries, now_s, describe, aged = true) {
  root.hidden = !always && !entries.length;
  none.hidden = Boolean(entries.length);
  list.hidden = !entries.length; // an empty list says nothing to who hears the page
  keyed(list, entries, ({ key }) => key, () => h("li", {}, h("span", { class: "dot" }), h("span", { class: "what" }), h("span", { class: "when number" })), (element, entry) => {
    const [dot, what, when] = element.children;
    const { kind, strong, rest, faint } = describe(entry);
    const signature = JSON.stringify([kind, strong, rest, faint]);
    if (element.__shown !== signature) {
      element.__shown = signature;
      if (kind) dot.dataset.kind = kind;
      else delete dot.dataset.kind;
      what.replaceChildren(h("strong", {}, strong), rest ? ` ${rest}` : "", faint ? h("span", { class: "part-of" }, ` · ${faint}`) : "");
    }
    element.classList.toggle("fresh", now_s - entry.changed_s < FRESH_S);
    const age = ago(Math.max(0, now_s - (aged ? entry.at_s : entry.changed_s)));
    if (when.textContent !== age) when.textContent = age;
  });
}

function person({ person: name, seen, speaking, looks_at, engagement, position }, speaker, robot) {
  const [kind, word] = ENGAGEMENT[engagement] ?? ["", ""];
  const doing = [
    word,
    speaking || name === speaker ? (name === speaker ? "speaks, has the floor" : "speaks") : "",
    looks_at ? `looks at ${looks_at}` : "",
  ].filter(Boolean).join(", ");
  const where = whereSeen(position, robot);
  return { kind, strong: name, rest: doing, faint: [where, seen === false ? "not seen, expected" : ""].filter(Boolean).join("; ") };
}

function words({ text, person: who, confidence, final }) {
  const sure = confidence < 0.995 ? `${Math.round(confidence * 100)} % sure` : "";
  return { kind: final ? "good" : "", strong: `“${text}${final ? "" : " …"}”`, rest: who ? `said ${who}` : "", faint: sure };
}

function touch({ what, person: who }) {
  return { kind: "accent", strong: who ?? "Somebody", rest: what, faint: "" };
}

function other({ type, data }) {
  const words = type.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return { kind: "accent", strong: words.charAt(0).toUpperCase() + words.slice(1), rest: summary(data, 80), faint: "" };
}

function marker({ marker: name, position, there }, robot) {
  return { kind: there ? "good" : "", strong: name, rest: there ? "" : "out of sight", faint: whereSeen(position, robot) };
}

function sense({ sense: name, status, problem, device, rate_hz, delay_s }) {
  const [kind, word] = SENSE[status] ?? ["", status];
  const numbers = [device, status === "ok" && rate_hz ? `${Math.round(rate_hz)} a second` : "", status === "ok" && delay_s != null ? `${Math.round(delay_s * 1000)} ms` : ""].filter(Boolean).join(", ");
  return { kind, strong: SENSE_NAMES[name] ?? name, rest: problem ? `${word}: ${problem}` : word, faint: numbers };
}
