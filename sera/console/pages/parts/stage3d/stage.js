/**
 * The stage: the room with its characters, people and things, live or fed by hand.
 *
 *     const stage = await openStage(root, desk, {});
 *     stage.camera("shoulder");
 *     stage.onPick(({ position_m, screen, target }) => …);
 *     stage.close();
 *
 * three.js is loaded only here, when the first stage opens.
 */

import { h, kbd } from "../../lib/dom.js";
import { Plan } from "./plan.js";
import { tellRoom } from "./told.js";
import { HEARD, World } from "./world.js";

const bodies = new Map();

/** Views that hold everything: they are taken anew when the room has changed. */
const FITTED = ["front", "side", "top"];
const FIT_EVERY_MS = 1000;
const LOADING = "Loading the bodies …";
const PRESETS = ["front", "side", "top", "shoulder", "person"];

/**
 * Open a stage.
 *
 * @param {HTMLElement} root - the stage fills it; give it a height
 * @param {import("../../lib/desk.js").Desk} desk
 * @param {{live?: boolean, facts?: any, controls?: boolean, calm?: boolean}} [options] - `live`: follow
 *   the run by itself; `facts`: another scenario's; `controls`: buttons, keys and the pointer move the
 *   camera; `calm`: fewer pictures where the processor draws them, since other work is more urgent
 * @returns {Promise<{take: Function, preview: Function, camera: Function, presets: string[], onPick: Function, resize: Function, close: Function, measured: any}>}
 */
export async function openStage(root, desk, { live = true, facts = desk.facts, controls = true, calm = false } = {}) {
  await desk.style("stage3d");
  const world = new World(facts);
  const note = h("p", { class: "stage-note", role: "status", data: { busy: true } }, LOADING);
  const frame = h("div", { class: "stage" }, note);
  root.append(frame);
  const { view, presets } = await makeView(world, { pointer: controls, calm }, note);
  const isDrawn = !(view instanceof Plan);
  const canvas = view.canvas;
  canvas.classList.add("stage-picture");
  canvas.setAttribute("role", "img");
  if (controls) canvas.setAttribute("tabindex", "0");
  const told = tellRoom(world, (summary) => {
    const keys = controls && isDrawn ? " Arrow keys turn the view, Shift and arrows move it, plus and minus come nearer and go away." : "";
    canvas.setAttribute("aria-label", summary + keys);
  });
  const ends = [() => told.close()];
  let closed = false;
  let asked = "front";
  let isLoading = isDrawn;
  const say = (sentence) => {
    note.textContent = sentence || (isLoading ? LOADING : "");
    note.dataset.busy = String(isLoading && !sentence);
  };
  const camera = (name) => {
    asked = name;
    const said = view.look(name, desk.character);
    if (isDrawn) say(said);
    for (const button of frame.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === name));
  };
  frame.append(canvas, ...(controls && isDrawn ? [buttons(desk, presets, camera, ends)] : []), note, told.element);

  // Until somebody turns the view by hand it holds everything, whatever comes or changes size.
  const hold = () => { if (isDrawn && !closed && !view.isMoved) camera(asked); };
  const take = (type, data, envelope = {}) => {
    const changed = world.take(type, data, envelope);
    if (changed) view.went(changed);
  };
  const looking = setInterval(() => {
    if (isDrawn && FITTED.includes(asked) && !view.isMoved && !document.hidden && view.isOutgrown) camera(asked);
  }, FIT_EVERY_MS);
  ends.push(() => clearInterval(looking));
  if (live) for (const type of HEARD) if (desk.sera.hello.may_receive?.[type]) ends.push(desk.sera.on(type, (data, envelope) => take(type, data, envelope)));

  const size = () => {
    view.resize(frame.clientWidth, frame.clientHeight);
    hold();
  };
  const watching = new ResizeObserver(size);
  watching.observe(frame);
  const seen = new IntersectionObserver(([entry]) => view.show(entry.isIntersecting));
  seen.observe(frame);
  size();
  camera("front");
  const ready = dress(world, view, desk, () => closed).then((problems) => {
    if (closed) return;
    isLoading = false;
    if (problems.length) say(problems.join(" "));
    else if (isDrawn) camera(asked); // now that it is known how large the bodies are
    told.tell();
  });
  return {
    take,
    /** Resolves when all bodies are drawn. */ ready,
    preview: (character, joints_rad) => ready.then(() => { if (!closed) view.preview(character, joints_rad); }),
    camera,
    presets: PRESETS,
    onPick: (listener) => view.onPick(listener),
    resize: size,
    /** Pictures a second, pictures drawn, pixels of the drawing for each of the screen. */ measured: view.measured,
    /** Values by joint and channel as drawn, or null. */ shown: (character) => view.shown(character),
    /** Where a face is and looks, as drawn, or null. */ faceOf: (character) => view.faceOf(character),
    /** Where a place lies on the picture, in pixels. */ onPicture: (position_m) => view.onPicture(position_m),
    close() {
      closed = true;
      for (const end of ends) end();
      watching.disconnect();
      seen.disconnect();
      view.close();
      frame.remove();
    },
  };
}

/** The 3-D view, or the plan where there can be none. */
async function makeView(world, options, note) {
  try {
    const [{ View }, { PRESETS: presets }] = await Promise.all([import("./view.js"), import("./eyes.js")]);
    if (!hasWebGL()) throw new Error("no WebGL");
    return { view: new View(world, options), presets };
  } catch (error) {
    if (!/WebGL/i.test(error.message)) throw error;
    note.dataset.busy = "false";
    note.textContent = "This browser has no WebGL, so the room is shown from above; turn on hardware acceleration or use another browser for the 3-D view.";
    return { view: new Plan(world), presets: [] };
  }
}

function hasWebGL() {
  const trial = document.createElement("canvas").getContext("webgl2");
  trial?.getExtension("WEBGL_lose_context")?.loseContext();
  return Boolean(trial);
}

/** Bring the bodies of all characters; returns what went wrong, in sentences. */
async function dress(world, view, desk, isClosed) {
  const problems = [];
  await Promise.all([...world.characters.values()].map(async (character) => {
    if (!character.robot) return;
    try {
      const body = await bodyOf(desk, character.robot);
      if (!isClosed()) view.add(character, body);
    } catch (error) {
      problems.push(`${character.name} is not drawn: ${error.message}.`);
    }
  }));
  return problems;
}

function bodyOf(desk, robot) {
  if (!bodies.has(robot)) {
    const asked = desk.ask(`bodies/${encodeURIComponent(robot)}`);
    asked.catch(() => bodies.delete(robot));
    bodies.set(robot, asked);
  }
  return bodies.get(robot);
}

/** What a body is: the answer of `GET bodies/<robot>`, asked for once. */
export { bodyOf };

function buttons(desk, presets, camera, ends) {
  return h("div", { class: "stage-views", role: "group", "aria-label": "Views" }, presets.map(({ name, title, key }) => {
    ends.push(desk.commands.add({ id: `view.${name}`, title: `View: ${title.toLowerCase()}`, group: "3-D view", key, run: () => camera(name) }));
    const word = { front: "Front", side: "Side", top: "Top", shoulder: "Shoulder", person: "Person" }[name] ?? name;
    return h("button", { type: "button", class: "small", title, "aria-label": title, "aria-pressed": "false", data: { view: name }, onclick: () => camera(name) }, word, " ", kbd(key));
  }));
}
