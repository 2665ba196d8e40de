/**
 * SERA for pages: send and receive the messages of a run, within the role of the page.
 *
 * One file, no build:
 *
 *     import { connect } from "/sera.js";
 *     const sera = await connect({ role: "activity", character: "ada" });
 *     sera.on("Highlight", (highlight) => flash(highlight.element));
 *     await sera.send("Clicked", { element: "card_3" });
 *
 * `send` resolves with the message's id, or rejects with one sentence that says what is wrong.
 * While the connection is lost, messages wait as long as they are worth sending and are published
 * once each, in order. The server decides what a role may do; nothing here can widen it.
 *
 * @module sera
 */

// Types only, for editors: nothing is fetched from there.
/** @typedef {import("./message-types.js").MessageData} MessageData */
/** @typedef {import("./message-types.js").Envelope} Envelope */

/** @typedef {"wizard"|"observer"|"participant"|"activity"} PageRole */

/** @typedef {"connecting"|"connected"|"waiting"|"closed"} Status */

/**
 * @typedef {object} ConnectOptions
 * @property {PageRole} [role] - What the page is; by default `?role=` of its address.
 * @property {string} [character] - Whose page it is; by default `?character=` of its address.
 * @property {string} [page] - Name of the page in reports; by default the name of its file.
 * @property {string} [token] - Token of the role; by default `?token=` of the page's address.
 * @property {string} [desk] - Which desk of the console it is, where there are several.
 * @property {string} [url] - Address of the gateway; by default the server of the page.
 * @property {number} [queueLimit] - How many messages may wait for an answer (default 100).
 * @property {(status: Status, why: string) => void} [onStatus] - Told every change from the start.
 */

/**
 * What the server says about itself when a page connects.
 * @typedef {object} Hello
 * @property {number} protocol - Version of the wire.
 * @property {string} run - Id of the run.
 * @property {number} boot - Counts the starts of the gateway.
 * @property {string} source - Source under which this page's messages are published.
 * @property {PageRole} role - Role of the page.
 * @property {string} page - Name of the page.
 * @property {string|null} operator - What the operator at the page is called; null: it is no operator's.
 * @property {boolean} restricted - Whether the operator sees only what the robot perceives.
 * @property {number} now_s - Time on the run's clock when this was said.
 * @property {string|null} character - Character of the page; null: all.
 * @property {string[]} characters - Characters of the run.
 * @property {Object<string, {kind: string, valid_for_s: number|null}>} may_send - By type.
 * @property {Object<string, {kind: string, stream: boolean}>} may_receive - By type.
 * @property {string[]} pages - Addresses of the scenario's pages, where the role may know.
 */

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
const PING_EVERY_MS = 5000;
const FACT_EXPIRES_S = 10;
const FRAME_LIMIT_BYTES = 1024 * 1024;
const REMEMBERED_ACTIONS = 1000;

/**
 * Connect this page to the run.
 *
 * Resolves when the server has let the page in and keeps the connection from then on. Rejects
 * with the server's sentence where the page is not let in (wrong role, token or character).
 *
 * @param {ConnectOptions} [options]
 * @returns {Promise<Sera>}
 */
export async function connect(options = {}) {
  const here = new URL(location.href);
  const role = options.role ?? here.searchParams.get("role") ?? "observer";
  const query = new URLSearchParams({ role, session: randomName() });
  const character = options.character ?? here.searchParams.get("character");
  if (character) query.set("character", character);
  query.set("page", options.page ?? here.pathname.replace(/^\/(pages\/)?/, ""));
  const token = options.token ?? putTokenAway(here, role);
  if (token) query.set("token", token);
  if (options.desk) query.set("desk", options.desk);
  const gateway = new URL(options.url ?? "/ws", here);
  gateway.protocol = gateway.protocol.replace("http", "ws");
  gateway.search = query.toString();
  const sera = new Sera(gateway.href, options.queueLimit ?? 100, token);
  if (options.onStatus) sera.onStatus(options.onStatus);
  await sera._start();
  return sera;
}

