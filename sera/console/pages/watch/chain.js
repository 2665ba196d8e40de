/** Which perception led to this: the chain of causes of one message, in words, each step a button. */

import { empty, h } from "../lib/dom.js";
import { clock } from "../lib/format.js";
import { inWords, sentenceOf } from "./words.js";

const LONGEST = 30;
const EFFECTS = 12;

/**
 * The way back from a message to what began it, the message first.
 *
 * @param {import("./moments.js").Moments} moments
 * @param {any} envelope
 * @returns {{steps: any[], lost: string|null, seen: any|null}} `lost`: the id of a cause that is no
 *   longer kept; `seen`: what an operator saw who gave the first order
 */
export function chainOf(moments, envelope) {
  const steps = [envelope];
  const known = new Set([envelope.id]);
  let lost = null;
  let seen = null;
  while (steps.length < LONGEST) {
    const last = steps.at(-1);
    let cause = last.cause;
    if (!cause) {
      const decided = moments.decisionOf(last.id);
      if (!decided || known.has(decided.id)) break;
      known.add(decided.id);
      steps.push(decided);
      cause = decided.data.suggestion;
      if (!cause) {
        const looked = (decided.data.seen ?? []).map((id) => moments.find(id)).filter((one) => one && moments.isPerception(one));
        seen = looked.sort((one, other) => other.time - one.time)[0] ?? null;
        if (seen) steps.push(seen);
        break;
      }
    }
    if (known.has(cause)) break;
    known.add(cause);
    const before = moments.find(cause);
    if (!before) {
      lost = cause;
      break;
    }
    steps.push(before);
  }
  return { steps, lost, seen };
}

/** The answer in one sentence. */
export function headlineOf(moments, { steps, lost, seen }) {
  const first = steps.at(-1);
  if (seen) return `The operator had seen: ${inWords(seen)}.`;
  if (moments.isPerception(first) && steps.length > 1) return `A perception led to this: ${inWords(first)}.`;
  if (moments.isPerception(first)) return `This is a perception: ${inWords(first)}.`;
  if (lost) return "What began this is too long ago to be kept here.";
  if (first.type === "OperatorDecided") return `${first.data.by} ordered it; no perception stood on the page.`;
  return `No perception led to this: it began with ${first.source}.`;
}

/**
 * The panel.
 *
 * @param {import("./moments.js").Moments} moments
 * @param {(envelope: any) => void} choose - called with a step that was clicked
 */
export function causePanel(moments, choose) {
  const root = h("div", { class: "cause inside stack", "aria-live": "polite" });
  const step = (envelope, note, last) => h("li", {},
    h("button", { type: "button", class: last ? "last" : "", "aria-current": last ? "true" : null, onclick: () => choose(envelope) },
      h("span", { class: "when number" }, note), h("span", { class: "what" }, sentenceOf(envelope)),
      h("span", { class: "who" }, `${envelope.type} · ${envelope.source ?? ""}`)));
  const show = (envelope) => {
    if (!envelope) {
      root.replaceChildren(empty("Click a mark in the timeline, or a robot in the view: here it says which perception led to the motion."));
      return null;
    }
    const chain = chainOf(moments, envelope);
    const ordered = [...chain.steps].reverse();
    const effects = moments.effectsOf(envelope.id).slice(0, EFFECTS);
    const after = (time) => (time === envelope.time ? clock(time) : `${Math.abs(envelope.time - time).toFixed(2)} s ${time < envelope.time ? "before" : "later"}`);
    root.replaceChildren(
      h("h3", {}, "Which perception led to this?"),
      h("p", { class: "headline" }, headlineOf(moments, chain)),
      h("ol", { class: "chain" }, chain.lost && h("li", { class: "quietly" }, "An earlier message that is no longer kept."),
        ordered.map((one) => step(one, after(one.time), one.id === envelope.id))),
      effects.length > 0 && h("h3", {}, "What came of it"),
      effects.length > 0 && h("ol", { class: "chain effects" }, effects.map((one) => step(one, after(one.time), false))));
    return chain.steps.map(({ id }) => id);
  };
  show(null);
  return { element: root, show };
}
