/**
 * Joints by hand: sends HoldJoints while unlocked, not more often than the engine needs.
 *
 * Safety: what is held is let go when it is locked again, when the page closes, and when the
 * connection is lost and comes back. The stop lets go by itself.
 */

const EVERY_MS = 60;
const BLEND_S = 0.2;

export class Hand {
  #desk;
  #character;
  #joints = new Map();
  #unlocked = false;
  #timer = 0;
  #sent_ms = 0;
  #holds = false;
  #changed;
  #ends;

  /** @param {() => void} changed - told when it was locked by something else than the operator */
  constructor(desk, character, changed) {
    this.#desk = desk;
    this.#character = character;
    this.#changed = changed;
    const leave = () => this.lock();
    addEventListener("pagehide", leave);
    this.#ends = [
      () => removeEventListener("pagehide", leave),
      desk.sera.onStatus((status) => this.#linked(status)),
      desk.sera.on("EmergencyStop", () => this.#dropped()),
      desk.on("ordered", ({ type }) => { if (type === "EmergencyStop") this.#dropped(); }),
    ];
  }

  get unlocked() { return this.#unlocked; }

  /** Why it cannot be unlocked; null: it can. */
  get blocked() {
    return this.#desk.forbidden("HoldJoints") ?? this.#desk.unhandled("HoldJoints", this.#character) ?? (this.#desk.connected ? null : "the connection is lost");
  }

  unlock() {
    this.#unlocked = !this.blocked;
    if (this.#joints.size) this.#soon();
  }

  /** Let go of all joints and send nothing more. */
  lock() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#unlocked = false;
    this.#joints.clear();
    if (this.#holds && this.#desk.connected) this.#desk.order("HoldJoints", { joints_rad: {}, blend_s: 0.4 }, { character: this.#character, quiet: true });
    this.#holds = false;
  }

  /** Hold a joint there; null lets go of it. */
  hold(joint, value) {
    if (value === null) this.#joints.delete(joint);
    else this.#joints.set(joint, value);
    if (this.#unlocked) this.#soon();
  }

  close() {
    this.lock();
    for (const end of this.#ends) end();
  }

  #soon() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#send();
    }, Math.max(0, this.#sent_ms + EVERY_MS - performance.now()));
  }

  async #send() {
    if (!this.#unlocked || !this.#desk.connected) return;
    this.#sent_ms = performance.now();
    const order = { joints_rad: Object.fromEntries(this.#joints), blend_s: BLEND_S };
    const id = await this.#desk.order("HoldJoints", order, { character: this.#character, undo: () => this.#dropped() });
    if (id) this.#holds = this.#joints.size > 0;
    else if (this.#unlocked) this.#dropped();
  }

  #linked(status) {
    if (status === "connected") {
      if (this.#letGoLater) this.#desk.order("HoldJoints", { joints_rad: {} }, { character: this.#character, quiet: true });
      this.#letGoLater = false;
    } else if (this.#unlocked) {
      this.#letGoLater = this.#holds;
      this.#dropped();
    }
  }

  #letGoLater = false;

  #dropped() {
    const was = this.#unlocked;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#unlocked = this.#holds = false;
    this.#joints.clear();
    if (was) this.#changed();
  }
}
