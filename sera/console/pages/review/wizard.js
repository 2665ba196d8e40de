/** How the wizard worked: numbers with words, small charts, and lists that lead into the recording. */

import { empty, h, panel } from "../lib/dom.js";
import { duration, number } from "../lib/format.js";
import { histogram, shareBar } from "./charts.js";
import { withoutPseudonym } from "./timeline.js";

const LISTED = 50;
const MODE_KINDS = { autonomous: "plain", suggest: "accent", wizard: "warn" };

/**
 * @param {any} desk
 * @param {{name: string, playhead: import("./playhead.js").Playhead}} recording
 * @returns {{element: Element, close: () => void}}
 */
export function showWizard(desk, { name, playhead }) {
  const inside = h("div", { class: "inside" }, empty("Working it out …"));
  const element = panel("Wizard", { class: "wizard" }, [], inside);
  let closed = false;
  desk.ask(`recordings/${encodeURIComponent(name)}/wizard`).then((report) => {
    if (!closed) inside.replaceChildren(...partsOf(report, playhead));
  }, (error) => {
    if (!closed) inside.replaceChildren(h("p", { class: "empty", role: "alert" }, error.message));
  });
  return { element, close: () => { closed = true; } };
}

function partsOf(report, playhead) {
  const { suggestions, reaction } = report;
  const dial = dialOf(report.autonomy);
  if (!report.decided && !suggestions.offered && !report.errors.length) {
    return [empty("No operator gave an order in this recording, so there is nothing to say about a wizard."), dial];
  }
  return [
    h("div", { class: "figures" },
      figure(report.decided, "decisions", Object.keys(report.operators).length > 1 ? `by ${Object.keys(report.operators).length} operators` : "orders given at a console"),
      figure(reaction.count ? `${number(reaction.median_s)} s` : "–", "median reaction", reaction.count ? `9 of 10 within ${number(reaction.p90_s)} s` : "no reaction was measured"),
      figure(suggestions.offered, "suggestions", suggestions.offered ? `${suggestions.accepted + suggestions.edited} accepted` : "none was made"),
      figure(Object.values(report.operators).reduce((sum, one) => sum + one.deviations, 0), "deviations", "did something else than suggested"),
      figure(Object.values(report.operators).reduce((sum, one) => sum + one.corrections, 0), "corrections", "taken back within 2 s"),
      figure(Object.values(report.operators).reduce((sum, one) => sum + one.errors, 0), "errors", "marked as wizard error")),
    h("div", { class: "charts" },
      h("section", {}, h("h3", {}, "Reaction times"), reaction.count ? histogram(report.reactions_s, reaction.median_s) : empty("No order answered anything that was measured.")),
      h("section", {}, h("h3", {}, "What became of suggestions"), suggestions.offered
        ? shareBar("What became of suggestions", [["accepted", suggestions.accepted, "good"], ["edited", suggestions.edited, "accent"], ["rejected", suggestions.rejected, "bad"], ["lapsed", suggestions.lapsed, "warn"], ["open", suggestions.open, "plain"]], String)
        : empty("No channel was on suggest."),
      suggestions.answer.count ? h("p", { class: "quietly number" }, `Answered after ${number(suggestions.answer.median_s)} s in the middle.`) : null),
      dial),
    h("div", { class: "tables" }, figuresTable("Operator", report.operators), figuresTable("Channel", report.channels)),
    h("div", { class: "tables" },
      listOf("Deviations", report.deviations, playhead, (one) => `${one.by} ordered ${one.action_type} while ${one.suggested_type} was suggested (${one.channel})`),
      listOf("Corrections", report.corrections, playhead, (one) => `${one.by}: ${one.order_type} ${one.kind} after ${number(one.after_s)} s`),
      listOf("Errors marked", report.errors, playhead, (one) => `${one.by}${one.note ? `: ${withoutPseudonym(one.note)}` : ""}`)),
  ];
}

function figure(value, title, words) {
  return h("div", { class: "figure" }, h("strong", { class: "number" }, String(value)), h("span", {}, title), h("span", { class: "quietly" }, words));
}

function dialOf(autonomy) {
  const characters = Object.entries(autonomy);
  if (!characters.length) return h("section", {}, h("h3", {}, "Time on the dial"), empty("The recording holds no setting of the autonomy dial."));
  return h("section", { class: "dial-time" }, h("h3", {}, "Time on the dial"),
    characters.map(([character, channels]) => h("div", { class: "stack" },
      characters.length > 1 ? h("strong", {}, character) : null,
      Object.entries(channels).map(([channel, shares]) => h("div", { class: "dial-row" }, h("span", {}, channel),
        shareBar(`${character}, ${channel}`, Object.entries(MODE_KINDS).map(([mode, kind]) => [mode, shares[mode] ?? 0, kind]), (share) => `${Math.round(share * 100)} %`))))));
}

function figuresTable(title, groups) {
  const columns = ["Decisions", "Answers", "Deviations", "Corrections", "Errors", "Median", "9 of 10"];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `By ${title.toLowerCase()}` }, h("table", {},
    h("thead", {}, h("tr", {}, [title, ...columns].map((column) => h("th", { scope: "col" }, column)))),
    h("tbody", {}, Object.entries(groups).map(([name, one]) => h("tr", {}, h("th", { scope: "row" }, name === "other" ? "no channel" : name),
      [one.decisions, one.answers, one.deviations, one.corrections, one.errors, seconds(one.reaction.median_s), seconds(one.reaction.p90_s)].map((value) => h("td", { class: "number" }, value)))))));
}

function seconds(value) {
  return value === null ? "–" : `${number(value)} s`;
}

function listOf(title, items, playhead, words) {
  if (!items.length) return null;
  return h("section", {}, h("h3", {}, title), h("ul", { class: "moments" }, items.slice(0, LISTED).map((one) => h("li", {},
    h("button", { type: "button", class: "small number", onclick: () => playhead.seek(one.at_s), "aria-label": `Go to ${duration(one.at_s)}` }, duration(one.at_s)),
    h("span", {}, words(one))))), items.length > LISTED ? empty(`${items.length - LISTED} more are in the recording.`) : null);
}
