/** The characters: who they are, what each does now, and which one the orders go to. */

import { matterOf } from "../lib/gaze_words.js";
import { eachFrame, empty, h, kbd, keyed, panel } from "../lib/dom.js";

const DOING = {
  stand_by: "stands by",
  performing: "speaks",
  question_waiting: "waits for an answer",
  non_verbal_waiting: "waits in silence",
  cancelled: "was broken off",
};
const HEALTH = { ok: "good", warning: "warn", resting: "warn", stopped: "bad", unreachable: "bad" };
const LOW_BATTERY = 0.2;

/**
 * Show a card for each character.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showCharacters(root, desk) {
  const names = Object.keys(desk.facts.characters);
  const known = new Map(names.map((name) => [name, { name, behaviour: null, looks: null, engine: null, body: null, said: null }]));
  const list = h("ul", { class: "cards" });
  root.replaceChildren(panel("Characters", { class: "characters" }, [],
    names.length ? list : empty("This run has no characters. Write one into the scenario: ", h("code", {}, "[characters.ada]"), ".")));

  const show = eachFrame(() => keyed(list, [...known.values()], ({ name }) => name, (one) => card(desk, one.name, names.indexOf(one.name)), (shown, one) => shown.update(one)));
  const follow = (type, take) => desk.sera.on(type, (data, { character }) => {
    const one = known.get(character);
    if (!one) return;
    take(one, data);
    show();
  });
  const offs = [
    follow("BehaviourState", (one, state) => { one.behaviour = state; }),
    follow("GazeState", (one, state) => { one.looks = state; }),
    follow("EngineState", (one, state) => { one.engine = state; }),
    follow("BodyState", (one, { health, problem, battery }) => { one.body = { health, problem, battery }; }),
    follow("UtteranceStarted", (one, { utterance, text }) => { one.said = { utterance, text }; }),
    desk.on("character", show),
  ];
  show();
  return () => {
    for (const off of offs) off();
    root.replaceChildren();
  };
}

function card(desk, name, place) {
  const robot = desk.facts.characters[name].robot ?? "no body";
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  const health = h("span", { class: "unseen" });
  const chosen = h("span", { class: "chip", data: { kind: "accent" } }, "gets orders");
  const [now, gaze, problem] = [h("span", { class: "now" }), h("span", { class: "quietly" }), h("span", { class: "chip problem", data: { kind: "bad" }, hidden: true })];
  const button = h("button", { type: "button", class: "card", onclick: () => { desk.character = name; } },
    h("span", { class: "row head" }, dot, h("strong", {}, name), h("span", { class: "quietly robot" }, robot), health, h("span", { class: "push" }), chosen, place < 9 && kbd(`g ${place + 1}`)),
    now, gaze, problem);
  const shown = h("li", {}, button);
  shown.update = (one) => {
    const selected = desk.character === name;
    button.setAttribute("aria-pressed", String(selected));
    chosen.hidden = !selected;
    dot.dataset.kind = HEALTH[one.body?.health] ?? "";
    health.textContent = one.body ? `body ${one.body.health}` : "no body is heard";
    now.textContent = doing(one);
    gaze.textContent = looking(one);
    const wrong = trouble(one);
    problem.hidden = !wrong;
    problem.textContent = wrong ?? "";
    problem.title = wrong ?? "";
  };
  return shown;
}

/** What a character does, in a phrase. */
function doing({ behaviour, engine, said }) {
  const parts = [];
  if (behaviour) {
    const speaks = behaviour.doing === "performing" && said?.utterance === behaviour.utterance && said.text;
    parts.push(speaks ? `says “${said.text}”` : DOING[behaviour.doing] ?? behaviour.doing);
  }
  if (engine?.playing.length) parts.push(`plays ${engine.playing.join(", ")}`);
  if (engine?.posture) parts.push(`posture ${engine.posture}`);
  return parts.join(" · ") || "nothing is heard of it yet";
}

/** Whom it looks at and why; what its body lacks for it, or why its face is elsewhere. */
function looking({ behaviour, looks }) {
  if (!behaviour?.gaze_target) return "";
  const label = looks?.target?.startsWith(`${behaviour.gaze_target} = `) ? looks.target : behaviour.gaze_target;
  const matter = matterOf(looks);
  return `looks at ${label}${behaviour.gaze_reason ? ` (${behaviour.gaze_reason})` : ""}${matter ? ` · ${matter}` : ""}`;
}

function trouble({ engine, body }) {
  if (body && body.health !== "ok") return body.problem ?? `the body is ${body.health}`;
  if (engine?.problem) return engine.problem;
  return typeof body?.battery === "number" && body.battery < LOW_BATTERY ? `battery ${Math.round(body.battery * 100)} %` : null;
}
