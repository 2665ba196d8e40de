/**
 * The desk: what every page of the console works with.
 *
 *     export async function open(root, desk) {
 *       const off = desk.sera.on("PeopleState", (state) => …);
 *       return () => off();                        // called when another page is opened
 *     }
 *
 * Orders go through `desk.order`, so that they are refused in words, can be taken back, and are
 * held back while the connection is lost.
 */

import { h } from "./dom.js";

const ALWAYS_SENT = new Set(["EmergencyStop", "SessionMark"]);
const TOAST_MS = { bad: 12000, warn: 8000 };
const REMEMBERED = 100;

export class Desk {
  /** @type {import("../../../web/static/sera.js").Sera} */ sera;
  /** @type {import("./commands.js").Commands} */ commands;
  /** What the scenario has: see `GET /console/api/facts`. */ facts;
  /** Orders given at this desk, the newest last: `{ id, type, data, character, at }`. */ orders = [];
  /** Orders given while the connection was lost. */ held = [];
  #character = null;
  #listeners = new Map();
  #presence = new Map();
  #styles = new Map();
  #worn = new Set();
  #sending = new Set();

  constructor(sera, commands, facts) {
    this.sera = sera;
    this.commands = commands;
    this.facts = facts;
    const saved = sessionStorage.getItem("sera.console.character");
    const known = Object.keys(facts.characters);
    this.#character = known.includes(saved) ? saved : known[0] ?? sera.characters[0] ?? null;
    sera.on("ModulePresence", (presence, { source }) => {
      this.#presence.set(source, presence);
      this.emit("presence");
    });
  }

  /** `wizard` or `observer`. */
  get role() { return this.sera.role; }
  get isWizard() { return this.role === "wizard"; }
  /** What this operator is called on the bus. */
  get operator() { return this.sera.hello.operator ?? this.role; }
  /** True where the operator may see only what the robot perceives. */
  get restricted() { return Boolean(this.sera.hello.restricted); }
  get connected() { return this.sera.status === "connected"; }

  /** The character that orders go to. */
  get character() { return this.#character; }
  set character(name) {
    if (name === this.#character) return;
    this.#character = name;
    sessionStorage.setItem("sera.console.character", name);
    this.emit("character", name);
  }

  /** Sources that are present: Map from source to ModulePresence. */
  get presence() { return this.#presence; }

  /** Now on the clock of the run, in seconds, as well as the connection lets us know. */
  now() { return this.sera.now(); }

  /** Listen to `character`, `presence`, `ordered`, `refused`, `held`; returns a function that ends it. */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  emit(name, ...values) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(...values);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** Why orders of this type would reach nobody; null: somebody performs them. */
  unhandled(type, character = this.#character) {
    for (const [source, presence] of this.#presence) {
      const owner = source.split(".")[0];
      if (["present", "starting"].includes(presence.status) && presence.handles.includes(type) && (owner === character || owner === "world")) return null;
    }
    return `no module of this run performs ${type}`;
  }

  /** Why this desk may not send that; null: it may. */
  forbidden(type) {
    return this.sera.hello.may_send[type] ? null : `${this.role === "observer" ? "an observer looks on and" : "this desk"} sends no ${type}`;
  }

  /**
   * Give an order.
   *
   * @param {string} type
   * @param {object} data
   * @param {{character?: string, quiet?: boolean, undo?: () => void}} [options] - `quiet`: a refusal is not shown;
   *   `undo`: how it is taken back (for *oops*)
   * @returns {Promise<string|null>} the id, or null where it was not sent
   */
  async order(type, data = {}, options = {}) {
    const why = this.forbidden(type);
    if (why) {
      this.toast(why, "warn");
      return null;
    }
    const character = options.character ?? this.#character ?? undefined;
    if (!this.connected && !ALWAYS_SENT.has(type)) {
      this.held.push({ type, data, character, at: Date.now(), options });
      this.emit("held");
      return null;
    }
    const given = { type, data, character, at: performance.now(), id: null, undo: options.undo };
    const sending = this.sera.send(type, data, { character });
    this.#sending.add(sending);
    try {
      given.id = await sending;
    } catch (error) {
      if (!options.quiet) this.toast(error.message, "bad");
      this.emit("refused", { type, why: error.message });
      return null;
    } finally {
      this.#sending.delete(sending);
    }
    this.orders.push(given);
    if (this.orders.length > REMEMBERED) this.orders.shift();
    this.emit("ordered", given);
    return given.id;
  }

  /** Wait until the server has answered every order that is on its way, and those that follow from them. */
  async settled() {
    while (this.#sending.size) {
      await Promise.allSettled(this.#sending);
      await new Promise((done) => { setTimeout(done, 0); });
    }
  }

  /** Send what was held back, or forget it. */
  async release(send) {
    const held = this.held.splice(0);
    this.emit("held");
    if (send) for (const { type, data, character, options } of held) await this.order(type, data, { ...options, character });
  }

  /**
   * Ask the server something: `await desk.ask("facts")`, `await desk.ask("lines/check", { method: "POST", body })`.
   * Paths are below `/console/api/`. Rejects with the server's sentence.
   * @returns {Promise<any>} JSON; with `raw: true` the Response
   */
  async ask(path, { raw = false, ...options } = {}) {
    return ask(this.sera, path, { raw, ...options });
  }

  /** Load `/console/style/<name>.css` for the page that is open; it counts until the next page. */
  style(name) {
    this.#worn.add(name);
    const known = this.#styles.get(name);
    if (known) {
      known.link.disabled = false;
      return known.loaded;
    }
    const link = h("link", { rel: "stylesheet", href: `/console/style/${name}.css` });
    const loaded = new Promise((done) => { link.onload = link.onerror = done; });
    this.#styles.set(name, { link, loaded });
    document.head.append(link);
    return loaded;
  }

  /** Another page opens: `undress(true)` before it asks for its styles, `undress()` when it stands. */
  undress(begins = false) {
    if (begins) this.#worn.clear();
    else for (const [name, { link }] of this.#styles) link.disabled = !this.#worn.has(name);
  }

  /** Show a notice: kind `good`, `warn`, `bad`, or none. */
  toast(text, kind = "") {
    const place = document.getElementById("toasts");
    const notice = h("div", { class: "toast", data: { kind } }, h("span", {}, text),
      h("button", { class: "small quiet push", type: "button", "aria-label": "Close this notice", onclick: () => notice.remove() }, "×"));
    place.append(notice);
    while (place.children.length > 4) place.firstChild.remove();
    setTimeout(() => notice.remove(), TOAST_MS[kind] ?? 4000);
  }
}

/** Ask the server as the role of a connection. */
export async function ask(sera, path, { raw = false, headers = {}, ...options } = {}) {
  const who = { "sera-role": sera.role };
  if (sera.token) who["sera-token"] = sera.token;
  if (sera.hello.desk) who["sera-desk"] = sera.hello.desk;
  let answer;
  try {
    answer = await fetch(`/console/api/${path}`, { ...options, headers: { ...who, ...headers } });
  } catch {
    throw new Error("the server does not answer: the connection is lost or the run has ended");
  }
  if (!answer.ok) {
    const why = await answer.json().then((body) => body.why, () => null);
    throw new Error(why ?? `the server refused it (${answer.status})`);
  }
  return raw ? answer : answer.json();
}
