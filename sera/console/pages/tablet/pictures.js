/** Pictures to choose from: the server says what is in them, this page draws it. */

import { h, svg } from "../lib/dom.js";

const FILLS = { none: "none", ink: "currentColor", paper: "var(--paper)" };

/**
 * A picture as the server describes it (`sera.study.drawings`); whoever cannot see it is told in
 * words elsewhere.
 *
 * @param {{ width: number, height: number, shapes: object[] }} drawing
 */
export function picture({ width, height, shapes }) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" }, shapes.map(shape));
}

function shape(one) {
  const line = { fill: FILLS[one.fill], stroke: "currentColor", "stroke-width": one.width, "stroke-linejoin": "round", "stroke-linecap": "round" };
  if (one.shape === "circle") return svg("circle", { cx: one.x, cy: one.y, r: one.radius, ...line });
  if (one.shape === "path") return svg("path", { d: one.d, ...line });
  return svg("text", { x: one.x, y: one.y, "font-size": one.size, "text-anchor": "middle", fill: "currentColor" }, one.text);
}

/** A scale whose points are pictures; the number goes into the data. */
export function pictureScale(item, value, changed) {
  const { points, anchors = [] } = item;
  const every = anchors.length === points && points > 2;
  const name = (point) => (every ? anchors[point - 1] : point === 1 ? anchors[0] : point === points ? anchors.at(-1) : "") ?? "";
  const shown = item.pictures.map(({ drawing, spoken }, place) => {
    const point = place + 1;
    return h("label", { class: "picture" },
      h("input", { type: "radio", name: item.id, value: point, checked: value === point, onchange: () => changed(point) }),
      h("span", { class: "frame" }, picture(drawing)),
      h("span", { class: "unseen" }, [spoken, name(point)].filter(Boolean).join(": ")));
  });
  const ends = every || !anchors.length ? null : h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, anchors[0]), h("span", {}, anchors.at(-1)));
  return h("div", { class: "scale", role: "radiogroup", "aria-labelledby": "item-text", "aria-describedby": "item-help", data: { many: points > 5, shape: item.shape } },
    h("div", { class: "pictures" }, shown), ends);
}
