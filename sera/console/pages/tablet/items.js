/** The items of a form: how each kind is shown, read and checked. */

import { h } from "../lib/dom.js";
import { pictureScale } from "./pictures.js";
import { slider } from "./slider.js";

const LONGEST_TEXT = 10_000;

/**
 * Show a question, something to agree to, or something to read.
 *
 * @param {object} item - see `GET /console/api/forms/<name>`
 * @param {any} value - what was answered before
 * @param {(value: any) => void} changed - told of every change
 * @param {object} words - the page's own words
 */
export function showItem(item, value, changed, words) {
  const optional = item.required || item.kind === "info" ? "" : item.kind === "agreement" ? words.noNeed : words.optional;
  const help = h("p", { class: "help", id: "item-help" }, [item.help, optional].filter(Boolean).join(" "));
  const makers = { scale, picture_scale: pictureScale, slider, choice: options, multiple: options, number, text, agreement, info: () => null };
  return [...heading(item), ...(item.body ?? []).map((part) => h("p", { class: "paragraph" }, part)), help, makers[item.kind](item, value, changed, words)];
}

/** What is asked. Of two opposites the instruction is what people read; they stand at the scale. */
function heading({ differential, instruction, text: asked }) {
  const title = (...inside) => h("h1", { class: "item-text", id: "item-text", tabindex: "-1" }, ...inside);
  if (differential && instruction) return [title(instruction, h("span", { class: "unseen" }, ` ${asked}`))];
  return [instruction && h("p", { class: "instruction" }, instruction), title(asked)];
}

function scale(item, value, changed) {
  const { points, anchors = [], differential } = item;
  const every = anchors.length === points && points > 2;
  const name = (point) => (every ? anchors[point - 1] : point === 1 ? anchors[0] : point === points ? anchors.at(-1) : "");
  const buttons = Array.from({ length: points }, (_, place) => place + 1).map((point) =>
    h("label", { class: "point" },
      h("input", { type: "radio", name: item.id, value: point, checked: value === point, onchange: () => changed(point) }),
      h("span", { class: "face" }, point),
      h("span", { class: every ? "anchor" : "unseen" }, name(point))));
  const ends = every ? null : h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, anchors[0] ?? ""), h("span", {}, anchors.at(-1) ?? ""));
  return h("div", { class: "scale", role: "radiogroup", "aria-labelledby": "item-text", "aria-describedby": "item-help", data: { every, opposites: Boolean(differential), many: points > 9 } },
    differential && ends, h("div", { class: "points" }, buttons), !differential && ends);
}

function agreement(item, value, changed, words) {
  return h("div", { class: "options" }, h("label", { class: "option" },
    h("input", { type: "checkbox", name: item.id, checked: value === true, "aria-describedby": "item-text item-help", onchange: ({ target }) => changed(target.checked) }),
    h("span", {}, words.agree)));
}

function options(item, value, changed) {
  const several = item.kind === "multiple";
  const chosen = new Set(several ? value ?? [] : []);
  const shown = item.choices.map(({ key, text: words }) => h("label", { class: "option" },
    h("input", {
      type: several ? "checkbox" : "radio", name: item.id, value: key, checked: several ? chosen.has(key) : value === key,
      onchange: ({ target }) => {
        if (!several) return changed(key);
        if (target.checked) chosen.add(key);
        else chosen.delete(key);
        return changed([...chosen]);
      },
    }), h("span", {}, words)));
  return h("div", { class: "options", role: several ? "group" : "radiogroup", "aria-labelledby": "item-text", "aria-describedby": "item-help" }, shown);
}

function number(item, value, changed) {
  return h("input", { class: "typed", type: "text", inputmode: item.whole ? "numeric" : "decimal", maxlength: 20, autocomplete: "off", value: value ?? "",
    "aria-labelledby": "item-text", "aria-describedby": "item-help problem", oninput: ({ target }) => changed(target.value) });
}

function text(item, value, changed) {
  return h("textarea", { class: "typed", rows: 6, maxlength: LONGEST_TEXT, value: value ?? "",
    "aria-labelledby": "item-text", "aria-describedby": "item-help problem", oninput: ({ target }) => changed(target.value) });
}

/** What is wrong with an answer, in a sentence; null: nothing. */
export function problemOf(item, value, words) {
  if (item.kind === "info") return null;
  if (item.kind === "agreement") return item.required && value !== true ? words.mustAgree : null;
  const given = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && String(value).trim() !== "";
  if (!given) return item.required ? words.required : null;
  if (item.kind !== "number") return null;
  const read = toNumber(value);
  if (read === null) return words.number;
  if (item.whole && !Number.isInteger(read)) return words.whole;
  if (item.least !== null && read < item.least) return words.least(item.least);
  if (item.most !== null && read > item.most) return words.most(item.most);
  return null;
}

function toNumber(value) {
  const written = String(value).trim().replace(",", ".");
  return /^[+-]?\d+(\.\d+)?$/.test(written) ? Number(written) : null;
}

/** The answers as they are handed in: closed ones, and what was typed. */
export function answersOf(items, given) {
  const answers = {};
  const free = {};
  for (const item of items) {
    const value = given[item.id];
    if (item.kind === "info") continue;
    if (item.kind === "text") {
      if (String(value ?? "").trim()) free[item.id] = String(value).slice(0, LONGEST_TEXT);
    } else if (item.kind === "multiple") {
      for (const { key } of item.choices) answers[`${item.id}.${key}`] = value === undefined ? null : value.includes(key);
    } else if (item.kind === "agreement") answers[item.id] = value === true;
    else if (item.kind === "number") answers[item.id] = value === undefined ? null : toNumber(value);
    else answers[item.id] = value ?? null;
  }
  return { answers, free_answers: free };
}
