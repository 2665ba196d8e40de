/** A picture of a screen of the room: a click, or the arrow keys and Enter, say where to look. */

import { h, svg } from "../lib/dom.js";
import { pixels } from "./looking.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 1 / 24;
const LARGE_STEP = 1 / 6;

/**
 * Show a screen in its proportions.
 *
 * @param {string} name
 * @param {{pixels: [number, number], width_m: number, height_m: number}} screen
 * @param {(point: {screen: string, x_px: number, y_px: number}) => void} look
 * @returns {HTMLElement} a figure; its `.focus()` puts the keys on the picture
 */
export function screenPicture(name, screen, look) {
  const [width, height] = screen.pixels;
  const cross = { x: width / 2, y: height / 2 };
  const arm = Math.max(width, height) / 30;
  const lines = [svg("path", { class: "cross halo" }), svg("path", { class: "cross" })];
  const last = svg("circle", { class: "last", r: arm / 2.5, cx: -2 * arm, cy: -2 * arm });
  const said = h("span", { class: "unseen", role: "status" });
  const grid = [1, 2, 3].map((part) => `M${(width * part) / 4} 0V${height}M0 ${(height * part) / 4}H${width}`).join("");
  const drawn = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, tabindex: "0", role: "application", "aria-roledescription": "picture of a screen",
    "aria-label": `Screen ${name}: arrow keys move the cross, Enter looks there`,
  }, svg("rect", { class: "face", width, height }), svg("path", { class: "grid", d: grid }), last, lines);

  const show = () => {
    for (const line of lines) line.setAttribute("d", `M${cross.x - arm} ${cross.y}h${2 * arm}M${cross.x} ${cross.y - arm}v${2 * arm}`);
  };
  const go = () => {
    last.setAttribute("cx", String(cross.x));
    last.setAttribute("cy", String(cross.y));
    look(pixels(name, screen, cross));
  };
  drawn.addEventListener("click", (event) => {
    const { left, top, width: wide, height: high } = drawn.getBoundingClientRect();
    cross.x = ((event.clientX - left) / wide) * width;
    cross.y = ((event.clientY - top) / high) * height;
    show();
    go();
  });
  drawn.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step) {
      const far = event.shiftKey ? LARGE_STEP : STEP;
      cross.x = Math.min(width, Math.max(0, cross.x + step[0] * far * width));
      cross.y = Math.min(height, Math.max(0, cross.y + step[1] * far * height));
      show();
      said.textContent = `${Math.round((100 * cross.x) / width)} % from the left, ${Math.round((100 * cross.y) / height)} % from above`;
    } else if (event.key === "Enter" || event.key === " ") go();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  show();
  // The picture's proportions are those of the surface: pixels need not be square.
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.style.setProperty("aspect-ratio", `${screen.width_m} / ${screen.height_m}`);
  const figure = h("figure", { class: "screen-picture" }, drawn, h("figcaption", { class: "quietly" }, name), said);
  figure.focus = () => drawn.focus();
  return figure;
}
