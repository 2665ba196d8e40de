/** The step under way and its time, large enough to be read from two metres away. */

import { h } from "../lib/dom.js";
import { duration } from "../lib/format.js";
import { spent, timing } from "./session.js";

/** @returns {{update: () => void, close: () => void}} */
export function showClock(root, desk, now, state) {
  const title = h("p", { class: "step-title" });
  const digits = h("p", { class: "digits number", role: "timer", "aria-label": "Time in this step" });
  const against = h("p", { class: "against" });
  const late = h("p", { class: "unseen", role: "status" });
  const note = h("p", { class: "step-note" });
  const whole = h("p", { class: "quietly number" });
  const participant = h("p", { class: "participant" });
  root.append(participant, title, digits, against, note, whole, late);

  const tick = () => {
    const { running, step, planned, paused } = now();
    if (!running || !step) return;
    const seconds = spent(state(), step, desk.now());
    const late_s = planned?.late_after_s ?? step.planned_s;
    const { kind, words } = timing(seconds, step.planned_s, late_s);
    write(digits, duration(seconds));
    const plan = step.planned_s ? `of ${duration(step.planned_s)} · ` : "";
    write(against, `${plan}${paused ? "paused" : words}`);
    root.dataset.kind = paused ? "paused" : kind;
    write(late, kind === "bad" && !paused ? `The step ${step.title} is late.` : "");
    const began = state().session_began_s;
    write(whole, began === null || began === undefined ? "" : `${duration(desk.now() - began)} since the session began`);
  };
  const timer = setInterval(tick, 250);
  return {
    update() {
      const { running, step, planned, isExtra, formWaits, formAnswered } = now();
      root.hidden = !running;
      if (!running) return;
      const kind = state().session_kind;
      write(participant, `Participant ${state().participant}${kind ? ` · ${kind}` : ""}`);
      write(title, step ? `${isExtra ? "Extra: " : ""}${step.title}` : "Between steps");
      const form = formWaits ? "The form is on the tablet." : formAnswered ? "The form was handed in." : "";
      write(note, [planned?.note, form].filter(Boolean).join(" "));
      tick();
    },
    close: () => clearInterval(timer),
  };
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
