/**
 * *Oops*: the last order of this desk is taken back as far as that is still possible, and the
 * moment is marked as a wizard's error, whether or not it could be.
 */

import { inShort, PERFORM } from "./speaking.js";

const OF_THE_DESK = new Set(["SessionMark", "CancelUtterance", "StopSpeaking", "StopAnimation", "ArrangeUtterance", "TargetUpdated", "EmergencyStop", "EmergencyRelease", "OperatorSeat", "GuideSession"]);
const STANDING = new Set(["SetPosture", "GazeAt", "SetEmotion", "SetFace", "SetGazePolicy", "SetLayer"]);
const IN_WORDS = {
  PerformUtterance: "the line", PlayAnimation: "the animation", SetPosture: "the posture", GazeAt: "the gaze at", Glance: "the glance at",
  PointAt: "the pointing at", SetEmotion: "the emotion", SetFace: "the face", SetGazePolicy: "the gaze policy", SetLayer: "the layer",
};
const MOST_REMEMBERED = 200;

/**
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {{oops: () => Promise<void>, close: () => void}}
 */
export function takeBack(desk) {
  const states = new Map(); // character → BehaviourState
  const over = new Set(); // ids of orders that are done
  const gone = new Set(); // ids of orders that were taken back, and of those that did it
  let taking = false;

  const remember = (set, id) => {
    set.add(id);
    if (set.size > MOST_REMEMBERED) set.delete(set.values().next().value);
  };

  /** What was ordered, in words. */
  function inWords({ type, data }) {
    const what = data.line ?? data.text ?? data.category ?? data.animation ?? data.posture ?? data.target ?? data.name ?? data.face ?? data.policy ?? "";
    return `${IN_WORDS[type] ?? type}${what ? ` ${inShort(what, 40)}` : ""}`;
  }

  async function cancelLine({ id, character }) {
    const state = states.get(character);
    const waits = state?.waiting.some(({ utterance }) => utterance === id);
    if (over.has(id)) return "it was said already";
    const done = await desk.order("CancelUtterance", { utterance: id, politely: false }, { character });
    if (!done) return "it could not be cancelled";
    return waits ? "removed before it was said" : "cut short";
  }

  async function stopAnimation({ id, data, character }) {
    if (over.has(id)) return "it was over already";
    return (await desk.order("StopAnimation", { animation: data.animation }, { character })) ? "stopped" : "it could not be stopped";
  }

  /** Back to what was ordered before it. */
  async function goBack(order) {
    const place = desk.orders.indexOf(order);
    const before = desk.orders.slice(0, place).findLast(({ type, character, id }) => type === order.type && character === order.character && !gone.has(id));
    if (!before) return "nothing is known to go back to";
    return (await desk.order(before.type, before.data, { character: before.character })) ? `back to ${inWords(before)}` : "going back was refused";
  }

  async function undo(order) {
    if (order.undo) {
      try {
        return (await order.undo()) === null ? "it could not be taken back" : "taken back";
      } catch (error) {
        return `it could not be taken back: ${error.message}`;
      }
    }
    if (order.type === PERFORM) return cancelLine(order);
    if (order.type === "PlayAnimation") return stopAnimation(order);
    if (STANDING.has(order.type)) return goBack(order);
    return "this cannot be taken back";
  }

  async function oops() {
    if (taking) return;
    if (!desk.connected || desk.held.length) {
      const held = desk.held.pop();
      desk.emit("held");
      desk.toast(held ? `Oops: ${inWords(held)} was held back and is forgotten.` : "Oops: nothing is held back. What was sent before cannot be taken back while the connection is lost.", held ? "good" : "warn");
      return;
    }
    taking = true;
    let off = () => {};
    try {
      await desk.settled(); // the last order may be on its way: the one before it is not meant
      const order = desk.orders.findLast(({ id, type }) => !gone.has(id) && !OF_THE_DESK.has(type));
      if (!order) {
        desk.toast("Oops: there is no order to take back.", "warn");
        return;
      }
      // What is ordered in order to take something back is no order to take back.
      off = desk.on("ordered", ({ id }) => remember(gone, id));
      // Orders of one gesture, such as a drag, are taken back together.
      for (const one of desk.orders) if (one === order || (order.undo && one.undo === order.undo)) remember(gone, one.id);
      const outcome = await undo(order);
      const marked = await desk.order("SessionMark", { label: "wizard_error", about: order.id, by: desk.operator }, { character: "world" });
      desk.toast(`Oops: ${inWords(order)}: ${outcome}.${marked ? " Marked as a wizard's error." : ""}`, "warn");
    } finally {
      off();
      taking = false;
    }
  }

  const ends = [
    desk.sera.on("BehaviourState", (state, { character }) => states.set(character, state)),
    desk.sera.on("UtteranceFinished", ({ utterance }) => remember(over, utterance)),
    // What was not said, for whatever reason, needs no taking back: the order before it does.
    desk.sera.on("UtteranceCancelled", ({ utterance }) => remember(gone, utterance)),
    desk.sera.on("AnimationFinished", ({ action }) => remember(over, action)),
  ];
  return {
    oops,
    close() {
      for (const end of ends) end();
    },
  };
}
