/** The laboratory's own panels, from its `console.toml`: buttons in groups, colours, keys, locks. */

import { h, kbd, panel, svg } from "../lib/dom.js";
import { Controls } from "./controls.js";

const COLOURS = ["plain", "accent", "good", "warn", "bad"];

const MOST_PROBLEMS = 5;

/**
 * Show the panels of the layout; nothing where there is none.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showPanels(root, desk) {
  const controls = new Controls(desk);
  const { layout, layout_problems: known = [] } = desk.facts;
  const filled = (layout?.panels ?? []).filter(({ groups }) => groups.some(({ buttons }) => buttons.length));
  const panels = filled.map(({ title, groups }) => panel(title, { class: "custom" }, [],
    h("div", { class: "inside scroll groups", tabindex: "0", role: "group", "aria-label": title }, groups.map((group) => h("div", { role: "group", "aria-label": group.title || title },
      group.title && h("h3", {}, group.title), h("div", { class: "buttons" }, group.buttons.map((one) => button(desk, controls, title, one))))))));
  const mistakes = h("ul", { class: "inside scroll quietly", tabindex: "0", "aria-label": "Mistakes in console.toml" });
  const wrong = panel("console.toml has mistakes", { class: "custom" }, [], mistakes);
  function tell(problems) {
    mistakes.replaceChildren(...problems.slice(0, MOST_PROBLEMS).map((problem) => h("li", {}, inFile(problem))),
      ...(problems.length > MOST_PROBLEMS ? [h("li", {}, `and ${problems.length - MOST_PROBLEMS} more`)] : []));
    root.replaceChildren(...panels, ...(problems.length ? [wrong] : []));
  }
  tell(known);
  let open = true;
  // Sheets are read for the rest: the desk is there before.
  desk.ask("layout_findings").then(({ problems }) => open && problems.length && tell([...known, ...problems]), () => {});
  return () => {
    open = false;
    controls.close();
    root.replaceChildren();
  };
}

function button(desk, controls, group, { id, label, key, colour, type, data, character, confirm, locked, why }) {
  const whose = () => character ?? desk.character;
  const send = () => desk.order(type, data ?? {}, { character: whose() });
  const reason = locked ? `locked: ${why || "not for this wizard"}` : why;
  const shown = controls.button({
    id: `panel.${id}`, label, group, key: key ?? undefined, type, character: whose, class: "custom-button",
    why: () => reason ?? null, run: () => (confirm ? ask(label, confirm, send) : send()),
  });
  shown.dataset.colour = COLOURS.includes(colour) ? colour : "plain";
  if (locked) shown.prepend(padlock());
  return shown;
}

/** A problem without the folder: whoever reads it knows where the scenario is. */
const inFile = (problem) => problem.replace(/^.*[\\/](?=console\.toml)/, "");

function padlock() {
  return svg("svg", { class: "lock", viewBox: "0 0 12 14", role: "img", "aria-label": "locked" },
    svg("rect", { x: 1, y: 6, width: 10, height: 7, rx: 1.5 }), svg("path", { d: "M3 6V4a3 3 0 0 1 6 0v2" }));
}

/** Ask before it is done; the connection may be lost meanwhile, and the order is then held back. */
function ask(label, question, send) {
  if (document.querySelector("dialog[open]")) return;
  const yes = h("button", { type: "submit", class: "primary", value: "yes" }, label);
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": "confirm-question" },
    h("form", { method: "dialog", class: "stack" }, h("h1", { id: "confirm-question" }, typeof question === "string" ? question : `${label}?`),
      h("div", { class: "row" }, yes, h("button", { type: "submit", value: "no", class: "quiet" }, "No, leave it ", kbd("Esc")))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue === "yes") send();
  });
  document.body.append(dialog);
  dialog.showModal();
  yes.focus();
}
