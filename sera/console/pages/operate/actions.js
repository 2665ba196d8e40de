/** What the body does: nods first, then postures, animations and faces, found by a few letters. */

import { empty, h, kbd, panel } from "../lib/dom.js";
import { Controls } from "./controls.js";
import { followAbilities } from "./abilities.js";

/** Nods answer while a participant speaks: they need the nearest keys. */
const NODS = [["nod", "n"], ["shake", "m"]];
const FALLBACK_POSTURE = "neutral";

/**
 * Show the actions of the body.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showActions(root, desk) {
  const controls = new Controls(desk);
  const engines = new Map();
  let repertoire = { postures: [], animations: [], faces: [] };
  let problem = null;
  const search = h("input", { type: "search", placeholder: "Find …", "aria-label": "Find a posture, animation or face", autocomplete: "off", spellcheck: "false", oninput: () => filter() });
  const inside = h("div", { class: "inside scroll stack" });
  root.replaceChildren(panel("Body", { class: "actions" }, [search, kbd("b b")], inside));

  const engine = () => engines.get(desk.character);
  const play = (animation) => desk.order("PlayAnimation", { animation });
  const take = (posture) => {
    const { character } = desk;
    const before = engine()?.posture ?? FALLBACK_POSTURE;
    return desk.order("SetPosture", { posture }, { character, undo: () => desk.order("SetPosture", { posture: before }, { character }) });
  };
  const faces = new Map();
  const face = async (name) => {
    const { character } = desk;
    const before = faces.get(character) ?? "neutral";
    const undo = () => { faces.set(character, before); return desk.order("SetFace", { face: before }, { character }); };
    if (await desk.order("SetFace", { face: name }, { character, undo })) faces.set(character, name);
    controls.refresh();
  };

  const section = (title, names, make) => names.length && h("section", { data: { title } }, h("h3", {}, title), h("div", { class: "buttons" }, names.map(make)));
  const keyed = (letter, place) => (place < 9 ? `${letter} ${place + 1}` : undefined);
  const readable = (name) => name.replaceAll("_", " ");

  function show() {
    controls.clear();
    const animations = repertoire.animations.map((one) => one.name);
    const nods = NODS.filter(([name]) => animations.includes(name));
    const others = animations.filter((name) => !nods.some(([nod]) => nod === name));
    const lengths = new Map(repertoire.animations.map(({ name, duration_s }) => [name, duration_s]));
    const animation = (name, key) => controls.button({
      id: `animation.${name}`, label: readable(name), title: `Play ${readable(name)}${lengths.get(name) ? ` (${lengths.get(name).toFixed(1)} s)` : ""}`, group: "Animations", key, type: "PlayAnimation",
      run: () => play(name), pressed: () => Boolean(engine()?.playing.includes(name)),
    });
    const parts = [
      problem && empty(`What the body can do is not known: ${problem}`),
      !problem && !animations.length && !repertoire.postures.length && !repertoire.faces.length && empty(desk.character ? "This character has no body that could move. Give it one in the scenario: robot = \"adelino\"." : "There is no character."),
      h("div", { class: "buttons nods", data: { always: "" } }, nods.map(([name, key]) => animation(name, key)),
        controls.button({ id: "animation.stop", label: "end all", title: "End every animation", group: "Animations", key: "b 0", type: "StopAnimation", run: () => desk.order("StopAnimation", {}), class: "small quiet" })),
      section("Postures", repertoire.postures, (name, place) => controls.button({
        id: `posture.${name}`, label: readable(name), title: `Take the posture ${readable(name)}`, group: "Postures", key: keyed("s", place), type: "SetPosture",
        run: () => take(name), pressed: () => engine()?.posture === name,
      })),
      section("Animations", others, (name, place) => animation(name, keyed("b", place))),
      section("Faces", repertoire.faces, (name, place) => controls.button({
        id: `face.${name}`, label: readable(name), title: `Make the face ${readable(name)}`, group: "Faces", key: keyed("f", place), type: "SetFace",
        run: () => face(name), pressed: () => faces.get(desk.character) === name,
      })),
    ];
    inside.replaceChildren(...parts.filter(Boolean));
    filter();
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    for (const part of inside.querySelectorAll(":scope > section")) {
      const buttons = [...part.querySelectorAll("button")];
      for (const button of buttons) button.hidden = !button.querySelector(".label").textContent.toLowerCase().includes(wanted);
      part.hidden = buttons.every(({ hidden }) => hidden);
    }
  }

  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") inside.querySelector(":scope > section:not([hidden]) button:not([hidden])")?.click();
    else if (event.key === "Escape" && search.value) { search.value = ""; filter(); } else return;
    event.preventDefault();
  });
  const offs = [
    followAbilities(desk, (known, why) => {
      repertoire = known;
      problem = why;
      show();
    }),
    desk.sera.on("EngineState", (state, { character }) => {
      const before = engines.get(character);
      engines.set(character, state);
      if (before?.posture !== state.posture || String(before?.playing) !== String(state.playing)) controls.refresh();
    }),
    desk.commands.add({ id: "body.find", title: "Find a posture, animation or face", group: "Animations", key: "b b", run: () => search.focus() }),
  ];
  return () => {
    for (const off of offs) off();
    controls.close();
    root.replaceChildren();
  };
}
