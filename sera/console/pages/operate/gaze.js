/** Where the robot looks: people, things, directions, screens, and how the gaze behaves by itself. */

import { eachFrame, empty, h, kbd, keyed, panel } from "../lib/dom.js";
import { Controls } from "./controls.js";
import { POINTED } from "./looking.js";
import { followAbilities } from "./abilities.js";
import { screenPicture } from "./screen_picture.js";

/** The directions as the robot sees them, where their keys lie on the keyboard. */
const DIRECTIONS = [
  ["topLeft", "↖", "q"], ["top", "↑", "w"], ["topRight", "↗", "e"],
  ["left", "←", "a"], ["front", "•", "s"], ["right", "→", "d"],
  ["bottomLeft", "↙", "z"], ["bottom", "↓", "x"], ["bottomRight", "↘", "c"],
];
const IN_WORDS = {
  __proto__: null, // targets are named by other people
  clicks: "last click", throughMap: "through the map", acrossRoom: "across the room", [POINTED]: "pointed place",
  topLeft: "up to its left", top: "up", topRight: "up to its right", left: "to its left", front: "straight ahead",
  right: "to its right", bottomLeft: "down to its left", bottom: "down", bottomRight: "down to its right",
};
const ALWAYS = ["elsewhere", "clicks"];
const MOST_SHOWN = 40;
/** `person1` and the like stand for whoever comes: the palette has them, the desk has the people. */
const isSlot = (name) => /^person\d+$/.test(name);

/**
 * Show the controls of the gaze.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @param {import("./looking.js").Looking} looking
 * @returns {() => void} closes it
 */
export function showGaze(root, desk, looking) {
  const controls = new Controls(desk);
  const policyControls = new Controls(desk);
  const targetControls = new Map();
  const people = new Set();
  const expected = Object.keys(desk.facts.people ?? {});
  let repertoire = { targets: [], gaze_policies: [] };

  const [targets, policies, screens, problem] = [h("div", { class: "buttons" }), h("div", { class: "buttons" }), h("div", { class: "screens" }), h("div", { class: "problem" })];
  const hold = h("button", { type: "button", class: "small", role: "radio" }, "hold");
  const glance = h("button", { type: "button", class: "small", role: "radio" }, "glance");
  const setGlances = (glances) => {
    looking.glances = glances;
    for (const [button, on] of [[hold, !glances], [glance, glances]]) {
      button.setAttribute("aria-checked", String(on));
      button.tabIndex = on ? 0 : -1;
    }
    controls.refresh();
    for (const one of targetControls.values()) one.refresh();
  };
  hold.addEventListener("click", () => setGlances(false));
  glance.addEventListener("click", () => setGlances(true));
  const modes = h("div", {
    class: "segments push", role: "radiogroup", "aria-label": "A look holds, or is a glance", onkeydown: (event) => {
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      setGlances(!looking.glances);
      (looking.glances ? glance : hold).focus();
    },
  }, hold, glance);

  const pad = h("div", { class: "directions", role: "group", "aria-label": "Directions as the robot sees them" }, DIRECTIONS.map(([name, arrow, letter]) => {
    const button = controls.button({
      id: `gaze.${name}`, label: arrow, title: `Look ${IN_WORDS[name]}`, group: "Gaze", key: `l ${letter}`, type: "GazeAt",
      run: () => looking.at(name), pressed: () => looking.state?.gaze_target === name,
    });
    button.setAttribute("aria-label", `${IN_WORDS[name]} (l ${letter})`);
    return button;
  }));
  root.replaceChildren(panel("Gaze", { class: "gaze" }, [kbd("l g"), modes],
    h("div", { class: "inside scroll stack" }, problem, h("div", { class: "look" }, pad, targets), screens, h("h3", {}, "By itself"), policies)));

  const show = eachFrame(() => {
    const named = repertoire.targets.map(({ name }) => name).filter((name) => !DIRECTIONS.some(([direction]) => direction === name));
    // People are looked at most.
    const names = [...new Set([...people, ...expected, ...named.filter((name) => !isSlot(name)), ...ALWAYS])].slice(0, MOST_SHOWN);
    keyed(targets, names.map((name, place) => ({ name, place })), ({ name, place }) => `${place} ${name}`, ({ name, place }) => {
      const own = new Controls(desk);
      const id = `${place} ${name}`;
      targetControls.set(id, own);
      const made = own.button({
        id: `gaze.target.${name}`, label: IN_WORDS[name] ?? name, title: `Look at ${IN_WORDS[name] ?? name}`, group: "Gaze", key: place < 9 ? `l ${place + 1}` : undefined,
        type: "GazeAt", run: () => looking.at(name), pressed: () => looking.state?.gaze_target === name,
      });
      made.classList.toggle("person", people.has(name) || expected.includes(name));
      return made;
    });
    const kept = new Set([...targets.children].map((child) => child.__key));
    for (const [id, own] of targetControls) if (!kept.has(id)) { own.close(); targetControls.delete(id); }
    for (const own of targetControls.values()) own.refresh();
    controls.refresh();
    policyControls.refresh();
  });

  const showPolicies = () => {
    policyControls.clear();
    policies.replaceChildren(...repertoire.gaze_policies.map((policy, place) => policyControls.button({
      id: `gaze.policy.${policy}`, label: policy.replaceAll("_", " "), title: `Gaze by itself: ${policy.replaceAll("_", " ")}`, group: "Gaze", key: place < 9 ? `y ${place + 1}` : undefined,
      type: "SetGazePolicy", run: () => looking.policy(policy), pressed: () => looking.state?.gaze_policy === policy,
    })));
  };
  const pictures = Object.entries(desk.facts.space.screens ?? {}).map(([name, screen]) => screenPicture(name, screen, (point) => looking.place({ point })));
  screens.append(...pictures);
  if (pictures.length) screens.prepend(h("p", { class: "quietly" }, "Click where to look ", kbd("l p")));

  const come = (person) => { people.add(person); show(); };
  const offs = [
    followAbilities(desk, (known, why) => {
      repertoire = known;
      problem.replaceChildren(...(why ? [empty(`What it can look at is not known: ${why}`)] : []));
      showPolicies();
      show();
    }),
    desk.sera.on("PeopleState", ({ people: present }) => {
      people.clear();
      for (const { person } of present) people.add(person);
      show();
    }),
    desk.sera.on("PersonDetected", ({ person }) => come(person)),
    desk.sera.on("PersonLost", ({ person }) => { people.delete(person); show(); }),
    desk.sera.on("BehaviourState", show),
    desk.commands.add({ id: "gaze.glances", title: "Looks hold, or are glances", group: "Gaze", key: "l g", run: () => setGlances(!looking.glances) }),
    desk.commands.provide(() => repertoire.targets.filter(({ name }) => isSlot(name)).map(({ name }) => ({ title: `Look at ${name}`, group: "Gaze", run: () => looking.at(name) }))),
    ...(pictures.length ? [desk.commands.add({ id: "gaze.screen", title: "Point at a place on a screen", group: "Gaze", key: "l p", run: () => pictures[0].focus() })] : []),
  ];
  setGlances(looking.glances);
  show();
  return () => {
    for (const off of offs) off();
    for (const one of [controls, policyControls, ...targetControls.values()]) one.close();
    root.replaceChildren();
  };
}
