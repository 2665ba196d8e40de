/**
 * What is where, as the messages of a run tell it: characters with their joints, people, targets.
 * Knows nothing of drawing; the 3-D view, the plan and the text for screen readers read it.
 *
 * Units and frames: metres, Y up, +Z forward, +X to the left of who faces forward; radians.
 */

import { meantBy } from "../../lib/gaze_words.js";

const PEOPLE_LIMIT = 60;
const TARGETS_LIMIT = 200;
const ARM_LENGTH_M = 1.5;
const HEAD_HEIGHT_M = 1.2;

/** Messages that change the world. */
export const HEARD = ["JointFrame", "Gaze", "GazeState", "BehaviourState", "PersonDetected", "PersonMoved", "PersonLost", "HeadDirection", "PeopleState", "TargetUpdated", "TargetRemoved", "SpeechActivity"];

/** A direction of the messages (degrees, right and up positive) as a vector. */
export function vectorOf({ horizontal_deg = 0, vertical_deg = 0 }) {
  const [across, up] = [horizontal_deg, vertical_deg].map((angle) => (angle * Math.PI) / 180);
  return [-Math.sin(across) * Math.cos(up), Math.sin(up), Math.cos(across) * Math.cos(up)];
}

const placeOf = ({ x_m, y_m, z_m }) => [x_m, y_m, z_m];
/** A place along a character's own axes, in the room. */
function inRoom({ position_m, yaw_rad }, [left, up, ahead]) {
  const [cos, sin] = [Math.cos(yaw_rad), Math.sin(yaw_rad)];
  return [position_m[0] + cos * left + sin * ahead, position_m[1] + up, position_m[2] - sin * left + cos * ahead];
}

const finite = (values) => values.every(Number.isFinite);

export class World {
  /** Name → `{ name, robot, position_m, yaw_rad, values: Map, at_ms, changed, gaze }`. */ characters = new Map();
  /** Id → `{ id, name, position_m, direction, looks_at, speaking, seen }`. */ people = new Map();
  /** Name → place, for those that are a place. */ targets = new Map();
  /** Everything of `[space]`. */ space;

  constructor(facts) {
    this.space = facts.space ?? {};
    for (const [name, one] of Object.entries(facts.characters ?? {})) {
      this.characters.set(name, {
        name, robot: one.robot, position_m: [...(one.position_m ?? [0, 0, 0])], yaw_rad: ((one.yaw_deg ?? 0) * Math.PI) / 180,
        values: new Map(), at_ms: 0, changed: 0, gaze: null, looks: null,
      });
    }
    for (const [id, one] of Object.entries(facts.people ?? {})) this.#expect(id, one);
    for (const kind of ["seats", "objects", "screens"]) {
      for (const [name, thing] of Object.entries(this.space[kind] ?? {})) this.targets.set(name, [...thing.position_m]);
    }
  }

  /**
   * Take a message; returns what changed: `pose`, `people`, `gaze`, or null.
   * @param {string} type
   * @param {any} data
   * @param {{character?: string}} [envelope]
   */
  take(type, data, envelope = {}) {
    const character = this.characters.get(envelope.character);
    if (type === "JointFrame") return character ? this.#pose(character, data) : null;
    if (type === "Gaze") {
      if (!character) return null;
      character.gaze = { target: data.target ?? null, reason: data.reason ?? null };
      return "gaze";
    }
    if (type === "GazeState") {
      if (!character) return null;
      character.looks = { because: data.because ?? "", shortfall_why: data.shortfall_why ?? "" };
      character.gaze ??= data.target ? { target: data.target, reason: null } : null;
      if (data.position) character.told_face_m = inRoom(character, placeOf(data.position));
      return "gaze";
    }
    if (type === "BehaviourState") {
      // A state that stands: who opens the page later learns from it where the gaze is.
      if (!character) return null;
      const [label, target] = [character.gaze?.target ?? null, data.gaze_target ?? null];
      if (label === target || label?.startsWith(`${target} = `)) return null;
      character.gaze = { target: data.gaze_target ?? null, reason: data.gaze_reason ?? null };
      return "gaze";
    }
    if (type === "PersonDetected" || type === "PersonMoved") return this.#see(data);
    if (type === "PersonLost") return this.people.delete(data.person) ? "people" : null;
    if (type === "HeadDirection") return this.#turn(data);
    if (type === "PeopleState") return this.#sum(data);
    if (type === "SpeechActivity") return this.#speak(data);
    if (type === "TargetUpdated" && data.position && this.targets.size < TARGETS_LIMIT) this.targets.set(data.target, placeOf(data.position));
    else if (type === "TargetRemoved") this.targets.delete(data.target);
    return null;
  }

