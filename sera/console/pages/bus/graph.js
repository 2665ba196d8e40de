/**
 * Who speaks to whom: modules in groups by character, and an arrow from each that was heard to
 * each that handles what it said. The same stands in a table for whoever cannot see the drawing.
 */

import { empty, h, panel, svg } from "../lib/dom.js";

const WIDTH = 640;
const ROW = 30;
const NODE = { width: 150, height: 22 };
const MOST_MODULES = 40;
const TALLEST = 8;

/** Arrows between sources: `[{ from, to, types: Map<type, count>, count }]`. */
export function linksOf(traffic, presence) {
  const handlers = new Map();
  for (const [source, { handles = [], status }] of presence) {
    if (status === "stopped" || status === "lost") continue;
    for (const type of handles) handlers.set(type, [...(handlers.get(type) ?? []), source]);
  }
  const links = new Map();
  for (const { source, types, owner } of traffic.sources.values()) {
    for (const [type, count] of types) {
      for (const to of handlers.get(type) ?? []) {
        const other = to.split(".")[0];
        if (to === source || (owner !== other && owner !== "world" && other !== "world")) continue;
        const key = `${source} ${to}`;
        const link = links.get(key) ?? { from: source, to, types: new Map(), count: 0 };
        link.types.set(type, count);
        link.count += count;
        links.set(key, link);
      }
    }
  }
  return [...links.values()];
}

/** @returns {{element: Element, close: () => void}} */
export function showGraph(desk, traffic) {
  const drawing = h("div", { class: "graph scroll", tabindex: "0", role: "region", "aria-label": "Drawing of who speaks to whom" });
  const rows = h("tbody");
  const words = h("p", { class: "quietly graph-words", role: "status" }, "Point at a module, or focus it, to see its connections.");
  const details = h("details", { class: "graph-table" }, h("summary", {}, "As a table"),
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["From", "To", "What"].map((title) => h("th", { scope: "col" }, title)))), rows)));
  const element = panel("Who speaks to whom", { class: "who" }, [], drawing, words, details);
  let shape = "";
  let links = [];

  function show() {
    links = linksOf(traffic, desk.presence);
    const sources = [...new Set([...desk.presence.keys(), ...traffic.sources.keys()])].sort().slice(0, MOST_MODULES);
    const now = JSON.stringify([sources, links.map(({ from, to, types }) => [from, to, [...types.keys()]])]);
    if (now === shape) return; // nothing new: no element loses its focus
    shape = now;
    if (!sources.length) {
      drawing.replaceChildren(empty("No module is present yet."));
      return;
    }
    const focused = document.activeElement?.closest?.(".graph [data-source]")?.dataset.source;
    drawing.replaceChildren(draw(sources));
    if (focused) [...drawing.querySelectorAll("[data-source]")].find((node) => node.dataset.source === focused)?.focus();
    rows.replaceChildren(...links.map(({ from, to, types }) => h("tr", {}, h("th", { scope: "row" }, from), h("td", {}, to), h("td", {}, [...types.keys()].join(", ")))));
  }

  function draw(sources) {
    const { places, height, groups } = placesOf(sources);
    const arrows = links.filter(({ from, to }) => places.has(from) && places.has(to)).map((link) => arrowOf(link, places));
    const nodes = sources.map((source) => {
      const [x, y] = places.get(source);
      const name = source.split(".").slice(1).join(".") || source;
      return svg("g", { class: "node", tabindex: "0", role: "img", "aria-label": inWords(source), data: { source }, onmouseenter: () => light(source), onfocus: () => light(source), onmouseleave: () => light(null), onblur: () => light(null) },
        svg("rect", { x, y, width: NODE.width, height: NODE.height, rx: 5 }), svg("text", { x: x + NODE.width / 2, y: y + 15, "text-anchor": "middle" }, name.length > 20 ? `${name.slice(0, 19)}…` : name));
    });
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "who-graph", role: "group", "aria-label": `${sources.length} modules, ${links.length} connections` },
      svg("defs", {}, svg("marker", { id: "bus-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto-start-reverse" }, svg("path", { d: "M0 0 L8 4 L0 8 z" }))),
      groups.map(({ title, x, y, tall }) => [svg("rect", { class: "group", x: x - 12, y: y - 26, width: NODE.width + 24, height: tall + 32, rx: 8 }), svg("text", { class: "group-title", x: x - 2, y: y - 10 }, title)]),
      arrows, nodes);
  }

  function inWords(source) {
    const says = links.filter(({ from }) => from === source).map(({ to, types }) => `${[...types.keys()].join(", ")} to ${to}`);
    const hears = links.filter(({ to }) => to === source).map(({ from }) => from);
    return `${source}: ${says.length ? `says ${says.join("; ")}` : "says nothing that another module handles"}${hears.length ? `. Hears ${[...new Set(hears)].join(", ")}` : ""}`;
  }

  function light(source) {
    drawing.classList.toggle("lit", source !== null);
    const near = new Set([source]);
    for (const line of drawing.querySelectorAll(".arrow")) {
      const on = source !== null && (line.dataset.from === source || line.dataset.to === source);
      line.classList.toggle("on", on);
      if (on) near.add(line.dataset.from).add(line.dataset.to);
    }
    for (const node of drawing.querySelectorAll(".node")) node.classList.toggle("on", near.has(node.dataset.source));
    words.textContent = source === null ? "Point at a module, or focus it, to see its connections." : inWords(source);
  }

  const offs = [traffic.onSecond(show), desk.on("presence", show)];
  show();
  return { element, close: () => offs.forEach((off) => off()) };
}

