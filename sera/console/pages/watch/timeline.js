/**
 * The timeline of the last minutes: one row for each sort of thing, on a canvas, since there may be
 * thousands. Zoom and pan by pointer and keys; a list beside it holds the same for screen readers.
 */

import { eachFrame, h } from "../lib/dom.js";
import { clock } from "../lib/format.js";
import { KEPT_S } from "./moments.js";
import { LEFT_PX, MARK_PX, paintTimeline, RIGHT_PX } from "./timeline_paint.js";

const NEAR_PX = 9;
const SPANS_S = [5, 300];

export class Timeline {
  /** Put it into the page. */ element = h("canvas", { class: "timeline", tabindex: "0", role: "img" });
  /** Seconds shown, and the time at the right edge (null: now). */ span_s = 60;
  end_s = null;
  #moments;
  #now;
  #choose;
  #chosen = null;
  #chain = new Set();
  #hover = null;
  #timer;
  #marks = [];
  #drag = null;
  #moved = () => {};

  /**
   * @param {import("./moments.js").Moments} moments
   * @param {() => number} now - the run's clock
   * @param {(envelope: any) => void} choose
   */
  constructor(moments, now, choose, moved = () => {}) {
    this.#moments = moments;
    this.#now = now;
    this.#choose = choose;
    this.#moved = moved;
    this.draw = eachFrame(() => this.#draw());
    const { element } = this;
    element.addEventListener("pointerdown", (event) => this.#press(event));
    element.addEventListener("pointermove", (event) => this.#point(event));
    element.addEventListener("pointerup", (event) => this.#release(event));
    element.addEventListener("pointerleave", () => { this.#hover = null; this.draw(); });
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    element.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("theme", this.draw);
    this.#timer = setInterval(() => { if (!document.hidden && this.end_s === null) this.draw(); }, 100);
    this.#watch = new ResizeObserver(() => this.draw());
    this.#watch.observe(element);
  }

  #watch;

  /** Mark an entry and the chain it belongs to. */
  mark(envelope, ids) {
    this.#chosen = envelope?.id ?? null;
    this.#chain = new Set(ids ?? []);
    this.draw();
  }

  /** More or less of time; `factor` below one comes nearer. */
  zoom(factor, at_s = (this.end_s ?? this.#now()) - this.span_s / 2) {
    const end = this.end_s ?? this.#now();
    const span = Math.min(SPANS_S[1], Math.max(SPANS_S[0], this.span_s * factor));
    const share = (end - at_s) / this.span_s;
    this.span_s = span;
    if (this.end_s !== null) this.#scrollTo(at_s + share * span);
    this.draw();
    this.#moved();
  }

  /** Go back (negative) or forward by seconds. */
  pan(seconds) {
    this.#scrollTo((this.end_s ?? this.#now()) + seconds);
    this.draw();
    this.#moved();
  }

  /** Follow the run again. */
  follow() {
    this.end_s = null;
    this.draw();
    this.#moved();
  }

  close() {
    clearInterval(this.#timer);
    this.#watch.disconnect();
    removeEventListener("theme", this.draw);
  }

  #scrollTo(end_s) {
    const now = this.#now();
    this.end_s = end_s >= now - 0.2 ? null : Math.max(now - KEPT_S + this.span_s * 0.2, end_s);
  }

  #timeAt(x) {
    const end = this.end_s ?? this.#now();
    return end - (1 - (x - LEFT_PX) / (this.element.clientWidth - LEFT_PX - RIGHT_PX)) * this.span_s;
  }

  #draw() {
    const { element } = this;
    const [width, height] = [element.clientWidth, element.clientHeight];
    if (!width || !height) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    if (element.width !== Math.round(width * ratio) || element.height !== Math.round(height * ratio)) {
      element.width = Math.round(width * ratio);
      element.height = Math.round(height * ratio);
    }
    const pen = element.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const end_s = this.end_s ?? this.#now();
    this.#marks = paintTimeline(pen, {
      width, height, end_s, span_s: this.span_s, live: this.end_s === null,
      entries: this.#moments.entries, chosen: this.#chosen, chain: this.#chain, hover: this.#hover,
    });
    this.#say(end_s);
  }

  #say(end) {
    const words = `Timeline: ${Math.round(this.span_s)} seconds ${this.end_s === null ? "up to now" : `up to ${clock(end)}`}, ${this.#marks.length} entries. Left and right arrows move from entry to entry, up and down change the zoom; the list holds the same.`;
    if (Math.abs(performance.now() - this.#said) < 3000) return;
    this.#said = performance.now();
    this.element.setAttribute("aria-label", words);
  }

  #said = -1e9;

  #at(event) {
    const place = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - place.left, event.clientY - place.top];
    let best = null;
    for (const mark of this.#marks) {
      const beside = Math.max(mark.x - x, x - mark.to, 0);
      if (Math.abs(mark.y - y) < MARK_PX + NEAR_PX && beside < NEAR_PX && (!best || beside <= best.beside)) best = { ...mark, beside };
    }
    return best;
  }

  #press(event) {
    this.#drag = { x: event.clientX, end_s: this.end_s ?? this.#now(), moved: false };
    this.element.setPointerCapture(event.pointerId);
  }

  #point(event) {
    if (!this.#drag) {
      this.#hover = this.#at(event)?.entry ?? null;
      this.element.classList.toggle("over", Boolean(this.#hover));
      this.draw();
      return;
    }
    const by_px = event.clientX - this.#drag.x;
    if (Math.abs(by_px) > 4) this.#drag.moved = true;
    if (!this.#drag.moved) return;
    this.#scrollTo(this.#drag.end_s - (by_px / (this.element.clientWidth - LEFT_PX)) * this.span_s);
    this.draw();
    this.#moved();
  }

  #release(event) {
    const drag = this.#drag;
    this.#drag = null;
    if (drag?.moved) return;
    const found = this.#at(event);
    if (found) this.#choose(found.entry.envelope);
  }

  #wheel(event) {
    if (document.activeElement !== this.element && !event.ctrlKey) return;
    event.preventDefault();
    const place = this.element.getBoundingClientRect();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(((event.deltaX || event.deltaY) / place.width) * this.span_s);
    else this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, this.#timeAt(event.clientX - place.left));
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.#step(event.key === "ArrowLeft" ? -1 : 1);
    else if (event.key === "ArrowUp" || event.key === "+") this.zoom(0.75);
    else if (event.key === "ArrowDown" || event.key === "-") this.zoom(1 / 0.75);
    else if (event.key === "PageUp") this.pan(-this.span_s / 2);
    else if (event.key === "PageDown") this.pan(this.span_s / 2);
    else if (event.key === "End") this.follow();
    else return;
    event.preventDefault();
  }

  /** To the entry before or after the chosen one. */
  #step(by) {
    const entries = this.#moments.entries.filter(({ row }) => row);
    const place = entries.findIndex(({ envelope }) => envelope.id === this.#chosen);
    const next = entries[place < 0 ? entries.length - 1 : place + by];
    if (!next) return;
    const end = this.end_s ?? this.#now();
    if (next.from_s < end - this.span_s || next.from_s > end) this.#scrollTo(next.from_s + this.span_s / 2);
    this.#choose(next.envelope);
  }
}
