/**
 * What happened in the last minutes: messages by row of the timeline and by id, bounded, with the
 * spans of what has a beginning and an end.
 */

import { HEARD as STREAMS } from "../parts/stage3d/world.js";

export const KEPT_S = 300;
const ENTRIES = 5000;
const STREAMED = 2000;

export const ROWS = [
  { name: "perception", title: "Perceptions" },
  { name: "decision", title: "Decisions" },
  { name: "speech", title: "Speech" },
  { name: "gaze", title: "Gaze" },
  { name: "motion", title: "Motion" },
  { name: "fault", title: "Faults" },
];
const ROW_OF = Object.fromEntries([
  ["decision", ["Suggestion", "SuggestionResolved", "OperatorDecided", "AutonomyChanged", "DialogueMoved"]],
  ["speech", ["PerformUtterance", "CancelUtterance", "UtteranceStarted", "Speak", "SpeechStarted", "StopSpeaking", "QuestionAsked", "QuestionAnswered"]],
  ["gaze", ["GazeAt", "Glance", "Gaze", "SetGazePolicy", "SetEyesLight"]],
  ["motion", ["PlayAnimation", "StopAnimation", "SetPosture", "SetFace", "SetEmotion", "Point", "PointAt", "HoldJoints", "SetLayer"]],
  ["fault", ["ModuleFault", "ActionExpired", "EmergencyStop", "EmergencyRelease", "OrderConflict"]],
].flatMap(([row, types]) => types.map((type) => [type, row])));
/** Messages that end what another began, and the field with its id. */
const ENDS = { UtteranceFinished: "utterance", UtteranceCancelled: "utterance", SpeechFinished: "speech", AnimationFinished: "action" };
/** Too many, and nothing for a timeline. */
const LEFT_OUT = new Set(["Handled", "Receipt", "ClockProbe", "ClockReply", "ClockOffset", "ModuleCounters", "ModulePresence", "BlendReport", "EngineState", "BodyState", "SensorState", "BehaviourState", "OperatorsPresent", "SpeechWord", "TargetUpdated", "SoundLevel", "MarkerMoved", "JointFrame"]);

export class Moments {
  /** Entries of the timeline, the oldest first: `{ envelope, row, from_s, to_s }`. */ entries = [];
  /** Counts changes. */ version = 0;
  #byId = new Map();
  #streamed = new Map();
  #begun = new Map();
  #decided = new Map();
  #gaze = new Map();
  #kinds;

  /** @param {Object<string, {kind: string, stream: boolean}>} kinds - what the page may receive */
  constructor(kinds) {
    this.#kinds = kinds;
  }

  /** Types that are worth hearing. */
  get heard() {
    return Object.entries(this.#kinds).filter(([type, { stream }]) => !LEFT_OUT.has(type) && (!stream || STREAMS.includes(type))).map(([type]) => type);
  }

  /** Take a message, in about the order of time. */
  take(envelope) {
    const { id, type, data, time } = envelope;
    if (!id || LEFT_OUT.has(type) || !Number.isFinite(time)) return;
    const kind = this.#kinds[type];
    if (kind?.stream) {
      remember(this.#streamed, id, envelope, STREAMED);
      return;
    }
    if (this.#byId.has(id)) return;
    this.#byId.set(id, envelope);
    if (type === "OperatorDecided") this.#decided.set(data.action, envelope);
    if (ENDS[type]) this.#end(data[ENDS[type]], time);
    const row = ROW_OF[type] ?? (kind?.kind === "perception" ? "perception" : null);
    const isNews = !this.#repeats(envelope) && !(type === "OperatorDecided" && data.action_type === "WatchBlend");
    const entry = { envelope, row: isNews ? row : null, from_s: time, to_s: null };
    if (type === "UtteranceStarted") this.#begun.set(data.utterance, entry);
    else if (type === "SpeechStarted") this.#begun.set(data.speech, entry);
    else if (type === "PlayAnimation") this.#begun.set(id, entry);
    let place = this.entries.length;
    while (place > 0 && this.entries[place - 1].from_s > time) place -= 1;
    this.entries.splice(place, 0, entry);
    this.#forget(time);
    this.version += 1;
  }

  /** A message by its id, streams of the last seconds too; undefined where it is no longer kept. */
  find(id) {
    return this.#byId.get(id) ?? this.#streamed.get(id);
  }

  isPerception({ type }) {
    return this.#kinds[type]?.kind === "perception" || type === "PeopleState";
  }

  /** What an operator saw when giving the order of this id. */
  decisionOf(id) {
    return this.#decided.get(id);
  }

  /** What has this message as its cause. */
  effectsOf(id) {
    return this.entries.filter(({ envelope }) => envelope.cause === id).map(({ envelope }) => envelope);
  }

  /** A tracker orders the gaze many times a second: only a change of target is news. */
  #repeats({ type, data, character }) {
    if (type !== "Gaze") return false;
    const now = `${data.target} ${data.reason ?? ""}`;
    const same = this.#gaze.get(character) === now;
    this.#gaze.set(character, now);
    return same;
  }

  #end(id, time) {
    const entry = this.#begun.get(id);
    if (!entry) return;
    entry.to_s = time;
    this.#begun.delete(id);
  }

  #forget(now_s) {
    let gone = 0;
    while (gone < this.entries.length && (this.entries.length - gone > ENTRIES || this.entries[gone].from_s < now_s - KEPT_S)) {
      const { id } = this.entries[gone].envelope;
      for (const known of [this.#byId, this.#begun, this.#decided]) known.delete(id);
      gone += 1;
    }
    if (gone) this.entries.splice(0, gone);
    for (const known of [this.#begun, this.#decided]) while (known.size > ENTRIES) known.delete(known.keys().next().value);
  }
}

function remember(map, key, value, most) {
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value);
}
