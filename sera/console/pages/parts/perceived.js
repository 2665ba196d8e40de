/**
 * What the robot knows of people and things, collected from its perceptions: bounded, without a page.
 *
 * `take(type, data, envelope)` for every message; the lists are what there is to show, each entry with
 * `key`, `at_s` (when it was perceived, on the run's clock) and `changed_s` (when it last became another).
 */

/** What is listened to. */
export const PERCEIVED = [
  "PeopleState", "PersonDetected", "PersonMoved", "PersonLost", "HeadDirection", "SpeechActivity", "SpeechHeard",
  "Clicked", "KeyPressed", "MarkerSeen", "MarkerMoved", "MarkerLost", "SensorState", "ModulePresence",
];

const MOST = { people: 12, heard: 6, touched: 4, markers: 12, senses: 12, others: 5 };

export class Perceived {
  people = new Map();
  heard = [];
  touched = [];
  markers = new Map();
  senses = new Map();
  /** Perceptions of the scenario's own, and others without a place above. */ others = [];
  /** Who is heard to speak now: `{ person, side, at_s }`, or null. */ voice = null;
  /** Who has the floor. */ speaker = null;
  #summarised = false;

  take(type, data, { id, time, source, character }) {
    if (this[`on${type}`]) this[`on${type}`](data, { id, at_s: time, source, character });
    else this.#other(type, data, id, time);
  }

  #other(type, data, id, at_s) {
    this.others.unshift({ key: id, type, data, at_s, changed_s: at_s });
    this.others.length = Math.min(this.others.length, MOST.others);
  }

  onPeopleState({ people, speaker }, { at_s }) {
    if (!this.#summarised) this.people.clear(); // one module knows it all: single sightings do not count any more
    this.#summarised = true;
    this.speaker = speaker ?? null;
    const there = people.slice(0, MOST.people);
    for (const one of there) this.#put(this.people, one.person, one, at_s, one.person === speaker);
    for (const person of [...this.people.keys()]) if (!there.some((one) => one.person === person)) this.people.delete(person);
  }

  onPersonDetected(seen, context) { this.onPersonMoved(seen, context); }

  onPersonMoved({ person, position }, { at_s }) {
    if (this.#summarised) return;
    const before = this.people.get(person);
    this.#put(this.people, person, { speaking: false, looks_at: null, engagement: "unknown", ...before, person, position: position ?? before?.position, seen: true }, at_s);
    bound(this.people, MOST.people);
  }

  onPersonLost({ person }) {
    if (!this.#summarised) this.people.delete(person);
  }

  onHeadDirection({ person, looks_at }, { at_s }) {
    const before = this.people.get(person);
    if (!this.#summarised && before) this.#put(this.people, person, { ...before, looks_at: looks_at ?? null }, at_s);
  }

  onSpeechActivity({ speaking, person, side }, { at_s }) {
    this.voice = speaking ? { person, side, at_s } : null;
    const before = this.people.get(person);
    if (!this.#summarised && before) this.#put(this.people, person, { ...before, speaking }, at_s);
  }

  onSpeechHeard({ text, person, confidence, final }, { id, at_s, source }) {
    // Words that are still being guessed at stand in one place until they are settled.
    const open = this.heard.findIndex((one) => !one.final && one.source === source);
    const entry = { key: open >= 0 ? this.heard[open].key : id, text, person, confidence, final, source, at_s, changed_s: at_s };
    if (open >= 0) this.heard[open] = entry;
    else this.heard.unshift(entry);
    this.heard.length = Math.min(this.heard.length, MOST.heard);
  }

  onClicked({ element, point, person }, { id, at_s }) {
    const where = element ?? (point ? `${point.screen ?? "screen"} at ${Math.round(point.x * 100)} %, ${Math.round(point.y * 100)} %` : "something");
    this.#touch({ key: id, what: `clicked ${where}`, person, at_s, changed_s: at_s });
  }

  onKeyPressed({ key, person }, { id, at_s }) { this.#touch({ key: id, what: `pressed ${key}`, person, at_s, changed_s: at_s }); }

  #touch(entry) {
    this.touched.unshift(entry);
    this.touched.length = Math.min(this.touched.length, MOST.touched);
  }

  onMarkerSeen({ marker, position }, { at_s }) { this.#marker(marker, position, at_s, true); }

  onMarkerMoved({ marker, position }, { at_s }) { this.#marker(marker, position, at_s, true); }

  onMarkerLost({ marker }, { at_s }) { this.#marker(marker, this.markers.get(marker)?.position, at_s, false); }

  #marker(marker, position, at_s, there) {
    this.#put(this.markers, marker, { marker, position, there }, at_s);
    bound(this.markers, MOST.markers);
  }

  onSensorState(state, { at_s, source }) {
    this.#put(this.senses, source, { ...state, source }, at_s);
    bound(this.senses, MOST.senses);
  }

  onModulePresence({ status }, { source }) {
    if (!["present", "starting"].includes(status)) this.senses.delete(source);
  }

  /** Keep a fact under its name; it is news where what people would call it has changed. */
  #put(map, key, fact, at_s, extra = false) {
    const word = [fact.engagement, fact.speaking, fact.looks_at, fact.seen, fact.there, fact.status, fact.problem, extra].join("|");
    const before = map.get(key);
    map.set(key, { ...fact, key, at_s, word, changed_s: before?.word === word ? before.changed_s : at_s });
  }
}

function bound(map, most) {
  while (map.size > most) map.delete(map.keys().next().value);
}

/**
 * Where something is, seen from a robot: `1.2 m, to its left`.
 *
 * @param {{x_m: number, y_m: number, z_m: number}|null|undefined} position - in the room
 * @param {{position_m: number[], yaw_deg: number}|undefined} robot - its place; its left is +X where it is not turned
 */
export function whereSeen(position, robot) {
  if (!position || !robot?.position_m) return "";
  const [x, z] = [position.x_m - robot.position_m[0], position.z_m - robot.position_m[2]];
  const distance = `${Math.hypot(x, z).toFixed(1)} m`;
  const left_deg = ((Math.atan2(x, z) * 180 / Math.PI - (robot.yaw_deg ?? 0) + 540) % 360) - 180;
  const side = left_deg > 0 ? "left" : "right";
  const off = Math.abs(left_deg);
  if (off < 15) return `${distance}, in front`;
  if (off < 60) return `${distance}, ahead on its ${side}`;
  return off < 120 ? `${distance}, on its ${side}` : `${distance}, behind it`;
}
