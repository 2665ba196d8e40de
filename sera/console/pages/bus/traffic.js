/**
 * What goes over the bus while the page is open: counted by source, second by second, and kept
 * for a while. Handlers do as little as possible for each message; others look once a second or
 * once a frame.
 */

const SECONDS = 60;
const KEPT = 2000;
const CONDITION = "ConditionAssigned";

export class Traffic {
  /** By source: `{ source, owner, total, seconds: number[], types: Map<type, count>, faults, problems: Map, counts, last }` */ sources = new Map();
  /** The newest messages, oldest first; a stream has one entry that is brought up to date. */ kept = [];
  /** Counts every message. */ total = 0;
  #streams = new Map();
  #listeners = new Set();
  #ticks = new Set();
  #offs;
  #second = 0;
  #revealed = false;
  #streaming;

  constructor(desk) {
    this.#streaming = desk.sera.hello.may_receive ?? {};
    this.#offs = [
      desk.sera.on("*", (data, envelope) => this.#take(data, envelope)),
      desk.on("ordered", ({ id, type, data, character }) => this.#take(data, { id, type, time: desk.now(), source: desk.sera.hello.source, character: character ?? "world", cause: null, data, own: true })),
    ];
    const timer = setInterval(() => this.#tick(), 1000);
    this.#offs.push(() => clearInterval(timer));
  }

  /** Call a function after each message; it should only note that there is something new. */
  onMessage(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call a function once a second. */
  onSecond(listener) {
    this.#ticks.add(listener);
    return () => this.#ticks.delete(listener);
  }

  /** What is known of a source; made where it is new. */
  of(source) {
    let known = this.sources.get(source);
    if (!known) {
      known = { source, owner: source.split(".")[0], total: 0, seconds: new Array(SECONDS).fill(0), types: new Map(), faults: { error: 0, warning: 0, last: "" }, problems: new Map(), counts: null };
      this.sources.set(source, known);
    }
    return known;
  }

  /** Find a kept message by its id. */
  find(id) {
    return this.kept.findLast((one) => one.envelope.id === id);
  }

  close() {
    for (const off of this.#offs) off();
    this.#listeners.clear();
    this.#ticks.clear();
  }

  #take(data, envelope) {
    const { type, source } = envelope;
    if (type === "SessionState") this.#revealed = Boolean(data.revealed?.condition);
    if (type === CONDITION && !this.#revealed) return;
    this.total += 1;
    const known = this.of(source);
    known.total += 1;
    known.seconds[this.#second] += 1;
    known.types.set(type, (known.types.get(type) ?? 0) + 1);
    if (known.types.size > 200) known.types.delete(known.types.keys().next().value);
    if (type === "ModuleFault") this.#fault(data);
    else if (type === "ModuleCounters") known.counts = data.counts;
    else if (type === "SensorState") note(known, `sensor ${data.sense}`, data.status === "ok" || data.status === "starting" ? null : data.problem ?? `${data.sense} is ${data.status}`);
    else if (type === "BodyState") note(known, "body", data.health === "ok" || data.health === "resting" ? null : data.problem ?? `the body is ${data.health}`);
    this.#keep(data, envelope);
    for (const listener of this.#listeners) listener();
  }

  #fault({ module, severity, summary }) {
    const known = this.of(module);
    known.faults[severity === "warning" ? "warning" : "error"] += 1;
    known.faults.last = summary;
  }

  #keep(data, envelope) {
    if (this.#streaming[envelope.type]?.stream) {
      const key = `${envelope.type} ${envelope.source} ${envelope.character}`;
      const standing = this.#streams.get(key);
      if (standing) {
        standing.envelope = envelope;
        standing.data = data;
        standing.times += 1;
        return;
      }
      const entry = { key, data, envelope, times: 1, stream: true };
      this.#streams.set(key, entry);
      this.kept.push(entry);
    } else this.kept.push({ key: envelope.id, data, envelope, times: 1, stream: false });
    if (this.kept.length > KEPT * 1.2) {
      const gone = this.kept.splice(0, this.kept.length - KEPT);
      for (const one of gone) if (one.stream) this.#streams.delete(one.key);
    }
  }

  #tick() {
    for (const listener of this.#ticks) listener();
    this.#second = (this.#second + 1) % SECONDS;
    for (const known of this.sources.values()) known.seconds[this.#second] = 0;
  }

  /** The last seconds of a source, the oldest first. */
  history(known, seconds = 30) {
    return Array.from({ length: seconds }, (_, place) => known.seconds[(this.#second - seconds + 1 + place + SECONDS) % SECONDS]);
  }
}

function note(known, what, problem) {
  if (problem) known.problems.set(what, problem);
  else known.problems.delete(what);
}
