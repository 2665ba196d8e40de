/** Phase and timer in the bar, the same on every page. */

import { h } from "./dom.js";
import { duration } from "./format.js";

/** Show where the session stands; nothing where no study runs. */
export function showSession(root, desk) {
  let state = null;
  const phase = h("span", { class: "chip", data: { kind: "accent" } });
  const timer = h("span", { class: "number", role: "timer", "aria-label": "Time in this step" });
  const show = () => {
    const step = state?.steps.find(({ status }) => status === "under_way");
    if (!state?.session) {
      root.replaceChildren();
      return;
    }
    if (!root.firstChild) root.replaceChildren(phase, timer);
    phase.textContent = `${state.participant ?? ""} · ${step ? step.title : "between steps"}`;
    if (state.paused) timer.textContent = "paused";
    else if (state.step_began_s !== null && state.step_began_s !== undefined) {
      const spent = desk.now() - state.step_began_s;
      const planned = step?.planned_s;
      timer.textContent = planned ? `${duration(spent)} / ${duration(planned)}` : duration(spent);
      timer.classList.toggle("late", Boolean(planned && spent > planned));
    } else timer.textContent = "";
  };
  desk.sera.on("SessionState", (message) => {
    state = message;
    show();
  });
  setInterval(show, 500);
}
