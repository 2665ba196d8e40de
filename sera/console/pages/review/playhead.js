/** Where one looks in a recording: moves by itself while it plays, or as somebody moves it. */

export const SPEEDS = [0.5, 1, 2, 4];

export class Playhead {
  /** Seconds from the beginning of the run. */ time_s = 0;
  /** True while it moves by itself. */ playing = false;
  /** How fast, 1 is as it was. */ speed = 1;
  /** True while what is to be shown is still being read. */ waiting = false;
  #listeners = new Set();
  #frame = 0;
  #last = 0;

  /** @param {number} duration_s */
  constructor(duration_s) {
    this.duration_s = duration_s;
  }

  /** Call `(time_s, jumped)` whenever it moved or its state changed; returns a function that ends it. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Go somewhere. */
  seek(time_s) {
    this.time_s = Math.min(Math.max(0, time_s), this.duration_s);
    this.#tell(true);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing) return;
    if (this.time_s >= this.duration_s) this.time_s = 0;
    this.playing = true;
    this.#last = performance.now();
    this.#frame = requestAnimationFrame(this.#step);
    this.#tell(true);
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.#frame);
    this.#tell(false);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.#tell(false);
  }

  close() {
    this.playing = false;
    cancelAnimationFrame(this.#frame);
    this.#listeners.clear();
  }

  #step = (now) => {
    // A page that was in the background for a while does not leap ahead.
    const passed_s = Math.min(0.25, Math.max(0, (now - this.#last) / 1000));
    this.#last = now;
    if (!this.waiting) {
      this.time_s = Math.min(this.duration_s, this.time_s + passed_s * this.speed);
      if (this.time_s >= this.duration_s) {
        this.pause();
        return;
      }
    }
    this.#frame = requestAnimationFrame(this.#step);
    this.#tell(false);
  };

  #tell(jumped) {
    for (const listener of [...this.#listeners]) listener(this.time_s, jumped);
  }
}

/** How many of the sorted `at_s` are not after a time. */
export function countUntil(entries, time_s, at = (one) => one.at_s) {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(entries[middle]) <= time_s) low = middle + 1;
    else high = middle;
  }
  return low;
}
