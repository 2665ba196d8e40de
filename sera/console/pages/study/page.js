/** Study: leads through a session, with notes, marks, the participant's tablet and progress. */

import { eachFrame, h, panel } from "../lib/dom.js";
import { showClock } from "./clock.js";
import { showControls } from "./controls.js";
import { help } from "./help.js";
import { showMarks } from "./marks.js";
import { showPreflight } from "./preflight.js";
import { standing } from "./session.js";
import { showSteps } from "./steps.js";
import { showTablet } from "./tablet.js";

const GUIDE_COMES_MS = 1200;

/** Open the page. */
export async function open(root, desk) {
  let told = await desk.ask("study");
  let { state, form } = told;
  let session = state?.session ?? null;
  let parts = null;
  const now = () => standing(state, form, told.plan);

  const draw = eachFrame(() => parts?.forEach(({ update }) => update?.()));
  const build = () => {
    if (parts) return;
    parts = [];
    root.replaceChildren();
    layOut(root, desk, { now, state: () => state, form: () => form, plan: () => told.plan, before: told.set_marks }, parts);
  };
  const showHelp = () => {
    if (!parts) root.replaceChildren(h("h1", { class: "unseen" }, "Study"), help(told));
  };
  const offs = [
    desk.sera.on("SessionState", async (message) => {
      const begins = message.session && message.session !== session;
      state = message;
      session = message.session;
      build();
      draw();
      if (!begins) return;
      // A session goes by the study file as it was when it began.
      told = await desk.ask("study").catch(() => told);
      draw();
    }),
    desk.sera.on("FormOffered", (message) => {
      form = message;
      draw();
    }),
    desk.sera.on("ModuleFault", (fault, { source }) => {
      const guides = desk.presence.get(source)?.handles.includes("GuideSession");
      if (!guides || !fault.about || !desk.isWizard) return;
      parts?.forEach(({ update }) => update?.()); // the guide has answered: the next press counts
      desk.toast(fault.summary, "warn");
    }),
    desk.on("presence", draw),
    desk.sera.onStatus(draw),
  ];
  // Where somebody guides, its State is brought at once; the help would only flicker.
  if (state) {
    build();
    draw();
  }
  const timer = setTimeout(showHelp, told.guided && told.plan && !told.problems.length ? GUIDE_COMES_MS : 0);
  return () => {
    clearTimeout(timer);
    offs.forEach((off) => off());
    parts?.forEach(({ close }) => close?.());
  };
}

function layOut(root, desk, { now, state, form, plan, before }, parts) {
  const clockRoot = h("div", { class: "clock" });
  const controls = h("div", { class: "stack inside" });
  const finished = h("p", { class: "finished", role: "status" });
  const steps = h("div", { class: "inside" });
  const marks = h("div", { class: "inside stack" });
  const tablet = h("div", { class: "inside stack" });
  const progress = h("div", { class: "inside stack" });
  const checks = h("div", { class: "inside stack" });
  const checksPanel = panel("Checks before the session", { class: "preflight" }, [], checks);
  const deviations = h("span", { class: "chip push" });
  root.append(h("h1", { class: "unseen" }, "Study"),
    h("div", { class: "study-columns" },
      h("div", { class: "stack main" }, panel("Session", { class: "session" }, [deviations], clockRoot, finished, controls), panel("Notes and marks", {}, [], marks)),
      h("div", { class: "stack side" }, panel("Steps", {}, [], steps), panel("Study", {}, [], progress), panel("Tablet", {}, [], tablet), checksPanel)));
  parts.push(showClock(clockRoot, desk, now, state), showControls(controls, desk, now, plan), showSteps(steps, now, plan));
  parts.push(showPreflight(checks, desk, checksPanel));
  const shownMarks = showMarks(marks, desk, () => state()?.session ?? null, before);
  let kinds = null;
  parts.push({
    update() {
      const wanted = plan()?.marks ?? [];
      if (kinds !== wanted) shownMarks.setKinds(wanted);
      kinds = wanted;
      shownMarks.update();
    },
    close: shownMarks.close,
  });
  parts.push(showTablet(tablet, desk, now, form), { update: () => {
    const { session, deviations: count = 0, steps: all = [] } = state() ?? {};
    deviations.textContent = count === 1 ? "1 deviation" : `${count} deviations`;
    deviations.dataset.kind = count ? "warn" : "";
    deviations.hidden = !session;
    finished.hidden = Boolean(session);
    const over = all.length ? all.some(({ status }) => status === "aborted") ? "The last session was aborted." : "The last session is complete." : "";
    finished.textContent = `${over} ${desk.isWizard ? `Begin ${over ? "the next one" : "a session"} when the participant is there.` : "The wizard begins the next one."}`.trim();
    showProgress(progress, state());
  } });
}

function showProgress(root, state) {
  const { study, sessions_done: done = 0, sessions_planned: planned = null, revealed = {} } = state ?? {};
  root.replaceChildren(h("div", { class: "stack" },
    h("p", {}, h("strong", {}, study ?? "")),
    h("p", { class: "number" }, planned ? `${done} of ${planned} sessions done` : `${done} sessions done`),
    planned && h("progress", { value: Math.min(done, planned), max: planned, "aria-label": "Sessions done" }),
    Object.entries(revealed).map(([name, words]) => h("p", {}, h("span", { class: "quietly" }, `${name}: `), words))));
}
