/** The buttons that move a session on, each with its key. */

import { field, h, kbd } from "../lib/dom.js";
import { askFirst } from "./dialogs.js";

const ANSWER_MS = 1500;
const OTHER = "";

/**
 * Show them; `now()` gives where the session stands (see session.js).
 *
 * @returns {{update: () => void, close: () => void}}
 */
export function showControls(root, desk, now, plan) {
  let waiting = -Infinity;
  const forbidden = () => desk.forbidden("GuideSession") ?? desk.unhandled("GuideSession");
  const running = () => forbidden() ?? (now().running ? null : "no session is under way");
  const going = () => running() ?? (now().paused ? "the session is paused" : null);

  /** One press at a time: a key that bounces must not skip a step. */
  const press = async (order) => {
    if (performance.now() - waiting < ANSWER_MS) return;
    waiting = performance.now();
    await desk.order("GuideSession", order, { character: "world" });
  };
  const goOn = async () => {
    const { formWaits, step } = now();
    if (formWaits) {
      const sure = await askFirst({ title: "Go on without the form?", yes: "Go on without it",
        text: `The participant has not handed in the form of “${step.title}”. The tablet will put it away; what was typed stays on the tablet.` });
      if (!sure) return;
    }
    await press({ do: "next" });
  };
  /** Whether all of the phase may be meant: it has several steps, and none is extra. */
  const phaseChoice = (what, own) => {
    const { step, steps, isExtra } = now();
    const phase = plan()?.phases.find(({ name }) => name === step?.phase);
    if (isExtra || !phase || (what !== "abort" && phase.steps.length < 2) || !steps.length) return {};
    return { choose: "What", reasonFirst: true, choices: [{ value: OTHER, title: own }, { value: phase.name, title: `The whole phase “${phase.title || phase.name}”` }] };
  };
  const withReason = (what, title, text, yes) => async () => {
    const choice = phaseChoice(what, "This step");
    const question = choice.choices ? title.replace("this step", "this step or its phase") : title;
    const all = choice.choices ? " Choose the phase to mean all of its steps." : "";
    const given = await askFirst({ title: question, text: `${text()}${all}`, yes, reason: "Why (optional)", ...choice });
    if (given) await press({ do: what, reason: given.reason, step: given.choice || null });
  };
  const extra = async () => {
    const steps = plan()?.phases.flatMap((phase) => phase.steps) ?? [];
    const given = await askFirst({
      title: "Do an extra step?", yes: "Begin it", reason: "Why (optional)", choose: "Which step",
      text: "The step under way is interrupted and goes on afterwards. This is recorded as a deviation.",
      choices: [{ value: OTHER, title: "Something that is not in the plan" }, ...steps.map(({ name, title }) => ({ value: name, title }))],
    });
    if (given) await press({ do: "extra", reason: given.reason, step: given.choice || null });
  };
  const abort = async () => {
    const given = await askFirst({ title: "Abort?", yes: (phase) => (phase ? "Abort the phase" : "Abort the session"), danger: true, reason: "Why", ...phaseChoice("abort", "The session"),
      text: "A session that is aborted ends here and does not count as done; after a phase that is aborted it goes on with the next one. This cannot be undone." });
    if (given) await press({ do: "abort", reason: given.reason, step: given.choice || null });
  };
  const name = () => now().step?.title ?? "";
  const todo = [
    { id: "next", title: "Next step", key: "Space", run: goOn, blocked: going, main: true },
    { id: "pause", title: "Pause", key: "P", run: () => press({ do: now().paused ? "resume" : "pause" }), blocked: running },
    { id: "repeat", title: "Repeat", key: "R", blocked: going,
      run: withReason("repeat", "Repeat this step?", () => `“${name()}” begins again from its start. This is recorded as a deviation.`, "Repeat it") },
    { id: "skip", title: "Skip", key: "S", blocked: going,
      run: withReason("skip", "Skip this step?", () => `“${name()}” ends here as skipped. This is recorded as a deviation.`, "Skip it") },
    { id: "extra", title: "Extra step", key: "E", run: extra, blocked: () => going() ?? (now().isExtra ? "an extra step is under way" : null) },
    { id: "abort", title: "Abort", key: "A", run: abort, blocked: running, danger: true },
  ];

  const participant = h("input", { type: "text", maxlength: 24, placeholder: "next free one", autocomplete: "off", size: 12 });
  const language = h("select", {});
  const begin = async () => {
    await press({ do: "begin", participant: participant.value.trim() || null, language: language.value || null });
    participant.value = "";
  };
  const beginButton = button({ title: "Begin a session", key: "B", run: begin, blocked: () => forbidden() ?? (now().running ? "a session is under way" : null), main: true });
  const start = h("div", { class: "row begin" }, field("Participant (pseudonym)", participant), field("Language of forms", language), beginButton.element);
  const buttons = todo.map(button);
  const bar = h("div", { class: "row controls" }, buttons.map(({ element }) => element));
  root.append(start, bar);

  const offs = [...todo, { id: "begin", title: "Begin a session", key: "B", run: begin, blocked: beginButton.blocked }].map(({ id, title, key, run, blocked }) =>
    desk.commands.add({ id: `study.${id}`, title, group: "Study", key, run, blocked: () => blocked() ?? (key === "Space" ? onControl() : null) }));

  return {
    update() {
      waiting = -Infinity; // the guide has answered
      const { running: isRunning, paused, next, isExtra } = now();
      start.hidden = isRunning;
      bar.hidden = !isRunning;
      const tags = plan()?.study.languages ?? [];
      if (language.children.length !== tags.length) language.replaceChildren(...tags.map((tag) => h("option", { value: tag }, tag)));
      buttons[0].label.textContent = isExtra ? `Back to: ${next?.title ?? ""}` : next ? `Next: ${next.title}` : "Finish the session";
      buttons[1].label.textContent = paused ? "Resume" : "Pause";
      for (const one of [...buttons, beginButton]) one.update();
    },
    close: () => offs.forEach((off) => off()),
  };
}

/** A button with its key that says why it cannot be pressed. */
function button({ title, key, run, blocked, main, danger }) {
  const label = h("span", {}, title);
  const shown = /^[A-Z]$/.test(key) ? `Shift+${key}` : key;
  const element = h("button", { type: "button", class: main ? "primary" : danger ? "caution" : "", onclick: (event) => {
    // A mouse leaves the focus behind, and the space bar would press this button again.
    if (event.detail > 0) element.blur();
    if (!blocked()) run();
  } }, label, " ", kbd(shown));
  return { element, label, blocked, update() {
    const why = blocked();
    element.setAttribute("aria-disabled", why ? "true" : "false");
    element.title = why ?? "";
  } };
}

/** The space bar presses what has the focus. */
function onControl() {
  return document.activeElement?.matches("button, a, summary, input, select, [role=button], [role=option]") ? "the space bar presses what has the focus" : null;
}
