/**
 * The way of one live picture or sound from the server to this page.
 *
 * The server sends a text frame that says what comes (`{ kind, rate_hz, … }`), then binary frames:
 * the moment of capture on the run's clock (float64, little endian), then the JPEG or the samples
 * (16 bits, one channel). The page asks `ping <n>` now and then and learns by how much its own
 * clock is off, and says `seen` for every frame, so that a slow way makes frames drop out rather
 * than queue up. A lost way is tried again by itself.
 */

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
const PING_EVERY_MS = 1000;
const PINGS_KEPT = 10;
const FIRST_PINGS = 5;
const FIRST_PING_MS = 60;
const REFUSED = 4403;

/**
 * @typedef {object} FeedHandlers
 * @property {(greeting: {kind: string, name: string, rate_hz: number|null}) => void} [greeted] - what comes
 * @property {(capture_s: number, payload: ArrayBuffer) => void} frame - a picture or samples
 * @property {(status: "open"|"waiting"|"refused", why: string) => void} [status]
 */

export class FeedLink {
  #desk;
  #id;
  #handlers;
  #socket = null;
  #waits = FIRST_WAIT_MS;
  #retry = 0;
  #pinging = 0;
  #sent = new Map();
  #pings = [];
  #ahead_s = null;
  #number = 0;
  #closed = false;

  /** @param {FeedHandlers} handlers */
  constructor(desk, id, handlers) {
    this.#desk = desk;
    this.#id = id;
    this.#handlers = handlers;
    this.#open();
  }

  /** Now on the clock of the run, seconds: as the answers of late let us know, else as the desk knows it. */
  now() {
    return this.#ahead_s === null ? this.#desk.now() : performance.now() / 1000 + this.#ahead_s;
  }

  /** End it for good. */
  close() {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#pinging);
    this.#socket?.close();
  }

  #open() {
    const { sera } = this.#desk;
    const query = new URLSearchParams({ role: sera.role });
    if (sera.token) query.set("token", sera.token);
    if (sera.hello.operator) query.set("operator", sera.hello.operator);
    const deskName = sessionStorage.getItem("sera.console.desk");
    if (deskName) query.set("desk", deskName);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/console/room/${encodeURIComponent(this.#id)}?${query}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#pings = [];
      this.#ahead_s = null;
      this.#sent.clear();
      this.#ping();
      clearInterval(this.#pinging);
      this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
    };
    socket.onmessage = ({ data }) => (typeof data === "string" ? this.#text(data) : this.#binary(data));
    socket.onclose = ({ code, reason }) => this.#lost(code, reason);
  }

  #text(text) {
    if (text.startsWith("pong ")) {
      const [, number, now_s] = text.split(" ");
      const asked_ms = this.#sent.get(Number(number));
      this.#sent.delete(Number(number));
      if (asked_ms === undefined) return;
      this.#learn(Number(now_s) - performance.now() / 1000, Number(now_s) - asked_ms / 1000);
      return;
    }
    this.#waits = FIRST_WAIT_MS;
    this.#handlers.status?.("open", "");
    this.#handlers.greeted?.(JSON.parse(text));
  }

  #binary(data) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send("seen");
    this.#handlers.frame(new DataView(data).getFloat64(0, true), data.slice(8));
  }

  /**
   * An answer was given between question and arrival, so the run's clock is ahead of ours by `least` to `most`
   * seconds. Several answers narrow it down, also where this page was busy when some of them came.
   */
  #learn(least, most) {
    this.#pings.push({ least, most });
    if (this.#pings.length > PINGS_KEPT) this.#pings.shift();
    const [low, high] = [Math.max(...this.#pings.map((one) => one.least)), Math.min(...this.#pings.map((one) => one.most))];
    if (low > high) this.#pings.splice(0, this.#pings.length - 1); // a clock was set
    this.#ahead_s = low > high ? (least + most) / 2 : (low + high) / 2;
    if (this.#pings.length < FIRST_PINGS) setTimeout(() => this.#ping(), FIRST_PING_MS);
  }

  #ping() {
    if (this.#closed || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#sent.set(++this.#number, performance.now());
    if (this.#sent.size > PINGS_KEPT) this.#sent.delete(this.#sent.keys().next().value);
    this.#socket.send(`ping ${this.#number}`);
  }

  #lost(code, reason) {
    clearInterval(this.#pinging);
    if (this.#closed) return;
    if (code === REFUSED) {
      this.#handlers.status?.("refused", reason);
      return;
    }
    this.#handlers.status?.("waiting", reason || "the connection is lost");
    this.#retry = setTimeout(() => this.#open(), this.#waits);
    this.#waits = Math.min(LONGEST_WAIT_MS, this.#waits * 2);
  }
}

/**
 * Keep a list of the room's feeds up to date: asked for at once, whenever modules come or go, and every few seconds.
 *
 * @param {(answer: {feeds: Array<{id: string, kind: string, name: string, source: string, character: string}>, why: string|null}) => void} told
 * @returns {() => void} ends it
 */
export function watchFeeds(desk, told, every_ms = 5000) {
  let open = true;
  let asking = false;
  let again = false;
  let timer = 0;
  const look = async () => {
    if (!open) return;
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    again = false;
    clearTimeout(timer);
    try {
      const answer = await desk.ask("room");
      if (open) told(answer);
    } catch (error) {
      if (open) told({ feeds: [], why: error.message });
    }
    asking = false;
    if (open) timer = setTimeout(look, again ? 300 : every_ms);
  };
  const off = desk.on("presence", () => {
    if (asking) again = true;
    else {
      clearTimeout(timer);
      timer = setTimeout(look, 300);
    }
  });
  look();
  return () => {
    open = false;
    clearTimeout(timer);
    off();
  };
}