  /** Where something of that name is, a head where it is somebody; null: nobody knows. */
  placeOf(name) {
    const person = this.people.get(name);
    if (person) return person.position_m;
    if (this.characters.has(name)) return this.faceOf(name);
    return this.targets.get(name) ?? null;
  }

  /** Where a character's face is: as it is drawn, as its engine told, or at least where it stands. */
  faceOf(name) {
    const { face_m, told_face_m, position_m } = this.characters.get(name);
    return face_m ?? told_face_m ?? position_m;
  }

  /** Where what a character looks at is; null: in a direction alone, or nobody knows. */
  goalOf({ gaze }) {
    return gaze?.target ? this.placeOf(meantBy(gaze.target)) : null;
  }

  #expect(id, { seat, position_m, yaw_deg = 0, height_m = 1.7 }) {
    const chair = seat ? this.space.seats?.[seat] : null;
    const place = chair?.position_m ?? (position_m ? [position_m[0], position_m[1] || height_m - 0.12, position_m[2]] : null);
    if (!place) return;
    const yaw = ((chair?.yaw_deg ?? yaw_deg) * Math.PI) / 180;
    this.people.set(id, { ...this.#nobody(id), position_m: [...place], direction: [Math.sin(yaw), 0, Math.cos(yaw)], seen: false });
  }

  #nobody(id) {
    return { id, name: null, position_m: null, direction: null, looks_at: null, speaking: false, seen: true };
  }

  #person(id) {
    let person = this.people.get(id);
    if (!person) {
      if (this.people.size >= PEOPLE_LIMIT) return null;
      person = this.#nobody(id);
      this.people.set(id, person);
    }
    return person;
  }

  #pose(character, { joints_rad = {}, channels = {} }) {
    for (const values of [joints_rad, channels]) {
      for (const name in values) if (Number.isFinite(values[name])) character.values.set(name, values[name]);
    }
    character.at_ms = performance.now();
    character.changed += 1;
    return "pose";
  }

  #see({ person: id, name, position, direction, seen_from }) {
    const person = this.#person(id);
    if (!person) return null;
    person.seen = true;
    if (name) person.name = name;
    if (position && finite(placeOf(position))) person.position_m = placeOf(position);
    else if (direction) {
      // Only the direction is known: as far away as people stand who talk.
      const from = seen_from ? placeOf(seen_from) : [0, HEAD_HEIGHT_M, 0];
      person.position_m = vectorOf(direction).map((part, axis) => from[axis] + ARM_LENGTH_M * part);
    }
    return "people";
  }

  #turn({ person: id, direction, looks_at }) {
    const person = this.#person(id);
    if (!person) return null;
    person.direction = vectorOf(direction);
    person.looks_at = looks_at ?? null;
    return "people";
  }

  #sum({ people = [] }) {
    const there = new Set();
    for (const one of people) {
      const person = this.#person(one.person);
      if (!person) continue;
      there.add(one.person);
      if (one.position) person.position_m = placeOf(one.position);
      Object.assign(person, { seen: one.seen ?? true, speaking: Boolean(one.speaking), looks_at: one.looks_at ?? null });
    }
    for (const id of [...this.people.keys()]) if (!there.has(id)) this.people.delete(id);
    return "people";
  }

  #speak({ person: id, speaking }) {
    const person = this.people.get(id);
    if (!person) return null;
    person.speaking = speaking;
    return "people";
  }
}
