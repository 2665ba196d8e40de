/** The room from above, drawn as SVG, where the browser has no WebGL. Forward is up, left is left. */

import { eachFrame, svg } from "../../lib/dom.js";

const across = (x_m) => -x_m;
const down = (z_m) => -z_m;

export class Plan {
  /** Put it into the page. */ element = svg("svg", { class: "stage-plan", role: "img", preserveAspectRatio: "xMidYMid meet" });
  #world;
  #picked = new Set();
  #shapes = svg("g", {});

  constructor(world) {
    this.#world = world;
    this.element.append(this.#shapes);
    this.element.addEventListener("click", (event) => this.#clicked(event));
    this.draw = eachFrame(() => this.#draw());
    this.draw();
  }

  get canvas() { return this.element; }
  measured = { hz: 0, drawn: 0, ratio: 1 };
  add() { this.draw(); }
  went() { this.draw(); }
  preview() {}
  look() { return "Without WebGL there is only the view from above."; }
  resize() { this.draw(); }
  show() {}
  shown() { return null; }
  faceOf() { return null; }
  close() {}
  onPicture([x_m, , z_m]) {
    const { x, y } = new DOMPoint(across(x_m), down(z_m)).matrixTransform(this.element.getScreenCTM() ?? new DOMMatrix());
    const place = this.element.getBoundingClientRect();
    return { x: x - place.left, y: y - place.top };
  }

  onPick(listener) {
    this.#picked.add(listener);
    return () => this.#picked.delete(listener);
  }

  #draw() {
    const { space, characters, people } = this.#world;
    const dots = [];
    for (const [name, one] of Object.entries(space.screens ?? {})) dots.push({ name, kind: "screen", place: one.position_m, wide: one.width_m });
    for (const [name, one] of Object.entries(space.seats ?? {})) dots.push({ name, kind: "seat", place: one.position_m });
    for (const [name, one] of Object.entries(space.objects ?? {})) dots.push({ name, kind: "object", place: one.position_m });
    for (const { name, position_m, yaw_rad } of characters.values()) dots.push({ name, kind: "character", place: position_m, ahead: [Math.sin(yaw_rad), Math.cos(yaw_rad)] });
    for (const { id, name, position_m, direction } of people.values()) {
      if (position_m) dots.push({ name: name ?? id, kind: "person", place: position_m, ahead: direction ? [direction[0], direction[2]] : null });
    }
    const xs = [...dots.map(({ place }) => across(place[0])), -1, 1];
    const ys = [...dots.map(({ place }) => down(place[2])), -1.5, 0.5];
    const [left, top] = [Math.min(...xs) - 0.6, Math.min(...ys) - 0.6];
    this.element.setAttribute("viewBox", `${left} ${top} ${Math.max(...xs) + 0.6 - left} ${Math.max(...ys) + 0.6 - top}`);
    this.#shapes.replaceChildren(...dots.map((dot) => this.#dot(dot)), ...this.#rays());
  }

  #dot({ name, kind, place, ahead, wide }) {
    const group = svg("g", { class: kind, transform: `translate(${across(place[0])} ${down(place[2])})` });
    if (kind === "screen") group.append(svg("rect", { x: -wide / 2, y: -0.03, width: wide, height: 0.06 }));
    else group.append(svg("circle", { r: { character: 0.15, person: 0.14, seat: 0.2 }[kind] ?? 0.06 }));
    if (ahead) group.append(svg("line", { x1: 0, y1: 0, x2: across(ahead[0]) * 0.32, y2: down(ahead[1]) * 0.32 }));
    group.append(svg("text", { y: kind === "seat" ? -0.26 : 0.28, "text-anchor": "middle" }, name));
    return group;
  }

  #rays() {
    const lines = [];
    for (const character of this.#world.characters.values()) {
      const [goal, face_m] = [this.#world.goalOf(character), this.#world.faceOf(character.name)];
      if (goal) lines.push(svg("line", { class: "ray", x1: across(face_m[0]), y1: down(face_m[2]), x2: across(goal[0]), y2: down(goal[2]) }));
    }
    return lines;
  }

  #clicked(event) {
    const turned = this.element.getScreenCTM()?.inverse();
    if (!turned || !this.#picked.size) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(turned);
    for (const listener of this.#picked) listener({ position_m: [-x, 0, -y], screen: null, target: null });
  }
}
