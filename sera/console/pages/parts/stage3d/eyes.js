/** Where the room is looked at from: five views, orbiting by pointer, and by keys. */

import { Box3, Euler, MathUtils, Matrix4, Quaternion, Spherical, Vector3 } from "/console/vendor/three/three.module.js";
import { OrbitControls } from "/console/vendor/three/OrbitControls.js";

/** Views by name, with what they are called and the key that brings them. */
export const PRESETS = [
  { name: "front", title: "From the front", key: "v f" },
  { name: "side", title: "From the side", key: "v s" },
  { name: "top", title: "From above", key: "v t" },
  { name: "shoulder", title: "Over the robot's shoulder", key: "v r" },
  { name: "person", title: "Through a person's eyes", key: "v p" },
];
/** From where the views that hold everything look. */
const FROM = { front: [-0.62, 0.6, 1], side: [-1, 0.22, 0.12], top: [0, 1, -0.001] };
/** How much of the picture they fill. */
const FILLED = 0.86;
/** By how much of its size the room may change before a view is taken anew. */
const OUTGROWN = 0.2;
const TURN_RAD = 0.12;
const NEARER = 0.88;
const SIDEWAYS = 0.08;
/** What is farther away does not belong to the room. */
const FAR_M = 6;

/** What a screen or an object takes up of the room, however it is turned. */
function extentOf({ position_m, size_m, width_m = 0, height_m = 0, pitch_deg = 0, yaw_deg = 0, roll_deg = 0 }) {
  const size = new Vector3(...(size_m ?? [width_m, height_m, 0]));
  const turned = new Euler(...[pitch_deg, yaw_deg, roll_deg].map((degrees) => MathUtils.degToRad(degrees ?? 0)), "YXZ");
  const place = new Matrix4().compose(new Vector3(...position_m), new Quaternion().setFromEuler(turned), new Vector3(1, 1, 1));
  return new Box3().setFromCenterAndSize(new Vector3(), size).applyMatrix4(place);
}

export class Eyes {
  /** Whether somebody has turned the view by hand since it was chosen. */ isMoved = false;
  #fitted = new Box3();
  #camera;
  #controls;
  #world;
  #robots;

