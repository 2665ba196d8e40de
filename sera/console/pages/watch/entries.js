/** The timeline as a list: the newest entries first, each a button; for keyboard and screen reader. */

import { empty, h, keyed } from "../lib/dom.js";
import { clock } from "../lib/format.js";
import { ROWS } from "./moments.js";
import { sentenceOf } from "./words.js";

const SHOWN = 150;
const EVERY_MS = 500;
const TITLES = Object.fromEntries(ROWS.map(({ name, title }) => [name, title]));

/**
 * @param {import("./moments.js").Moments} moments
 * @param {(envelope: any) => void} choose
 */
export function entryList(moments, choose) {
  const list = h("ol", { class: "entries", "aria-label": "What happened, the newest first" });
  const nothing = empty("Nothing has happened yet: what is perceived, decided, said and done appears here.");
  const element = h("div", { class: "scroll entry-list", tabindex: "-1" }, nothing, list);
  let version = -1;
  let chosen = null;
  const show = () => {
    // Somebody who reads the list is not to lose the place.
    if (element.offsetParent === null || document.hidden || version === moments.version || element.contains(document.activeElement)) return;
    version = moments.version;
    const newest = moments.entries.filter(({ row }) => row).slice(-SHOWN).reverse();
    nothing.hidden = newest.length > 0;
    keyed(list, newest, ({ envelope }) => envelope.id, ({ envelope, row }) =>
      h("li", {}, h("button", { type: "button", class: "quiet", data: { id: envelope.id }, onclick: () => choose(envelope) },
        h("span", { class: "number" }, clock(envelope.time)), h("span", { class: "chip" }, TITLES[row]), h("span", { class: "what" }, sentenceOf(envelope)))),
    (item, { envelope }) => item.firstChild.setAttribute("aria-pressed", String(envelope.id === chosen)));
  };
  const timer = setInterval(show, EVERY_MS);
  return {
    element,
    show: () => { version = -1; show(); },
    mark(envelope) {
      chosen = envelope?.id ?? null;
      for (const button of list.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.id === chosen));
    },
    close: () => clearInterval(timer),
  };
}
