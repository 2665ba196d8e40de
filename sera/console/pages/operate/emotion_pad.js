/**
 * The emotion of the robot: a pad of pleasure (to the right) and arousal (upwards), and dominance.
 *
 * The two lines through the knob are the sliders, for a pointer, the arrow keys and a screen
 * reader alike.
 */

import { h, kbd, panel } from "../lib/dom.js";
import { blockedBy, Controls } from "./controls.js";
import { followAbilities } from "./abilities.js";

const STEP = 0.1;
const SENT_EVERY_MS = 120;
const MOVES = { ArrowLeft: ["pleasure", -1], ArrowRight: ["pleasure", 1], ArrowDown: ["arousal", -1], ArrowUp: ["arousal", 1] };
const NEUTRAL = { pleasure: 0, arousal: 0, dominance: 0 };

/**
 * Show the pad.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showEmotionPad(root, desk) {
  const controls = new Controls(desk);
  const felt = new Map();
  let [sentAt, timer, dragging, undoDrag] = [0, 0, false, null];
  const now = () => felt.get(desk.character) ?? { ...NEUTRAL, sent: null };

  const line = (name, orientation) => h("div", { class: `line ${name}`, role: "slider", tabindex: "0", "aria-label": name, "aria-orientation": orientation, "aria-valuemin": "-1", "aria-valuemax": "1", onkeydown: moved });
  const [pleasure, arousal] = [line("pleasure", "horizontal"), line("arousal", "vertical")];
  const knob = h("div", { class: "knob", "aria-hidden": "true" });
  const edge = (place, word) => h("span", { class: `edge ${place}`, "aria-hidden": "true" }, word);
  const pad = h("div", { class: "pad", onpointerdown: began, onpointermove: dragged, onpointerup: ended, onpointercancel: ended },
    edge("up", "excited"), edge("down", "calm"), edge("left", "unpleasant"), edge("right", "pleasant"), pleasure, arousal, knob);
  const dominance = h("input", { type: "range", min: "-1", max: "1", step: "0.1", "aria-label": "dominance", oninput: () => set({ dominance: dominance.valueAsNumber }) });
  const values = h("span", { class: "quietly number values", title: "pleasure, arousal, dominance" });
  const why = h("p", { class: "quietly", role: "note" });
  const names = h("span", { class: "buttons" });
  const neutral = controls.button({ id: "emotion.neutral", label: "neutral", title: "Feel nothing in particular", group: "Emotion", key: "j 0", type: "SetEmotion", run: () => set(NEUTRAL) });
  root.replaceChildren(panel("Emotion", { class: "emotion" }, [kbd("j j")],
    h("div", { class: "inside scroll stack" }, why, pad, h("label", { class: "row dominance" }, h("span", { class: "quietly" }, "dominance"), dominance), h("div", { class: "buttons" }, neutral, values, names))));

  function show() {
    const { pleasure: right, arousal: up, dominance: level } = now();
    const words = (value) => value.toFixed(1);
    for (const [shown, value] of [[pleasure, right], [arousal, up]]) {
      shown.setAttribute("aria-valuenow", words(value));
      shown.setAttribute("aria-disabled", String(Boolean(blocked())));
    }
    pad.style.setProperty("--right", String((right + 1) / 2));
    pad.style.setProperty("--up", String((up + 1) / 2));
    dominance.value = String(level);
    dominance.disabled = Boolean(blocked());
    values.textContent = `${words(right)} · ${words(up)} · ${words(level)}`;
    why.textContent = blocked() ?? "";
    why.hidden = !blocked();
    pad.classList.toggle("blocked", Boolean(blocked()));
  }
  const blocked = () => blockedBy(desk, "SetEmotion");

  function set(change) {
    if (blocked()) return;
    const clipped = Object.fromEntries(Object.entries(change).map(([key, value]) => [key, Math.round(Math.min(1, Math.max(-1, value)) * 100) / 100]));
    felt.set(desk.character, { ...now(), ...clipped });
    show();
    const wait = sentAt + SENT_EVERY_MS - performance.now();
    clearTimeout(timer);
    // Each motion of the pointer would be an order: only the newest place counts.
    timer = wait > 0 ? setTimeout(send, wait, desk.character) : 0;
    if (wait <= 0) send(desk.character);
  }

  async function send(character) {
    sentAt = performance.now();
    timer = 0;
    const { pleasure, arousal, dominance, sent } = felt.get(character);
    const pad = { pleasure, arousal, dominance };
    const undo = undoDrag ?? backTo(character, sent ?? NEUTRAL); // a whole drag is taken back at once
    felt.get(character).sent = pad;
    await desk.order("SetEmotion", { pad }, { character, undo });
  }

  const backTo = (character, before) => async () => {
    const done = await desk.order("SetEmotion", { pad: before }, { character });
    if (done) felt.set(character, { ...before, sent: before });
    show();
    return done;
  };

  function moved(event) {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const [name, sign] = move;
    set({ [name]: now()[name] + sign * STEP });
    (name === "pleasure" ? pleasure : arousal).focus();
  }

  function at(event) {
    const { left, top, width, height } = pad.getBoundingClientRect();
    set({ pleasure: ((event.clientX - left) / width) * 2 - 1, arousal: 1 - ((event.clientY - top) / height) * 2 });
  }
  function began(event) {
    if (event.button) return;
    dragging = true;
    undoDrag = backTo(desk.character, now().sent ?? NEUTRAL);
    pad.setPointerCapture(event.pointerId);
    at(event);
  }
  function dragged(event) { if (dragging) at(event); }
  function ended() {
    dragging = false;
    clearTimeout(timer);
    if (timer) send(desk.character);
    undoDrag = null;
  }

  function shown(given, character) {
    if (!given || dragging) return;
    const inside = (value) => Math.min(1, Math.max(-1, value));
    const pad = { pleasure: inside(given.pleasure), arousal: inside(given.arousal), dominance: inside(given.dominance) };
    felt.set(character, { ...pad, sent: pad });
    show();
  }

  const named = new Controls(desk);
  const offs = [
    followAbilities(desk, ({ emotions = [] }) => {
      named.clear();
      names.replaceChildren(...emotions.map((name, place) => named.button({
        id: `emotion.${name}`, label: name, title: `Feel ${name}`, group: "Emotion", key: place < 9 ? `j ${place + 1}` : undefined, type: "SetEmotion", run: () => desk.order("SetEmotion", { name }),
      })));
    }),
    // Whoever orders it, a module or another operator, the pad shows what holds; a module of emotion also says how it fades.
    desk.sera.on("SetEmotion", ({ pad: given }, { character }) => shown(given, character)),
    desk.sera.on("EmotionState", ({ target }, { character }) => shown(target, character)),
    desk.on("character", show), desk.on("presence", show),
    desk.commands.add({ id: "emotion.pad", title: "Put the keys on the emotion pad", group: "Emotion", key: "j j", run: () => pleasure.focus() }),
  ];
  show();
  return () => {
    for (const off of offs) off();
    clearTimeout(timer);
    controls.close();
    named.close();
    root.replaceChildren();
  };
}
