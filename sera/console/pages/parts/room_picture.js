/**
 * One camera on a canvas: the newest picture, how old it was when it was drawn, and a mark as soon as no
 * further one comes. Pictures that come faster than they can be drawn are left out.
 */

import { h } from "../lib/dom.js";
import { ago } from "../lib/format.js";
import { FeedLink } from "./room_link.js";

const STALE_S = 0.5;
const LOOK_EVERY_MS = 100;
const DELAYS_KEPT = 30;

/**
 * @param {any} desk
 * @param {{id: string, name: string}} feed
 * @param {(delay_ms: number|null, status: "live"|"stopped"|"waiting"|"refused", words: string) => void} told
 */
export function showPicture(desk, feed, told) {
  const canvas = h("canvas", { width: "640", height: "360", role: "img", "aria-label": `Live picture of ${feed.name}` });
  const mark = h("p", { class: "stopped", hidden: true });
  const root = h("div", { class: "room-view", data: { state: "waiting" } }, canvas, mark);
  const pen = canvas.getContext("2d", { alpha: false });
  const delays_ms = [];
  let waiting = null;
  let decoding = false;
  let shown_s = null;
  let drawn = 0;
  let refusal = "";
  let problem = "";

  const link = new FeedLink(desk, feed.id, {
    frame: (capture_s, payload) => {
      waiting = { capture_s, payload };
      draw();
    },
    status: (status, why) => {
      problem = status === "open" ? "" : why;
      if (status === "refused") refusal = why;
      look();
    },
  });

  async function draw() {
    if (decoding || !waiting) return;
    const { capture_s, payload } = waiting;
    waiting = null;
    decoding = true;
    try {
      const picture = await createImageBitmap(new Blob([payload], { type: "image/jpeg" }));
      await new Promise((done) => {
        // Pages that nobody sees get no animation frames.
        if (document.hidden) done();
        else requestAnimationFrame(done);
      });
      if (canvas.width !== picture.width || canvas.height !== picture.height) {
        [canvas.width, canvas.height] = [picture.width, picture.height];
      }
      pen.drawImage(picture, 0, 0);
      picture.close();
      shown_s = capture_s;
      drawn += 1;
      Object.assign(root.dataset, { drawn: String(drawn), captured: String(capture_s) }); // for people who look into the page, and for tests
      delays_ms.push((link.now() - capture_s) * 1000);
      if (delays_ms.length > DELAYS_KEPT) delays_ms.shift();
      look();
    } catch {
      problem = "a picture could not be read"; // the next one may be better
    }
    decoding = false;
    draw();
  }

  /** Say at once when the picture stands still. */
  function look() {
    const age_s = shown_s === null ? null : link.now() - shown_s;
    const stopped = age_s !== null && age_s > STALE_S;
    const status = refusal ? "refused" : age_s === null ? "waiting" : stopped ? "stopped" : "live";
    const words = refusal
      || (age_s === null ? problem || "waiting for the first picture" : `picture stopped ${age_s < 1.5 ? `${age_s.toFixed(1)} s ago` : ago(age_s)}${problem ? `: ${problem}` : ""}`);
    if (root.dataset.state !== status) root.dataset.state = status;
    mark.hidden = status === "live";
    if (status !== "live" && mark.textContent !== words) mark.textContent = words;
    told(status === "live" ? middle(delays_ms) : null, status, words);
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  look();
  return {
    root,
    close: () => {
      clearInterval(timer);
      link.close();
    },
  };
}

function middle(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted.length ? Math.max(0, sorted[sorted.length >> 1]) : null;
}
