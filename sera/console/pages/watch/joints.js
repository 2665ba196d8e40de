/**
 * Sliders for every joint of the desk's character. Moving one shows a ghost in the 3-D view;
 * nothing is sent until the operator unlocks it.
 */

import { empty, h } from "../lib/dom.js";
import { bodyOf } from "../parts/stage3d/stage.js";
import { Hand } from "./hold.js";

const DEGREES = 180 / Math.PI;
const SETS = new Set(["Home", "End", "PageUp", "PageDown", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);
const shown = (value, unit) => (unit === "m" ? `${(1000 * value).toFixed(0)} mm` : `${(DEGREES * value).toFixed(0)}°`);

/**
 * @param {HTMLElement} root
 * @param {import("../lib/desk.js").Desk} desk
 * @param {{preview: Function, shown: Function}} stage
 * @returns {() => void} ends it
 */
export function showJoints(root, desk, stage) {
  let hand = null;
  let turn = 0;
  let rows = [];
  const off = desk.commands.add({ id: "joints.lock", title: "Let go of all joints", group: "Watch", key: "w l", run: () => letGo() });
  const letGo = () => {
    for (const row of rows) row.release();
    hand?.lock();
    stage.preview(desk.character, null);
    showLock();
  };
  let showLock = () => {};

  async function open() {
    const mine = ++turn;
    const character = desk.character;
    hand?.close();
    hand = null;
    rows = [];
    const robot = desk.facts.characters[character]?.robot;
    if (!robot) {
      root.replaceChildren(empty(character ? `${character} has no body: write robot = "…" in its table of the scenario.` : "There is no character in this run."));
      return;
    }
    root.replaceChildren(empty(`Reading the body of ${character} …`));
    let body;
    try {
      body = await bodyOf(desk, robot);
    } catch (error) {
      if (mine === turn) root.replaceChildren(empty(error.message));
      return;
    }
    if (mine !== turn) return;
    show(character, body);
  }

  function show(character, body) {
    const wanted = new Map();
    const ghost = () => stage.preview(character, wanted.size ? Object.fromEntries(wanted) : null);
    hand = new Hand(desk, character, () => {
      for (const row of rows) row.release();
      ghost();
      showLock();
      desk.toast(`The joints of ${character} were let go.`, "warn");
    });
    const lock = h("button", { type: "button", role: "switch", class: "lock", onclick: () => {
      if (hand.unlocked) letGo();
      else hand.unlock();
      showLock();
    } });
    const all = h("button", { type: "button", class: "small", onclick: letGo }, "Let go of all ", h("kbd", {}, "w l"));
    const note = h("p", { class: "quietly", role: "status" });
    const mine = hand;
    showLock = () => {
      const why = mine.blocked;
      lock.setAttribute("aria-checked", String(mine.unlocked));
      lock.textContent = mine.unlocked ? "Unlocked: the robot follows" : "Locked: preview only";
      lock.setAttribute("aria-disabled", String(Boolean(why) && !mine.unlocked));
      lock.title = why ?? "";
      note.textContent = mine.unlocked ? `What you move here moves ${character} now, within its limits.` : why ? `Only a preview: ${why}.` : "Sliders move a ghost in the view. Unlock to move the robot.";
    };
    rows = body.joints.map((joint) => jointRow(joint, {
      now: () => stage.shown(character)?.get(joint.name) ?? joint.neutral,
      set(value) {
        if (value === null) wanted.delete(joint.name);
        else wanted.set(joint.name, value);
        mine.hold(joint.name, value);
        ghost();
      },
    }));
    root.replaceChildren(h("div", { class: "row" }, lock, all), note, h("ul", { class: "joints", "aria-label": `Joints of ${character}` }, rows.map(({ element }) => element)));
    showLock();
  }

  const ends = [desk.on("character", open), desk.on("presence", () => showLock()), desk.sera.onStatus(() => showLock())];
  const timer = setInterval(() => { if (!document.hidden) for (const row of rows) row.follow(); }, 200);
  open();
  return () => {
    turn += 1;
    clearInterval(timer);
    hand?.close();
    off();
    for (const end of ends) end();
  };
}

/** One joint: follows the body until it is touched, and again when it is let go. */
function jointRow({ name, lower, upper, neutral, unit }, { now, set }) {
  const value = h("output", { class: "number" });
  const range = h("input", { type: "range", min: lower, max: upper, step: (upper - lower) / 400, "aria-label": `${name}, from ${shown(lower, unit)} to ${shown(upper, unit)}` });
  const free = h("button", { type: "button", class: "small quiet", title: "Let go of this joint", "aria-label": `Let go of ${name}`, hidden: true, onclick: () => row.release(true) }, "×");
  const element = h("li", {}, h("span", { class: "name" }, name), range, value, free);
  let held = false;
  const show = (angle) => {
    value.textContent = shown(angle, unit);
    range.setAttribute("aria-valuetext", shown(angle, unit));
  };
  const take = (angle) => {
    held = true;
    free.hidden = false;
    element.classList.add("held");
    show(angle);
    set(angle);
  };
  range.addEventListener("input", () => take(Number(range.value)));
  range.addEventListener("keydown", ({ key }) => {
    // A joint that is at its end already is held there: the slider alone would say nothing.
    if (SETS.has(key)) setTimeout(() => { if (!held) take(Number(range.value)); });
  });
  range.addEventListener("dblclick", () => {
    range.value = neutral;
    take(neutral);
  });
  const row = {
    element,
    follow() {
      if (held) return;
      const angle = now();
      range.value = angle;
      show(angle);
    },
    release(told = false) {
      if (!held) return;
      held = false;
      if (told) range.focus();
      free.hidden = true;
      element.classList.remove("held");
      set(null);
      row.follow();
    },
  };
  range.value = neutral;
  row.follow();
  return row;
}
