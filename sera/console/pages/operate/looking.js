/**
 * Orders for the gaze: look at a target and stay there, or only glance at it; also at any place in
 * the room or on a screen, which becomes the target `pointed`. Each can be taken back.
 */

import { blockedBy } from "./controls.js";

/** The target that stands for the place that was pointed at last. */
export const POINTED = "pointed";
/** Where the gaze goes back to when nothing is known of before. */
const STRAIGHT_AHEAD = "front";

export class Looking {
  /** True: only glance at it. */ glances = false;
  #desk;
  #states = new Map();
  #off;

  constructor(desk) {
    this.#desk = desk;
    this.#off = desk.sera.on("BehaviourState", (state, { character }) => this.#states.set(character, state));
  }

  /** What the selected character looks at, and by which policy; null where it is not known. */
  get state() { return this.#states.get(this.#desk.character) ?? null; }

  /** Which order a look is now. */
  get type() { return this.glances ? "Glance" : "GazeAt"; }

  /** Look at a target. */
  at(target) {
    const { character } = this.#desk;
    if (this.glances) return this.#desk.order("Glance", { target }, { character });
    const before = this.state?.gaze_target ?? STRAIGHT_AHEAD;
    return this.#desk.order("GazeAt", { target }, { character, undo: () => this.#desk.order("GazeAt", { target: before }, { character }) });
  }

  /** Look at a place: `{ position: { x_m, y_m, z_m } }` or `{ point: { screen, x_px, y_px } }`. */
  async place(where) {
    const why = blockedBy(this.#desk, this.type) ?? blockedBy(this.#desk, "TargetUpdated");
    if (why) return this.#desk.toast(`Look there: ${why}`, "warn");
    const { character } = this.#desk;
    if (await this.#desk.order("TargetUpdated", { target: POINTED, ...where }, { character })) await this.at(POINTED);
    return undefined;
  }

  /** Look at what was clicked in the 3-D view. */
  picked({ position_m, screen, target }) {
    const why = blockedBy(this.#desk, this.type);
    if (why) return this.#desk.toast(`Look there: ${why}`, "warn");
    if (target) return this.at(target);
    const face = screen && this.#desk.facts.space.screens?.[screen.name];
    if (face) return this.place({ point: pixels(screen.name, face, screen) });
    const [x_m, y_m, z_m] = position_m;
    return this.place({ position: { x_m, y_m, z_m } });
  }

  /** Let the gaze behave by a policy when nobody orders it. */
  policy(policy) {
    const { character } = this.#desk;
    const before = this.state?.gaze_policy;
    return this.#desk.order("SetGazePolicy", { policy }, { character, undo: before ? () => this.#desk.order("SetGazePolicy", { policy: before }, { character }) : undefined });
  }

  close() { this.#off(); }
}

/** A place on a screen, kept within its picture. */
export function pixels(name, { pixels: [width, height] }, { x, y }) {
  const within = (value, most) => Math.round(Math.min(most, Math.max(0, value)));
  return { screen: name, x_px: within(x, width), y_px: within(y, height) };
}
