// Drawings: one outline for each place, the compass, arrows. Windows light up by CSS.
const NS = "http://www.w3.org/2000/svg";

// In a box of 100 by 100: walls and roofs (`wall`), windows (`window`), small things (`trim`).
const SHAPES = {
  lighthouse: [["wall", "M40 92 L44 34 H56 L60 92 Z"], ["window", "M43 20 H57 V34 H43 Z"], ["trim", "M40 20 L50 8 L60 20 Z M38 34 H62 V38 H38 Z M42 56 H58 V64 H42 Z"]],
  harbour: [["wall", "M14 66 H86 L76 86 H24 Z"], ["trim", "M48 14 H52 V66 H48 Z M54 18 L80 58 H54 Z"], ["window", "M30 71 h8 v8 h-8 Z M46 71 h8 v8 h-8 Z M62 71 h8 v8 h-8 Z"]],
  mill: [["wall", "M34 92 L40 40 H60 L66 92 Z"], ["trim", "M48 42 L20 14 L26 8 L54 38 Z M52 42 L80 14 L74 8 L46 38 Z M46 38 L20 62 L27 68 L54 42 Z M54 38 L80 62 L73 68 L46 42 Z"], ["trim", "M43 40 a7 7 0 1 0 14 0 a7 7 0 1 0 -14 0 Z"], ["window", "M45 70 H55 V92 H45 Z M46 52 h8 v9 h-8 Z"]],
  farm: [["wall", "M14 92 V52 L34 34 L54 52 V92 Z M58 92 V60 H88 V92 Z"], ["trim", "M10 54 L34 32 L58 54 L54 58 L34 40 L14 58 Z M55 54 H91 V61 H55 Z"], ["window", "M27 70 H41 V92 H27 Z M65 68 h7 v8 h-7 Z M76 68 h7 v8 h-7 Z"]],
  museum: [["wall", "M14 84 H86 V92 H14 Z M12 40 H88 V48 H12 Z M20 48 h8 v36 h-8 Z M72 48 h8 v36 h-8 Z M46 48 h8 v36 h-8 Z"], ["trim", "M12 38 L50 14 L88 38 Z"], ["window", "M31 54 h12 v30 h-12 Z M57 54 h12 v30 h-12 Z"]],
  church: [["wall", "M42 92 V52 L66 40 L90 52 V92 Z M16 92 V42 H42 V92 Z"], ["trim", "M14 42 L29 16 L44 42 Z M27 6 h4 v10 h-4 Z M23 9 h12 v3 h-12 Z"], ["window", "M24 52 q5 -8 10 0 V66 H24 Z M60 68 q6 -10 12 0 V92 H60 Z"]],
  market: [["wall", "M18 50 H82 V92 H18 Z"], ["trim", "M12 30 H88 L92 50 H8 Z"], ["window", "M26 58 H48 V76 H26 Z M56 58 H72 V92 H56 Z"]],
  bakery: [["wall", "M18 92 V44 H82 V92 Z"], ["trim", "M14 44 L24 26 H76 L86 44 Z M62 12 h9 v14 h-9 Z"], ["window", "M26 56 q13 -16 26 0 V74 H26 Z M60 56 H74 V92 H60 Z"]],
  station: [["wall", "M10 92 V56 H90 V92 Z M36 56 V30 H64 V56 Z"], ["trim", "M32 30 L50 14 L68 30 Z M8 50 H92 V57 H8 Z"], ["window", "M44 36 a6 6 0 1 0 12 0 a6 6 0 1 0 -12 0 Z M18 66 h10 v12 h-10 Z M72 66 h10 v12 h-10 Z M43 66 H57 V92 H43 Z"]],
  school: [["wall", "M12 92 V50 H88 V92 Z M38 50 V34 L50 22 L62 34 V50 Z"], ["trim", "M8 44 H36 V50 H8 Z M64 44 H92 V50 H64 Z M49 8 h3 v16 h-3 Z M52 8 L66 12 L52 17 Z"], ["window", "M18 58 h11 v10 h-11 Z M71 58 h11 v10 h-11 Z M43 66 H57 V92 H43 Z M46 36 h8 v9 h-8 Z"]],
  library: [["wall", "M14 92 V40 H86 V92 Z"], ["trim", "M10 32 H90 V40 H10 Z M50 26 Q38 14 22 18 V28 Q38 24 50 34 Q62 24 78 28 V18 Q62 14 50 26 Z"], ["window", "M22 50 h10 v26 h-10 Z M68 50 h10 v26 h-10 Z M42 58 H58 V92 H42 Z"]],
  hospital: [["wall", "M10 92 V52 H34 V28 H66 V52 H90 V92 Z"], ["trim", "M46 34 h8 v6 h6 v8 h-6 v6 h-8 v-6 h-6 v-8 h6 Z"], ["window", "M16 62 h10 v10 h-10 Z M74 62 h10 v10 h-10 Z M42 68 H58 V92 H42 Z"]],
};
const PLAIN = [["wall", "M18 92 V48 L50 22 L82 48 V92 Z"], ["window", "M42 62 H58 V92 H42 Z"]];

export function svg(name, attributes = {}) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export function drawPlace(place) {
  const picture = svg("svg", { viewBox: "0 0 100 100", class: "picture", "aria-hidden": "true" });
  for (const [kind, path] of SHAPES[place] ?? PLAIN) picture.append(svg("path", { class: kind, d: path }));
  return picture;
}

export function drawRoads(roads, places) {
  const points = Object.values(places);
  const lines = [];
  for (const one of points) {
    for (const other of points) {
      const columns = other.cell[0] - one.cell[0];
      const rows = other.cell[1] - one.cell[1];
      const isStep = Math.max(Math.abs(columns), Math.abs(rows)) === 1;
      if (isStep && (columns > 0 || (columns === 0 && rows > 0))) {
        const kind = columns && rows ? "path" : "road";
        lines.push(svg("line", { class: kind, x1: one.x_px, y1: one.y_px, x2: other.x_px, y2: other.y_px }));
      }
    }
  }
  roads.replaceChildren(...lines);
}

export function drawCompass(compass, letters) {
  const parts = [svg("circle", { r: 92, class: "rim" })];
  for (let turn = 0; turn < 360; turn += 45) {
    const long = turn % 90 === 0;
    const d = long ? "M0 -66 L11 -11 L0 0 L-11 -11 Z" : "M0 -46 L8 -8 L0 0 L-8 -8 Z";
    parts.push(svg("path", { d, transform: `rotate(${turn})`, class: turn === 0 ? "needle north" : "needle" }));
  }
  letters.forEach((letter, index) => {
    const angle = (index * Math.PI) / 2;
    const text = svg("text", { x: 79 * Math.sin(angle), y: -79 * Math.cos(angle), class: "letter" });
    text.textContent = letter;
    parts.push(text);
  });
  compass.replaceChildren(...parts);
}

const TURNS = { north: 0, "north-east": 45, east: 90, "south-east": 135, south: 180, "south-west": 225, west: 270, "north-west": 315 };

export function drawArrow(direction) {
  const arrow = svg("svg", { viewBox: "-12 -12 24 24", class: "arrow", "aria-hidden": "true" });
  arrow.append(svg("path", { d: "M0 -10 L7 1 H3 V10 H-3 V1 H-7 Z", transform: `rotate(${TURNS[direction] ?? 0})` }));
  return arrow;
}