/** Columns: the world in the middle, characters on both sides, so that arrows stay short. */
function placesOf(sources) {
  const columns = [[], [], []];
  let side = 0;
  for (const [owner, members] of Map.groupBy(sources, (source) => source.split(".")[0])) {
    const parts = Math.ceil(members.length / TALLEST);
    const each = Math.ceil(members.length / parts);
    for (let part = 0; part < parts; part++) {
      const group = { title: part ? `${owner}, continued` : owner, members: members.slice(part * each, (part + 1) * each) };
      // A world of many modules stands in the middle as a whole; other groups take turns.
      if (owner === "world") columns[1].push(group);
      else columns[side++ % 2 ? 2 : 0].push(group);
    }
  }
  const used = columns.filter((column) => column.length);
  const apart = used.length > 1 ? (WIDTH - NODE.width - 32) / (used.length - 1) : 0;
  const places = new Map();
  const groups = [];
  let height = 0;
  used.forEach((column, at) => {
    let y = 34;
    const x = used.length > 1 ? 16 + at * apart : (WIDTH - NODE.width) / 2;
    for (const { title, members } of column) {
      groups.push({ title, x, y, tall: members.length * ROW });
      for (const source of members) {
        places.set(source, [x, y]);
        y += ROW;
      }
      y += 44;
    }
    height = Math.max(height, y - 30);
  });
  return { places, groups, height };
}

function arrowOf({ from, to, types }, places) {
  const [[x1, y1], [x2, y2]] = [places.get(from), places.get(to)];
  const [above, below] = [y1 + NODE.height / 2, y2 + NODE.height / 2];
  const title = svg("title", {}, `${from} → ${to}: ${[...types.keys()].join(", ")}`);
  const drawn = { class: "arrow", "marker-end": "url(#bus-arrow)", data: { from, to } };
  if (x1 === x2) {
    const side = x1 > WIDTH / 2 ? -1 : 1;
    const edge = side > 0 ? x1 + NODE.width : x1;
    const out = edge + side * (24 + Math.min(60, Math.abs(below - above) / 4));
    return svg("path", { ...drawn, d: `M${edge} ${above} C${out} ${above} ${out} ${below} ${edge} ${below}` }, title);
  }
  const right = x2 > x1;
  const [begin, end] = right ? [x1 + NODE.width, x2] : [x1, x2 + NODE.width];
  const middle = (begin + end) / 2;
  return svg("path", { ...drawn, d: `M${begin} ${above} C${middle} ${above} ${middle} ${below} ${end} ${below}` }, title);
}
