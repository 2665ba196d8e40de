/**
 * Performs rows on the chosen body and follows them word by word.
 *
 * A row is performed as free text, exactly as it stands in the sheet, so that a line can be heard
 * before the run knows it.
 */

import { askTags } from "./tags_form.js";

const REMEMBERED = 50;
const REASONS = {
  cancelled: "stopped", pre_empted: "broken off by a line that matters more", superseded: "replaced by another line",
  timed_out: "took too long", queue_full: "too many lines wait", no_line: "no line fits", stopped: "stopped for safety", failed: "failed",
};

/**
 * How a row's performance stands.
 * @typedef {{key: string, id: string|null, character: string, state: "asked"|"saying"|"said"|"not_said", text: string,
 *   from: number, to: number, note: string}} Performance
 */
export class Player {
  /** @type {Performance|null} */ current = null;
  #desk;
  #workbook;
  #changed;
  #offs = [];
  #early = new Map();

  /**
   * @param {any} desk
   * @param {import("./workbook.js").Workbook} workbook
   * @param {() => void} changed - called whenever something is to be shown
   */
  constructor(desk, workbook, changed) {
    this.#desk = desk;
    this.#workbook = workbook;
    this.#changed = changed;
    const follow = (type, take) => this.#offs.push(desk.sera.on(type, (data, envelope) => {
      const about = data.utterance ?? data.action ?? null;
      if (about !== null && about !== this.current?.id) this.#keep(about, () => take.call(this, data, envelope));
      else if (this.current && (about !== null || envelope.character === this.current.character)) {
        take.call(this, data, envelope);
        changed();
      }
    }));
    follow("UtteranceStarted", this.#started);
    follow("SpeechWord", this.#word);
    follow("UtteranceFinished", this.#finished);
    follow("UtteranceCancelled", this.#cancelled);
    follow("ActionExpired", this.#expired);
  }

  /** Why nothing can be performed now; null: it can. */
  get blocked() {
    const desk = this.#desk;
    if (!desk.character) return "the run has no character";
    return desk.forbidden("PerformUtterance") ?? desk.unhandled("PerformUtterance");
  }

  get isBusy() { return ["asked", "saying"].includes(this.current?.state ?? ""); }

  /** How a row stands; null: it was not performed last. */
  of(row) { return this.current?.key === row.key ? this.current : null; }

  /** Perform a row, or stop it where it is under way. */
  async toggle(row) {
    if (this.of(row) && this.isBusy) await this.stop();
    else await this.play(row);
  }

  /** Perform a row; asks for its tags first. */
  async play(row) {
    const desk = this.#desk;
    const why = this.blocked;
    const said = this.#workbook.textOf(row);
    if (why || !said) {
      desk.toast(why ?? `row ${row.row} has no text in ${this.#workbook.language}`, "warn");
      return;
    }
    const values = said.tags.length ? await askTags(desk, said) : { tags: {}, words: {} };
    if (!values) return;
    await this.stop();
    const performance = { key: row.key, id: null, character: desk.character, state: "asked", text: said.shown, from: -1, to: 0, note: "" };
    this.current = performance;
    this.#early.clear();
    this.#changed();
    const order = { text: said.text, ...values, ...(said.language ? { language: said.language } : {}) };
    const id = await desk.order("PerformUtterance", order, { undo: () => desk.order("CancelUtterance", { utterance: performance.id }) });
    if (this.current !== performance) return;
    if (id === null) Object.assign(performance, { state: "not_said", note: "not sent" });
    performance.id = id;
    for (const take of this.#early.get(id) ?? []) take();
    this.#early.clear();
    this.#changed();
  }

  /** Stop what is under way, at once. */
  async stop() {
    if (!this.isBusy || !this.current?.id) return;
    const { id, character } = this.current;
    await this.#desk.order("CancelUtterance", { utterance: id, politely: false }, { character, quiet: true });
  }

  close() {
    for (const off of this.#offs) off();
  }

  /** The first word may be heard before the server has said which utterance it is. */
  #keep(about, take) {
    if (this.current?.id !== null || this.#early.size >= REMEMBERED) return;
    this.#early.set(about, [...(this.#early.get(about) ?? []), take]);
  }

  #started({ text }) {
    Object.assign(this.current, { state: "saying", text: text || this.current.text, from: -1, to: 0 });
  }

  #word({ text }) {
    const performance = this.current;
    if (performance.state !== "saying") return;
    const from = performance.text.indexOf(text, performance.to);
    if (from < 0) return;
    Object.assign(performance, { from, to: from + text.length });
  }

  #finished({ duration_s: duration, substitutions }) {
    const instead = substitutions.map(({ wanted, done, why }) => `${wanted}: ${done ? `${done} instead` : "left out"}${why ? `, ${why}` : ""}`);
    Object.assign(this.current, { state: "said", from: -1, note: [`said in ${duration.toFixed(1)} s`, ...instead].join("; ") });
  }

  #cancelled({ reason, detail }) {
    Object.assign(this.current, { state: "not_said", from: -1, note: detail ?? REASONS[reason] ?? reason });
  }

  #expired({ receiver }) {
    if (this.current.state !== "asked") return;
    Object.assign(this.current, { state: "not_said", note: receiver ? `${receiver} did not perform it in time` : "nobody performed it" });
  }
}
