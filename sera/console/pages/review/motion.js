/**
 * The motion of a recording, read in windows ahead of the playhead and fed to the 3-D view.
 *
 * At most `KEPT` windows are held; the oldest is let go.
 */

import { countUntil } from "./playhead.js";

const WINDOW_S = 20;
const KEPT = 10;
const HZ = 20;

export class Motion {
  #desk;
  #name;
  #windows = new Map();
  #people = new Set();
  #fedUntil_s = -1;
  #closed = false;

  /** @param {any} desk @param {string} name - of the recording */
  constructor(desk, name) {
    this.#desk = desk;
    this.#name = name;
  }

  /** True where everything is there to show a moment; otherwise it is being read. */
  ready(time_s) {
    const place = Math.floor(time_s / WINDOW_S);
    const here = this.#window(place);
    if (time_s - place * WINDOW_S > WINDOW_S / 2) this.#window(place + 1);
    return here.messages !== null;
  }

  /** What went wrong with the last window; null: nothing. */
  problem = null;

  /**
   * Bring a view to a moment: what was said since the last one, or how things stood then.
   *
   * @param {number} time_s
   * @param {(type: string, data: any, envelope: any) => void} take
   */
  show(time_s, take) {
    const { messages } = this.#window(Math.floor(time_s / WINDOW_S));
    if (!messages) return;
    const passed_s = time_s - this.#fedUntil_s;
    const jumped = passed_s < 0 || passed_s > 2;
    if (jumped) for (const person of this.#people) take("PersonLost", { person }, envelopeOf({ at_s: time_s, type: "PersonLost", character: "world" }));
    if (jumped) this.#people.clear();
    const from = jumped ? 0 : countUntil(messages, this.#fedUntil_s);
    const until = countUntil(messages, time_s);
    for (const message of newest(messages, from, until)) {
      const { person } = message.data;
      if (message.type === "PersonLost") this.#people.delete(person);
      else if (typeof person === "string" && message.type.startsWith("Person")) this.#people.add(person);
      take(message.type, message.data, envelopeOf(message));
    }
    this.#fedUntil_s = time_s;
  }

  close() {
    this.#closed = true;
    this.#windows.clear();
  }

  #window(place) {
    let window = this.#windows.get(place);
    if (window) {
      this.#windows.delete(place); // to the end: used last
      this.#windows.set(place, window);
      return window;
    }
    window = { messages: null };
    this.#windows.set(place, window);
    while (this.#windows.size > KEPT) this.#windows.delete(this.#windows.keys().next().value);
    this.#read(place).then((messages) => {
      window.messages = messages;
      this.problem = null;
    }, (error) => {
      window.messages = [];
      this.problem = error.message;
    });
    return window;
  }

  async #read(place) {
    const stretch = new URLSearchParams({ from_s: place * WINDOW_S, to_s: (place + 1) * WINDOW_S, hz: HZ });
    const answer = await this.#desk.ask(`recordings/${encodeURIComponent(this.#name)}/motion?${stretch}`, { raw: true });
    const text = this.#closed ? "" : await answer.text();
    const messages = [];
    for (const line of text.split("\n")) {
      if (!line) continue;
      const message = JSON.parse(line);
      if (message.type) messages.push(message);
    }
    return messages.sort((one, other) => one.at_s - other.at_s);
  }
}

/** Of what is replaced by the next of its kind, only the newest in a stretch. */
function newest(messages, from, until) {
  const last = new Map();
  for (let place = from; place < until; place++) {
    const { type, source, data } = messages[place];
    if (type === "JointFrame" || type === "PersonMoved" || type === "HeadDirection") last.set(`${type} ${source} ${data.person ?? ""}`, place);
  }
  const kept = new Set(last.values());
  return messages.slice(from, until).filter(({ type, source, data }, at) => kept.has(from + at) || !last.has(`${type} ${source} ${data.person ?? ""}`));
}

function envelopeOf({ at_s, type, id = "", source = "", character, cause = null }) {
  return { id, type, time: at_s, source, character, cause };
}
