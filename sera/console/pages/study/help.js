/** What stands on the page where no study is guided: how to write one. */

import { h, panel } from "../lib/dom.js";

const EXAMPLE = `[study]
title = "My study"
sessions_planned = 20

[[phases]]
name = "arrival"
[[phases.steps]]
name = "welcome"
title = "Welcome the participant"
planned_s = 120
[[phases.steps]]
name = "about_you"
title = "Form: about you"
form = "demographics"

[[marks]]
label = "laughter"
title = "Laughter"
key = "l"`;
const MODULE = `[modules.study]
module = "study_guide"`;

/** @param {{plan: object|null, problems: string[], guided: boolean, file: string}} told */
export function help(told) {
  if (told.problems.length) {
    return panel("The study file has problems", {}, [], h("div", { class: "inside stack" },
      h("ul", { class: "stack", role: "alert" }, told.problems.map((problem) => h("li", {}, problem))),
      h("p", { class: "quietly" }, "Put them in order and start the run again.")));
  }
  if (told.plan) {
    return panel(told.plan.study.title, {}, [], h("div", { class: "inside stack" },
      told.guided
        ? h("p", {}, "The module study_guide is not there yet. If this stays so, the page Bus says why.")
        : [h("p", {}, "There is a study file, but nobody guides through it. Add this to scenario.toml and start the run again:"), h("pre", {}, MODULE)]));
  }
  return panel("No study yet", {}, [], h("div", { class: "inside stack" },
    h("p", {}, "This page leads through the sessions of a study, step by step, and records what happens."),
    h("ol", { class: "stack numbered" },
      h("li", {}, "Write the plan into ", h("code", {}, "study.toml"), " beside the scenario file:", h("pre", {}, EXAMPLE)),
      h("li", {}, "Add the guide to ", h("code", {}, "scenario.toml"), ":", h("pre", {}, MODULE)),
      h("li", {}, "Start the run again."))));
}
