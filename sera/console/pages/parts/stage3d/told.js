/**
 * The room in words, for screen readers and for whoever has no 3-D view: a list of what is where,
 * brought up to date calmly, and a quiet word when somebody comes, leaves or is looked at.
 */

import { h, keyed } from "../../lib/dom.js";

import { matterOf } from "../../lib/gaze_words.js";

const EVERY_MS = 2000;

/** `1.2 m ahead, 0.4 m left, 1.1 m high` */
export function placeInWords([x, y, z]) {
  const part = (value, positive, negative) => (Math.abs(value) < 0.05 ? "" : `${Math.abs(value).toFixed(1)} m ${value > 0 ? positive : negative}`);
  return [part(z, "ahead", "behind"), part(x, "left", "right"), part(y, "high", "below the origin")].filter(Boolean).join(", ") || "at the origin";
}

/** What there is to say, as `[key, sentence]`. */
export function sentencesOf(world) {
  const told = [];
  for (const { name, robot, position_m, gaze, looks: state } of world.characters.values()) {
    const matter = matterOf(state);
    const looks = gaze?.target ? `; looks at ${gaze.target}${matter ? `, ${matter}` : ""}` : "";
    told.push([`character ${name}`, `${name}${robot ? ` (${robot})` : ", without a body"}: ${placeInWords(position_m)}${looks}`]);
  }
  for (const { id, name, position_m, looks_at, speaking, seen } of world.people.values()) {
    const words = [position_m ? placeInWords(position_m) : "place unknown", looks_at && `looks at ${looks_at}`, speaking && "speaks", !seen && "expected, not seen"];
    told.push([`person ${id}`, `${name ?? id}: ${words.filter(Boolean).join("; ")}`]);
  }
  for (const [kind, word] of [["screens", "screen"], ["seats", "seat"], ["objects", "object"], ["cameras", "camera"]]) {
    for (const [name, one] of Object.entries(world.space[kind] ?? {})) told.push([`${word} ${name}`, `${word} ${name}: ${placeInWords(one.position_m)}`]);
  }
  return told;
}

/** In one sentence, for the picture's label. */
export function inShort(world) {
  const people = [...world.people.keys()];
  const robots = [...world.characters.keys()];
  const list = (names, none) => (names.length ? names.slice(0, 8).join(", ") + (names.length > 8 ? ` and ${names.length - 8} more` : "") : none);
  return `The room in 3-D: ${list(robots, "no characters")}; people: ${list(people, "nobody")}.`;
}

/**
 * @param {import("./world.js").World} world
 * @param {(summary: string) => void} onChange
 */
export function tellRoom(world, onChange) {
  const list = h("ul", {});
  const news = h("p", { "aria-live": "polite" });
  const element = h("div", { class: "unseen", role: "group", "aria-label": "What is where" }, news, list);
  let before = new Map();
  let [summary, said] = ["", false];
  const tell = () => {
    const told = sentencesOf(world);
    keyed(list, told, ([key]) => key, () => h("li", {}), (item, [, words]) => { if (item.textContent !== words) item.textContent = words; });
    const now = new Map();
    for (const { name, gaze } of world.characters.values()) if (gaze?.target) now.set(`gaze ${name}`, `${name} looks at ${gaze.target}`);
    for (const { id, name } of world.people.values()) now.set(`person ${id}`, `${name ?? id} is there`);
    const changes = [...now].filter(([key, words]) => before.get(key) !== words).map(([, words]) => words);
    for (const key of before.keys()) if (!now.has(key) && key.startsWith("person ")) changes.push(`${key.slice(7)} has left`);
    if (said && changes.length) news.textContent = changes.slice(0, 4).join(". ");
    [before, said] = [now, true];
    const short = inShort(world);
    if (short !== summary) onChange(summary = short);
  };
  tell();
  const timer = setInterval(() => { if (!document.hidden) tell(); }, EVERY_MS);
  return { element, tell, close: () => clearInterval(timer) };
}
