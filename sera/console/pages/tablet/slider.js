/** A line with a mark on it, which counts as unanswered until somebody has touched it. */

import { h } from "../lib/dom.js";

export function slider(item, value, changed, words) {
  const { least, most, step, anchors = [] } = item;
  const middle = least + step * Math.round((most - least) / step / 2);
  const hint = h("span", { class: "hint" }, value === undefined ? words.move : "");
  const set = ({ target }) => {
    target.dataset.set = "true";
    target.setAttribute("aria-valuetext", target.value);
    hint.textContent = "";
    changed(Number(target.value));
  };
  const input = h("input", {
    type: "range", min: least, max: most, step, class: "slide", data: { set: value !== undefined },
    "aria-labelledby": "item-text", "aria-describedby": "item-ends item-help", "aria-valuetext": value === undefined ? words.notYet : value,
    // The middle, where the mark stands at first, can be meant too: then nothing is "input".
    oninput: set, onclick: set, onpointerup: set, ontouchend: set,
    onkeydown: (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      set(event);
    },
  });
  input.value = value ?? middle;
  const ticks = Array.from({ length: Math.min(101, Math.round((most - least) / step) + 1) }, () => h("i", {}));
  return h("div", { class: "slider" }, h("div", { class: "track" }, h("div", { class: "ticks", "aria-hidden": "true" }, ticks), input),
    h("div", { class: "ends", id: "item-ends" }, h("span", {}, anchors[0] ?? least), hint, h("span", {}, anchors.at(-1) ?? most)));
}
