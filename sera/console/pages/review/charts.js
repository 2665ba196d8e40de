/** Small plain charts; each says its numbers in words as well. */

import { h, svg } from "../lib/dom.js";

/**
 * A bar of shares with a legend: `shareBar("Suggestions", [["accepted", 3, "good"], …], String)`.
 *
 * @param {string} title - for screen readers
 * @param {[string, number, string][]} parts - name, value, kind (`accent`, `good`, `warn`, `bad`, `plain`)
 * @param {(value: number) => string} write - the value in words
 */
export function shareBar(title, parts, write) {
  const shown = parts.filter(([, value]) => value > 0);
  const whole = shown.reduce((sum, [, value]) => sum + value, 0);
  let from = 0;
  const bars = shown.map(([, value, kind]) => {
    const width = (100 * value) / whole;
    const bar = svg("rect", { x: from + 0.2, y: 0, width: Math.max(0.4, width - 0.4), height: 10, class: `fill ${kind}` });
    from += width;
    return bar;
  });
  const words = shown.map(([name, value]) => `${name} ${write(value)}`).join(", ");
  return h("div", { class: "share" },
    svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": `${title}: ${words || "none"}` }, bars),
    h("p", { class: "legend quietly number", "aria-hidden": "true" }, shown.map(([name, value, kind]) => h("span", {}, h("i", { class: `swatch ${kind}` }), `${name} ${write(value)}`))));
}

/**
 * How times are spread: bars of equal width, and the median.
 *
 * @param {number[]} times_s
 * @param {number} median_s
 */
export function histogram(times_s, median_s) {
  const sorted = [...times_s].sort((one, other) => one - other);
  // One slow answer must not squeeze all others into the first bar.
  const top_s = Math.max(0.5, sorted[Math.ceil((sorted.length - 1) * 0.98)] ?? 1);
  const count = Math.min(16, Math.max(6, Math.ceil(Math.sqrt(times_s.length))));
  const bars = Array.from({ length: count }, () => 0);
  for (const time_s of times_s) bars[Math.min(count - 1, Math.floor((time_s / top_s) * count))] += 1;
  const highest = Math.max(...bars, 1);
  const [width, height] = [240, 80];
  const each = width / count;
  const middle = (Math.min(median_s, top_s) / top_s) * width;
  return h("figure", { class: "histogram" },
    svg("svg", { viewBox: `0 0 ${width} ${height + 18}`, role: "img", "aria-label": `Reaction times from 0 to ${top_s.toFixed(1)} seconds, median ${median_s.toFixed(2)} seconds, ${times_s.length} in all` },
      bars.map((value, place) => svg("rect", { class: "fill accent", x: place * each + 1, width: each - 2, y: height - (value / highest) * (height - 6), height: (value / highest) * (height - 6) })),
      svg("line", { class: "axis", x1: 0, x2: width, y1: height + 0.5, y2: height + 0.5 }),
      svg("line", { class: "median", x1: middle, x2: middle, y1: 0, y2: height }),
      svg("text", { x: 0, y: height + 14 }, "0 s"), svg("text", { x: width, y: height + 14, "text-anchor": "end" }, `${top_s.toFixed(1)} s${sorted.at(-1) > top_s ? " +" : ""}`),
      svg("text", { x: middle, y: height + 14, "text-anchor": middle < 40 ? "start" : middle > width - 60 ? "end" : "middle", class: "strong" }, middle > 30 && middle < width - 60 ? `median ${median_s.toFixed(1)} s` : "")));
}
