/**
 * Plays samples as they come, in the browser's sound thread.
 *
 * A short store (the jitter buffer) evens out what the network does: sound begins when 60 ms are
 * there, or when nothing more has come for as long; what is beyond 120 ms is thrown away, so that
 * one never listens to the past. Samples of any rate become those of the sound card by straight
 * lines between them.
 */

const BEGIN_S = 0.06;
const MOST_S = 0.12;
const STORE_S = 1;
const TOLD_EVERY_S = 0.05;

class LiveSound extends AudioWorkletProcessor {
  constructor() {
    super();
    this.use(16000);
    this.squares = 0;
    this.counted = 0;
    this.port.onmessage = ({ data }) => {
      if (data.rate_hz !== this.rate_hz) this.use(data.rate_hz);
      this.take(data.samples);
    };
  }

  /** Begin anew with samples of this rate. */
  use(rate_hz) {
    this.rate_hz = rate_hz;
    this.store = new Float32Array(Math.ceil(rate_hz * STORE_S));
    this.written = 0; // counts samples; a place in the store is this modulo its length
    this.read = 0;
    this.sounding = false;
    this.waited_s = 0;
  }

  take(samples) {
    for (const sample of samples) this.store[this.written++ % this.store.length] = sample / 32768;
    const most = MOST_S * this.rate_hz;
    if (this.written - this.read > most) this.read = this.written - BEGIN_S * this.rate_hz;
  }

  process(_inputs, [[...channels]]) {
    const [out] = channels;
    const step = this.rate_hz / sampleRate;
    if (!this.sounding && this.written > this.read) {
      this.waited_s += out.length / sampleRate;
      this.sounding = this.written - this.read >= BEGIN_S * this.rate_hz || this.waited_s >= BEGIN_S;
    }
    for (let at = 0; at < out.length; at += 1) {
      if (this.sounding && this.read + 1 >= this.written) {
        this.sounding = false;
        this.read = this.written;
        this.waited_s = 0;
      }
      out[at] = this.sounding ? this.between() : 0;
      if (this.sounding) this.read += step;
      this.squares += out[at] ** 2;
    }
    for (const other of channels.slice(1)) other.set(out);
    this.tell(out.length);
    return true;
  }

  between() {
    const whole = Math.floor(this.read);
    const part = this.read - whole;
    const { store } = this;
    return store[whole % store.length] * (1 - part) + store[(whole + 1) % store.length] * part;
  }

  tell(length) {
    this.counted += length;
    if (this.counted < TOLD_EVERY_S * sampleRate) return;
    this.port.postMessage({
      level: Math.sqrt(this.squares / this.counted),
      waiting_ms: Math.max(0, Math.round(((this.written - this.read) / this.rate_hz) * 1000)),
    });
    this.squares = 0;
    this.counted = 0;
  }
}

registerProcessor("sera-live-sound", LiveSound);
