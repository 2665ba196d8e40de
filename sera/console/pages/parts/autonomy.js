/**
 * Who decides on which channel of which character, as the run says it: the dial's settings, who
 * has a channel in hand, and which operators are there. One follower for all parts of a page.
 */

/** The channels of the dial, as people read them, with the letter that stands for each. */
export const CHANNELS = [
  { name: "decision", title: "Decision", letter: "d", about: "everything the machine decides" },
  { name: "speech", title: "Speech", letter: "s", about: "lines and voice" },
  { name: "gaze", title: "Gaze", letter: "g", about: "whom it looks at" },
  { name: "gesture", title: "Gesture", letter: "m", about: "postures and movements" },
  { name: "emotion", title: "Emotion", letter: "e", about: "faces and feelings" },
];

/** From the most to the least free. */
export const MODES = ["autonomous", "suggest", "wizard"];

/** Channel that an Action takes hold of. */
const CHANNEL_OF = {
  __proto__: null,
  PerformUtterance: "speech", CancelUtterance: "speech", ArrangeUtterance: "speech", Speak: "speech", StopSpeaking: "speech", SetVoiceGain: "speech",
  GazeAt: "gaze", Glance: "gaze", SetGazePolicy: "gaze", Gaze: "gaze", SetEyesLight: "gaze", TargetUpdated: "gaze",
  PlayAnimation: "gesture", StopAnimation: "gesture", SetPosture: "gesture", PointAt: "gesture", Point: "gesture", SetLayer: "gesture", HoldJoints: "gesture",
  SetFace: "emotion", SetEmotion: "emotion",
};

const followers = new WeakMap();

/**
 * The follower of a desk.
 *
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {Follower}
 */
export function autonomyOf(desk) {
  if (!followers.has(desk)) followers.set(desk, new Follower(desk));
  return followers.get(desk);
}

class Follower {
  /** Operators at the consoles: `[{ operator, desk, role, … }]`. */ operators = [];
  #desk;
  #dials = new Map();
  #listeners = new Set();

  constructor(desk) {
    this.#desk = desk;
    desk.sera.on("Autonomy", (dial, { character }) => {
      this.#dials.set(character, dial);
      this.#tell();
    });
    desk.sera.on("OperatorsPresent", ({ operators }) => {
      this.operators = operators;
      this.#tell();
    });
  }

  /** Called after every change; returns a function that ends it. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a channel is set to. */
  mode(character, channel) {
    return this.#dials.get(character)?.modes?.[channel] ?? "autonomous";
  }

  /** What holds in effect: a mind whose decisions are withheld acts through no channel. */
  effective(character, channel) {
    const ranks = [channel, "decision"].map((one) => MODES.indexOf(this.mode(character, one)));
    return MODES[Math.max(...ranks)];
  }

  /** Operator who has the channel in hand; null: nobody in particular. */
  owner(character, channel) {
    return this.#dials.get(character)?.owners?.[channel] ?? null;
  }

  /** Whether an operator is there; one who has left keeps nobody from anything. */
  isThere(operator) {
    return !this.operators.length || this.operators.some((seat) => seat.operator === operator);
  }

  /** Operator other than this desk's who has the channel in hand and is there; null: nobody. */
  otherHolder(character, channel) {
    const owner = this.owner(character, channel);
    return owner && owner !== this.#desk.operator && this.isThere(owner) ? owner : null;
  }

  /** Why this desk leaves orders of a type to somebody else; null: it need not. */
  heldByOther(type, character = this.#desk.character) {
    const channel = CHANNEL_OF[type];
    const owner = channel ? this.otherHolder(character, channel) : null;
    return owner ? `${owner} has ${channel} in hand` : null;
  }

  #tell() {
    for (const listener of [...this.#listeners]) listener();
  }
}
