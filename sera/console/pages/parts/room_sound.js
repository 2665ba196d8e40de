/** Live sound in this browser: samples from a feed to the loudspeaker, and how loud they are. */

import { FeedLink } from "./room_link.js";

const WORKLET = "/console/parts/sound_worklet.js";
let shared = null;

/** The browser's sound, made once; a click or key must have led here. */
function soundCard() {
  shared ??= (async () => {
    const context = new AudioContext({ latencyHint: "interactive" });
    await context.audioWorklet.addModule(WORKLET);
    return context;
  })().catch((error) => {
    shared = null;
    throw new Error(`this browser plays no live sound: ${error.message}`);
  });
  return shared;
}

export class SoundFeed {
  #link = null;
  #node = null;
  #level = 0;
  #stopped = false;
  #rate_hz = 16000;
  /** Milliseconds of sound that wait to be heard. */ waiting_ms = 0;
  /** Seconds from capture to arrival here; null before the first. */ delay_s = null;
  /** Frames that came. */ frames = 0;

  /** Begin to hear a feed. @param {(status: string, why: string) => void} [status] */
  constructor(desk, id, status = () => {}) {
    this.ready = this.#start(desk, id, status);
  }

  /** How loud it is now: root of the mean square, 0 to 1. */
  level() { return this.#level; }

  stop() {
    this.#stopped = true;
    this.#link?.close();
    this.#node?.disconnect();
    this.#level = 0;
  }

  async #start(desk, id, status) {
    const context = await soundCard();
    context.resume();
    if (this.#stopped) return;
    this.#node = new AudioWorkletNode(context, "sera-live-sound", { numberOfInputs: 0, outputChannelCount: [2] });
    this.#node.port.onmessage = ({ data }) => {
      this.#level = this.#stopped ? 0 : data.level;
      this.waiting_ms = data.waiting_ms;
    };
    this.#node.connect(context.destination);
    this.#link = new FeedLink(desk, id, {
      greeted: ({ rate_hz }) => { this.#rate_hz = rate_hz ?? this.#rate_hz; },
      frame: (capture_s, payload) => {
        this.frames += 1;
        this.delay_s = this.#link.now() - capture_s;
        const samples = new Int16Array(payload, 0, payload.byteLength >> 1);
        this.#node.port.postMessage({ rate_hz: this.#rate_hz, samples }, [payload]);
      },
      status,
    });
  }
}

/** The level of a sound for a meter: 0 (−60 dB and less) to 1 (full scale). */
export function meterValue(level) {
  return level <= 0.001 ? 0 : Math.min(1, 1 + Math.log10(level) / 3);
}
