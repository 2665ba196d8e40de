/** What the checks before the session have found: a line each, the worst ones first. */

import { h } from "../lib/dom.js";

const KINDS = { green: "good", amber: "warn", red: "bad", grey: "" };
const ORDER = ["red", "amber", "green", "grey"];

/** The last one that came: it is brought once, and the page may be opened again. */
let last = null;

/** @returns {{close: () => void}} */
export function showPreflight(root, desk, frame) {
  const show = ({ checks, overridden }) => {
    frame.hidden = checks.length === 0;
    const sorted = [...checks].sort((one, other) => ORDER.indexOf(one.colour) - ORDER.indexOf(other.colour));
    const overruled = overridden ? [h("p", { class: "quietly" }, "The session was begun although a check was red.")] : [];
    root.replaceChildren(...overruled,
      h("ul", { class: "checks" }, sorted.map(({ check, colour, sentence, advice }) => h("li", { data: { colour } },
        h("span", { class: "dot", data: { kind: KINDS[colour] ?? "" }, "aria-hidden": "true" }),
        h("span", {}, h("strong", {}, `${check} (${colour}): `), sentence, advice && (colour === "red" || colour === "amber") && h("span", { class: "quietly" }, ` ${advice}`))))));
  };
  frame.hidden = true;
  if (last) show(last);
  const off = desk.sera.on("PreflightReport", (report) => {
    last = report;
    show(report);
  });
  return { close: off };
}
