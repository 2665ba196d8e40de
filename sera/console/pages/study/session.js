/** Where the session stands, worked out from SessionState, FormOffered and the study file. */

/**
 * @param {object|null} state - SessionState
 * @param {object|null} form - FormOffered
 * @param {object|null} plan - the study file, see `GET /console/api/study`
 */
export function standing(state, form, plan) {
  const steps = state?.steps ?? [];
  const running = Boolean(state?.session);
  const places = running ? steps.flatMap(({ status }, place) => (status === "under_way" ? [place] : [])) : [];
  const [place = -1, interrupted = -1] = places;
  const step = steps[place] ?? null;
  // After an extra step the interrupted one goes on, else the next one in the list begins.
  const next = interrupted >= 0 ? steps[interrupted] : steps.slice(place + 1).find(({ status }) => status === "to_come") ?? null;
  const offered = form?.questionnaire ?? null;
  return {
    running, steps, place, interrupted, step, next,
    isExtra: interrupted >= 0,
    paused: Boolean(state?.paused),
    formWaits: Boolean(step?.form) && offered === step.form,
    formAnswered: Boolean(step?.form) && offered !== step.form,
    planned: plannedStep(plan, step?.step),
  };
}

/** The step in the study file: note, when it is late. */
export function plannedStep(plan, name) {
  for (const phase of plan?.phases ?? []) {
    const found = phase.steps.find((step) => step.name === name);
    if (found) return found;
  }
  return null;
}

/** Seconds in the step under way. */
export function spent(state, step, now) {
  if (state.paused) return step.took_s ?? 0;
  return state.step_began_s === null || state.step_began_s === undefined ? 0 : Math.max(0, now - state.step_began_s);
}

/** How the time in a step compares with the plan: `kind` for its colour, `words` beside it. */
export function timing(seconds, planned_s, late_s) {
  if (late_s && seconds > late_s) return { kind: "bad", words: "late" };
  if (planned_s && seconds > planned_s) return { kind: "warn", words: "planned time is over" };
  return { kind: planned_s ? "good" : "", words: planned_s ? "in time" : "no time planned" };
}

/** Titles of the phases by name. */
export function phaseTitles(plan) {
  return new Map((plan?.phases ?? []).map(({ name, title }) => [name, title || name]));
}
