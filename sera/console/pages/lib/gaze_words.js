/** Where a character looks, in words: whom it means, why, what its body lacks, and why its face is elsewhere. */

/** The name that says where it is: `person = learner_1` means learner_1. */
export function meantBy(label) {
  return label?.split(" = ").pop().trim() ?? null;
}

/**
 * What is the matter with a look, or nothing: `15° short: HeadPitch at its end`, `averted by emotion`.
 *
 * @param {{because?: string, shortfall_why?: string}|null} [state] - the newest GazeState
 */
export function matterOf(state) {
  return [state?.because, state?.shortfall_why].filter(Boolean).join("; ");
}
