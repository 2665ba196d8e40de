/**
 * Handing in: a sheet stays in the outbox until the server says that it has it.
 *
 * While the page lives, the connection itself sees to it that a sheet that is sent again is not
 * recorded again. After a reload nobody knows whether the last try arrived: then the server is
 * asked first.
 */

import { ask } from "../lib/desk.js";
import { holdLease, loadOutbox, markTried, takeFromOutbox } from "./store.js";

const LEASE_MS = 12_000;
const LOOK_MS = 4000;
const AFTER_REFUSAL_MS = 30_000;

/** Hands in what waits, for as long as the page is open. */
export class HandIn {
  #sera;
  #changed;
  #arrived;
  #who = tabName();
  #busy = false;
  #mine = new Set();
  #notBefore_ms = 0;
  /** Why the last try was refused; empty: it was not. */ refusal = "";

  /**
   * @param {import("../../../web/static/sera.js").Sera} sera
   * @param {() => void} changed - something of the outbox has changed
   * @param {(key: string) => void} arrived - the server has the sheet of that key
   */
  constructor(sera, changed, arrived) {
    this.#sera = sera;
    this.#changed = changed;
    this.#arrived = arrived;
    sera.onStatus(() => this.tryNow());
    setInterval(() => this.deliver(), LOOK_MS);
  }

  /** Something has changed: what was refused may be taken now. */
  tryNow() {
    this.#notBefore_ms = 0;
    this.deliver();
  }

  /** Try to hand in all that waits. */
  async deliver() {
    if (this.#busy || performance.now() < this.#notBefore_ms || this.#sera.status !== "connected" || !loadOutbox().length) return;
    this.#busy = true;
    const lease = setInterval(() => holdLease(this.#who, LEASE_MS), LEASE_MS / 3);
    try {
      for (const waiting of loadOutbox()) {
        if (!holdLease(this.#who, LEASE_MS)) break;
        await this.#one(waiting);
      }
    } finally {
      clearInterval(lease);
      this.#busy = false;
      this.#changed();
    }
  }

  async #one({ key, sheet, tried }) {
    try {
      if (!(tried && !this.#mine.has(key) && (await this.#isThere(sheet)))) {
        this.#mine.add(key);
        markTried(key);
        await this.#sera.answer(sheet);
      }
    } catch (error) {
      // It stays where it is; a page that does not know whether it arrived asks next time.
      this.#mine.delete(key);
      this.refusal = error.message;
      this.#notBefore_ms = performance.now() + AFTER_REFUSAL_MS;
      return;
    }
    this.refusal = "";
    takeFromOutbox(key);
    this.#arrived(key);
  }

  async #isThere({ questionnaire, session, duration_s }) {
    const query = new URLSearchParams({ session: session ?? "", duration_s });
    return (await ask(this.#sera, `forms/${encodeURIComponent(questionnaire)}/received?${query}`)).received;
  }
}

/** Lives as long as the tab, so that a reloaded page goes on with what it began. */
function tabName() {
  const made = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join("");
  try {
    const name = sessionStorage.getItem("sera.tablet.tab") ?? made;
    sessionStorage.setItem("sera.tablet.tab", name);
    return name;
  } catch {
    return made;
  }
}