  /** @param {(why: string) => void} changed - called when the view must be drawn again */
  constructor(camera, element, world, robots, { changed, pointer = true }) {
    this.#camera = camera;
    this.#world = world;
    this.#robots = robots;
    this.#controls = new OrbitControls(camera, element);
    Object.assign(this.#controls, { enabled: pointer, enableDamping: false, maxPolarAngle: Math.PI * 0.52, minDistance: 0.25, maxDistance: 25, enableZoom: false });
    this.#controls.addEventListener("change", changed);
    this.#controls.addEventListener("start", () => { this.isMoved = true; });
    if (pointer) {
      element.addEventListener("keydown", this.#key);
      // The wheel scrolls the page until somebody works in the view.
      element.addEventListener("focus", () => { this.#controls.enableZoom = true; });
      element.addEventListener("blur", () => { this.#controls.enableZoom = false; });
    }
  }

  /** Where the camera looks at. */
  get target() { return this.#controls.target; }

  /** What is in the room, so that views hold all of it. */
  frame() {
    const box = new Box3();
    for (const { body, character } of this.#robots.values()) {
      // As tall as it is, whatever its pose: views must not jump with a gesture or a long gaze.
      const [x, y, z] = character.position_m;
      const half = 0.3 * body.height_m;
      box.expandByPoint(new Vector3(x - half, y + body.ground_m, z - half));
      box.expandByPoint(new Vector3(x + half, y + body.ground_m + body.height_m, z + half));
    }
    for (const { position_m } of this.#world.characters.values()) if (!this.#robots.size) box.expandByPoint(new Vector3(...position_m));
    for (const { position_m } of this.#world.people.values()) if (position_m) box.expandByPoint(new Vector3(...position_m).add(new Vector3(0, 0.15, 0)));
    for (const kind of ["screens", "objects"]) {
      for (const one of Object.values(this.#world.space[kind] ?? {})) if (Math.hypot(...one.position_m) < FAR_M) box.union(extentOf(one));
    }
    if (box.isEmpty()) box.set(new Vector3(-0.5, 0, -0.5), new Vector3(0.5, 1, 0.5));
    return box;
  }

  /** Whether the room holds clearly more or less than when the view was chosen. */
  get isOutgrown() {
    const now = this.frame();
    const size = this.#fitted.getSize(new Vector3()).length();
    return now.min.distanceTo(this.#fitted.min) + now.max.distanceTo(this.#fitted.max) > OUTGROWN * size;
  }

  /** Go to a view; returns a sentence where it had to be another one. */
  go(name, character = null) {
    this.isMoved = false;
    const box = this.frame();
    this.#fitted = box.clone();
    const robot = this.#robots.get(character) ?? this.#robots.values().next().value;
    const { position } = this.#camera;
    const target = box.getCenter(this.#controls.target);
    const { somebody } = this;
    if (name === "shoulder" && robot) this.#overShoulder(robot, position, target);
    else if (name === "person" && somebody) {
      position.set(...somebody.position_m);
      if (robot) target.set(...(robot.character.face_m ?? robot.character.position_m));
    } else this.#allOf(box, FROM[name] ?? FROM.front);
    this.#controls.update();
    if (name === "person" && !somebody) return "Nobody is there yet: seen from the front.";
    return null;
  }

  dispose() {
    this.#controls.domElement?.removeEventListener("keydown", this.#key);
    this.#controls.dispose();
  }

  /** The person whose eyes are looked through. */
  get somebody() {
    return [...this.#world.people.values()].find(({ position_m }) => position_m) ?? null;
  }

  /** Look from a direction, from as near as everything can be seen. */
  #allOf(box, from) {
    const { target } = this.#controls;
    const back = new Vector3(...from).normalize();
    const across = new Vector3(0, 1, 0).cross(back).normalize();
    const up = new Vector3().crossVectors(back, across);
    const tall = Math.tan((this.#camera.fov * Math.PI) / 360) * FILLED;
    let away = 0.5;
    for (let corner = 0; corner < 8; corner++) {
      const place = new Vector3(...["x", "y", "z"].map((axis, bit) => box[(corner >> bit) & 1 ? "max" : "min"][axis])).sub(target);
      const beside = Math.max(Math.abs(place.dot(across)) / (tall * this.#camera.aspect), Math.abs(place.dot(up)) / tall);
      away = Math.max(away, beside + place.dot(back));
    }
    this.#camera.position.copy(target).addScaledVector(back, away);
  }

  #overShoulder(robot, position, target) {
    const { position_m, yaw_rad } = robot.character;
    const face = robot.face?.position ?? new Vector3(...position_m);
    const ahead = new Vector3(Math.sin(yaw_rad), 0, Math.cos(yaw_rad));
    const right = new Vector3(-ahead.z, 0, ahead.x);
    const reach = Math.max(robot.body.height_m, 0.4);
    position.copy(face).addScaledVector(ahead, -1.3 * reach).addScaledVector(right, 0.45 * reach);
    position.y += 0.45 * reach;
    target.copy(face).addScaledVector(ahead, 1.2);
    // Who is in front of the robot belongs into the picture.
    const { somebody } = this;
    if (somebody) target.lerp(new Vector3(...somebody.position_m), 0.3);
  }

  #key = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^Arrow|^[+=-]$/.test(event.key)) this.isMoved = true;
    const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (turn && event.shiftKey) this.#shift(turn);
    else if (turn) this.#turn(turn);
    else if (event.key === "+" || event.key === "=") this.#near(NEARER);
    else if (event.key === "-") this.#near(1 / NEARER);
    else return;
    event.preventDefault();
    this.#controls.update();
  };

  #turn([across, down]) {
    const { target } = this.#controls;
    const round = new Spherical().setFromVector3(this.#camera.position.clone().sub(target));
    round.theta += across * TURN_RAD;
    round.phi = Math.min(Math.PI * 0.52, Math.max(0.01, round.phi + down * TURN_RAD));
    this.#camera.position.setFromSpherical(round).add(target);
  }

  #shift([across, down]) {
    const { target } = this.#controls;
    const away = this.#camera.position.distanceTo(target) * SIDEWAYS;
    const move = new Vector3(across * away, -down * away, 0).applyQuaternion(this.#camera.quaternion);
    target.add(move);
    this.#camera.position.add(move);
  }

  #near(factor) {
    const { target } = this.#controls;
    this.#camera.position.sub(target).multiplyScalar(factor).add(target);
  }
}
