/** All steps of the session with what became of them. */

import { h, keyed } from "../lib/dom.js";
import { duration } from "../lib/format.js";
import { phaseTitles } from "./session.js";

const WORDS = { to_come: "to come", done: "done", skipped: "skipped", aborted: "aborted", under_way: "now" };
const KINDS = { done: "good", skipped: "warn", aborted: "bad", under_way: "accent" };

/** @returns {{update: () => void}} */
export function showSteps(root, now, plan) {
  const list = h("ol", { class: "steps", "aria-label": "Steps of the session" });
  root.append(list);
  return {
    update() {
      const { steps, place, interrupted, running } = now();
      const titles = phaseTitles(plan());
      const shown = steps.length ? steps : plannedOnly(plan());
      let phase = null;
      const lines = shown.map((step, number) => {
        const first = step.phase !== phase && titles.get(step.phase);
        phase = step.phase;
        return { ...step, number, heading: first || "", isNow: running && number === place, stands: running && number === interrupted };
      });
      keyed(list, lines, ({ number, step }) => `${number} ${step}`, make, update);
      list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    },
  };
}

function plannedOnly(plan) {
  return (plan?.phases ?? []).flatMap((phase) => phase.steps.map((step) => ({ ...step, phase: phase.name, step: step.name, status: "to_come" })));
}

function make() {
  return h("li", {}, h("h3", {}), h("div", { class: "step" }, h("span", { class: "name" }), h("span", { class: "time number" }), h("span", { class: "chip" })));
}

function update(element, step) {
  const [heading, line] = element.children;
  const [name, time, chip] = line.children;
  heading.textContent = step.heading;
  heading.hidden = !step.heading;
  name.textContent = step.title;
  const took = step.status !== "under_way" && step.took_s !== null && step.took_s !== undefined ? duration(step.took_s) : "";
  const planned = step.planned_s ? duration(step.planned_s) : "";
  time.textContent = took && planned ? `${took} of ${planned}` : took || planned;
  chip.textContent = step.stands ? "interrupted" : WORDS[step.status];
  chip.dataset.kind = step.stands ? "warn" : KINDS[step.status] ?? "";
  element.dataset.status = step.status;
  if (step.isNow) element.setAttribute("aria-current", "step");
  else element.removeAttribute("aria-current");
}