/** A page's connection to the run; made by `connect`. */
export class Sera {
  /** @type {Hello} */ hello;
  /** @type {Status} */ status = "connecting";
  #address;
  #queueLimit;
  #socket = /** @type {WebSocket|null} */ (null);
  #handlers = /** @type {Map<string, Set<Function>>} */ (new Map());
  #statusHandlers = new Set();
  #unanswered = new Map();
  #performed = new Set();
  #states = /** @type {Map<string, any>} */ (new Map());
  #nextRef = 1;
  #attempts = 0;
  #retryTimer = 0;
  #pingTimer = 0;
  #refusal = "";
  #subscribing = false;
  #answered = true;
  #ahead_s = 0;
  #asked_s = 0;
  #opening = /** @type {{resolve: Function, reject: Function}|null} */ (null);

  /** Use `connect`, which also waits until the server has let the page in. */
  constructor(address, queueLimit, token = null) {
    this.token = token;
    this.#address = address;
    this.#queueLimit = queueLimit;
  }

  /**
   * Now on the clock of the run, seconds: the server's word, with half of the way there and back.
   * @returns {number}
   */
  now() { return performance.now() / 1000 + this.#ahead_s; }

  /** @returns {PageRole} */
  get role() { return this.hello.role; }

  /** @returns {string|null} */
  get character() { return this.hello.character; }

  /** @returns {string[]} */
  get characters() { return this.hello.characters; }

  /**
   * Call a function for every message of a type (`*`: of every type), newest last. States that
   * stand are brought at once. Returns a function that ends it.
   *
   * @template {keyof MessageData} T
   * @param {T|"*"} type
   * @param {(message: MessageData[T], envelope: Envelope & {character: string}) => void} handler
   * @returns {() => void}
   */
  on(type, handler) {
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers.add(handler));
    this.#subscribe();
    // What the page knows already the server does not bring again.
    const standing = [...this.#states.values()].filter((envelope) => type === "*" || envelope.type === type);
    if (standing.length) queueMicrotask(() => {
      for (const envelope of standing) if (handlers.has(handler)) this.#call(handler, envelope);
    });
    return () => {
      handlers.delete(handler);
      if (!handlers.size) this.#handlers.delete(type);
      this.#subscribe();
    };
  }

  /**
   * Send a message.
   *
   * @template {keyof MessageData} T
   * @param {T} type
   * @param {MessageData[T]} [data]
   * @param {{character?: string, expiresAfterS?: number, ageS?: number}} [options] - `ageS`: how
   *   long ago the fact was observed; `expiresAfterS`: how long
   *   it may wait for a lost connection; by default as long as an Action of this type is worth
   *   doing (study records: without limit) and 10 s for anything else.
   * @returns {Promise<string>} the message's id
   */
  send(type, data = /** @type {any} */ ({}), options = {}) {
    if (this.status === "closed") return Promise.reject(new Error("the connection is closed"));
    if (this.#unanswered.size >= this.#queueLimit) {
      return Promise.reject(new Error(`${this.#unanswered.size} messages wait already; ${type} was not sent`));
    }
    const body = { type, data, ref: this.#nextRef++ };
    if (options.character) body.character = options.character;
    const size = new TextEncoder().encode(JSON.stringify({ send: body })).length + 32;
    if (size > FRAME_LIMIT_BYTES) {
      return Promise.reject(new Error(`${type} is ${size} bytes; the limit is ${FRAME_LIMIT_BYTES}`));
    }
    const about = this.hello.may_send[type];
    const worth = about?.kind === "action" ? about.valid_for_s ?? Infinity : FACT_EXPIRES_S;
    return new Promise((resolve, reject) => {
      const given = performance.now() - 1000 * (options.ageS ?? 0);
      const entry = { body, resolve, reject, given, boot: null, timer: 0 };
      const expiresS = options.expiresAfterS ?? worth;
      entry.expires = entry.given + expiresS * 1000;
      this.#unanswered.set(body.ref, entry);
      if (expiresS < 86400) entry.timer = setTimeout(() => this.#expire(entry), expiresS * 1000 + 1);
      this.#transmit(entry);
    });
  }

  /**
   * Hand in a form that a participant filled in. Never grows old: it waits for the connection.
   *
   * @param {{questionnaire: string, answers: Object<string, boolean|number|string|null>,
   *   free_answers?: Object<string, string>, participant?: string, session?: string,
   *   language?: string, item_order?: string[], duration_s?: number}} sheet
   * @returns {Promise<string>} the id of the record
   */
  answer(sheet) {
    if (this.status === "closed") return Promise.reject(new Error("the connection is closed"));
    const body = { ...sheet, ref: this.#nextRef++ };
    return new Promise((resolve, reject) => {
      const entry = { frame: "answers", body, resolve, reject, given: performance.now(), boot: null, timer: 0, expires: Infinity };
      this.#unanswered.set(body.ref, entry);
      this.#transmit(entry);
    });
  }

  /**
   * Call a function with every change of the connection: `connecting`, `connected`, `waiting`
   * (lost, will try again) or `closed`, and why. Returns a function that ends it.
   *
   * @param {(status: Status, why: string) => void} handler
   * @returns {() => void}
   */
  onStatus(handler) {
    this.#statusHandlers.add(handler);
    handler(this.status, "");
    return () => this.#statusHandlers.delete(handler);
  }

  /** End the connection for good. */
  close() {
    this.#end("the page closed the connection");
  }

  /** Called once by `connect`. @ignore */
  _start() {
    const opened = new Promise((resolve, reject) => (this.#opening = { resolve, reject }));
    addEventListener("online", this.#tryNow);
    document.addEventListener("visibilitychange", this.#tryNow);
    this.#open();
    return opened;
  }

  #open() {
    clearTimeout(this.#retryTimer);
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    this.#refusal = "";
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#receive(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#lost(event.code, event.reason);
    };
  }

  #receive(frame) {
    this.#answered = true;
    if (frame.message) this.#deliver(frame.message);
    else if (frame.accepted) this.#settle(frame.accepted.ref)?.resolve(frame.accepted.id);
    else if (frame.refused) this.#refused(frame.refused);
    else if (frame.hello) this.#welcome(frame.hello);
    else if (frame.pong?.now_s) this.#ahead_s = frame.pong.now_s - (performance.now() / 1000 + this.#asked_s) / 2;
  }

  #welcome(hello) {
    this.#states.clear(); // the server brings what stands now
    const restarted = this.hello && (this.hello.run !== hello.run || this.hello.boot !== hello.boot);
    this.hello = hello;
    this.#ahead_s = hello.now_s - performance.now() / 1000;
    this.#attempts = 0;
    for (const entry of [...this.#unanswered.values()]) {
      if (restarted && entry.boot !== null) {
        this.#settle(entry.body.ref).reject(
          new Error(`the run was started anew; it is not known whether ${entry.body.type ?? "the form"} arrived`));
      }
    }
    this.#setStatus("connected", "");
    this.#subscribeNow();
    for (const entry of [...this.#unanswered.values()]) this.#transmit(entry);
    this.#keepAlive();
    this.#opening?.resolve();
    this.#opening = null;
  }

  #refused({ ref, why }) {
    const entry = this.#settle(ref);
    if (entry) entry.reject(new Error(why));
    else {
      this.#refusal = why;
      console.error(`SERA: ${why}`);
    }
  }

  #deliver(envelope) {
    if (this.hello.role === "activity") {
      // Actions of an activity page are confirmed; one that comes again was confirmed in vain.
      this.#put({ received: { id: envelope.id } });
      if (this.#performed.has(envelope.id)) return;
      this.#performed.add(envelope.id);
      if (this.#performed.size > REMEMBERED_ACTIONS) {
        this.#performed.delete(this.#performed.values().next().value);
      }
    }
    if (this.hello.may_receive[envelope.type]?.kind === "state") {
      this.#states.set(`${envelope.type} ${envelope.character} ${envelope.source}`, envelope);
    }
    for (const type of [envelope.type, "*"]) {
      for (const handler of [...(this.#handlers.get(type) ?? [])]) this.#call(handler, envelope);
    }
  }

  #call(handler, envelope) {
    try {
      const result = handler(envelope.data, envelope);
      if (result instanceof Promise) result.catch(reportError);
    } catch (error) {
      reportError(error);
    }
  }

  #transmit(entry) {
    if (this.status !== "connected") return;
    this.#subscribeAsked(); // the answer to what is said may come at once
    const age_s = Math.max(0, (performance.now() - entry.given) / 1000);
    entry.boot = this.hello.boot;
    this.#put({ [entry.frame ?? "send"]: { ...entry.body, age_s } });
  }

  #put(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #settle(ref) {
    const entry = this.#unanswered.get(ref);
    if (entry) {
      clearTimeout(entry.timer);
      this.#unanswered.delete(ref);
    }
    return entry;
  }

  #expire(entry) {
    if (this.status === "connected" || !this.#unanswered.has(entry.body.ref)) return;
    const known = entry.boot === null ? "was not sent" : "may or may not have arrived";
    this.#settle(entry.body.ref).reject(
      new Error(`the connection is lost and ${entry.body.type} is no longer worth sending: it ${known}`));
  }

  #subscribe() {
    if (this.#subscribing) return;
    this.#subscribing = true;
    queueMicrotask(() => this.#subscribeAsked());
  }

  #subscribeAsked() {
    if (!this.#subscribing) return;
    this.#subscribing = false;
    if (this.status === "connected") this.#subscribeNow();
  }

  #subscribeNow() {
    // A State that nobody follows any more may change unseen.
    if (!this.#handlers.has("*")) {
      for (const [key, { type }] of this.#states) if (!this.#handlers.has(type)) this.#states.delete(key);
    }
    this.#put({ subscribe: { types: [...this.#handlers.keys()] } });
  }

  #keepAlive() {
    clearInterval(this.#pingTimer);
    this.#ping();
    this.#answered = true;
    const socket = this.#socket;
    this.#pingTimer = setInterval(() => {
      if (socket !== this.#socket) return;
      if (this.#answered) {
        this.#answered = false;
        this.#ping();
      } else {
        // A browser may take minutes to notice that a wireless network is gone.
        this.#lost(1006, "the server no longer answers");
        socket?.close();
      }
    }, PING_EVERY_MS);
  }

  #ping() {
    this.#asked_s = performance.now() / 1000;
    this.#put({ ping: {} });
  }

  #lost(code, reason) {
    clearInterval(this.#pingTimer);
    this.#socket = null;
    const why = this.#refusal || reason || "the connection was lost";
    if (code >= 4400 && code < 4500) {
      this.#end(why);
      return;
    }
    this.#setStatus("waiting", why);
    const now = performance.now();
    for (const entry of [...this.#unanswered.values()]) {
      if (now >= entry.expires) this.#expire(entry);
    }
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#attempts++);
    this.#retryTimer = setTimeout(() => this.#open(), wait * (0.75 + Math.random() / 2));
  }

  #tryNow = () => {
    if (this.status === "waiting" && !this.#socket && !document.hidden) this.#open();
  };

  #end(why) {
    if (this.status === "closed") return;
    removeEventListener("online", this.#tryNow);
    document.removeEventListener("visibilitychange", this.#tryNow);
    clearTimeout(this.#retryTimer);
    clearInterval(this.#pingTimer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#setStatus("closed", why);
    for (const ref of [...this.#unanswered.keys()]) this.#settle(ref).reject(new Error(why));
    this.#opening?.reject(new Error(why));
    this.#opening = null;
  }

  #setStatus(status, why) {
    this.status = status;
    for (const handler of [...this.#statusHandlers]) {
      try {
        handler(status, why);
      } catch (error) {
        reportError(error);
      }
    }
  }
}

/** Take the token out of the page's address, where others might read it, and remember it. */
function putTokenAway(here, role) {
  const key = `sera.token.${role}`;
  const given = here.searchParams.get("token");
  if (given === null) return sessionStorage.getItem(key);
  sessionStorage.setItem(key, given);
  here.searchParams.delete("token");
  history.replaceState(history.state, "", here.pathname + here.search + here.hash);
  return given;
}

/** A name that nobody else has; crypto.randomUUID needs a secure context, which a LAN is not. */
function randomName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join("");
}
