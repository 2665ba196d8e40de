/**
 * One character's body: read from URDF, one mesh a link, moved smoothly between the frames that
 * arrive, with its gaze as a ray from where its face really is.
 */

import {
  BufferGeometry, Color, Float32BufferAttribute, Group, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3,
} from "/console/vendor/three/three.module.js";
import URDFLoader from "/console/vendor/urdf-loader/URDFLoader.js";
import { baked, merged, trianglesOf } from "./hull.js";

const URDF_TO_ROOM = new Quaternion(-0.5, -0.5, -0.5, 0.5);
const SHORTEST_MS = 8;
const LONGEST_MS = 220;
const RAY_M = 2.5;

export class Robot {
  /** In the room, where the scenario has the character. */ object = new Group();
  /** The ray of its gaze. */ ray;
  /** Where the face is and where it looks, after `update`. */ face = null;
  #values = new Map();
  #from = new Map();
  #to = new Map();
  #began_ms = 0;
  #span_ms = 20;
  #seen = 0;
  #glowing = [];
  #sliding = [];
  #model;
  #faceLink = null;
  #materials = [];

  /**
   * @param {any} body - what `GET bodies/<robot>` told
   * @param {{position_m: number[], yaw_rad: number}} character
   * @param {{ghost?: string|null}} [options] - `ghost`: a colour to be seen through
   */
  constructor(body, character, { ghost = null } = {}) {
    this.body = body;
    this.character = character;
    this.#model = this.#read(body, ghost);
    this.#model.quaternion.copy(URDF_TO_ROOM);
    this.object.add(this.#model);
    this.object.position.set(...character.position_m);
    this.object.rotation.y = character.yaw_rad;
    this.object.name = character.name;
    this.object.userData = { target: character.name };
    for (const { name, neutral } of [...body.joints, ...body.channels]) this.#values.set(name, neutral);
    if (body.face) this.#faceLink = this.#model.links[body.face.link] ?? null;
    const line = new BufferGeometry();
    line.setAttribute("position", new Float32BufferAttribute([0, 0, 0, 0, 0, 1], 3));
    this.ray = new Line(line, new LineBasicMaterial({ color: "#14647f", transparent: true, opacity: 0.8 }));
    this.ray.frustumCulled = false;
    this.ray.visible = Boolean(this.#faceLink) && !ghost;
    this.#pose();
  }

  /** Values by joint and channel, as they are drawn. */
  get shown() { return this.#values; }

  /** Take the newest values of the world, if they are new. */
  follow() {
    const { character } = this;
    if (character.changed === this.#seen) return;
    const now = performance.now();
    const gap = this.#seen ? Math.min(LONGEST_MS, Math.max(SHORTEST_MS, now - this.#began_ms)) : SHORTEST_MS;
    // Frames come in bursts over a network: the usual gap, not the last one.
    this.#span_ms += 0.2 * (gap - this.#span_ms);
    this.#seen = character.changed;
    this.aim(character.values, this.#span_ms * 1.25, now);
  }

  /** Go to values from where the body is drawn now. */
  aim(values, span_ms, now = performance.now()) {
    this.#from.clear();
    this.#to.clear();
    this.#began_ms = now;
    this.#goal_ms = span_ms;
    for (const [name, value] of values) {
      const before = this.#values.get(name) ?? value;
      if (Math.abs(before - value) < 1e-7) continue;
      this.#from.set(name, before);
      this.#to.set(name, value);
    }
  }

  #goal_ms = 0;

  /** Bring the drawing up to this moment; returns whether anything moved. */
  update(now) {
    if (!this.#to.size) return false;
    // A browser may draw for a moment before the newest values came: never beyond where the body was.
    const share = this.#goal_ms > 0 ? Math.min(1, Math.max(0, (now - this.#began_ms) / this.#goal_ms)) : 1;
    for (const [name, goal] of this.#to) {
      const begin = this.#from.get(name);
      this.#values.set(name, share < 1 ? begin + share * (goal - begin) : goal); // the end is exact
    }
    if (share >= 1) this.#to.clear();
    this.#pose();
    return true;
  }

  /** Let the ray end at a place, or somewhere ahead. */
  pointRay(place_m) {
    if (!this.ray.visible || !this.face) return;
    const { position, direction } = this.face;
    const length = place_m ? Math.max(0.15, new Vector3(...place_m).sub(position).length()) : RAY_M;
    const line = this.ray.geometry.getAttribute("position");
    line.setXYZ(0, position.x, position.y, position.z);
    line.setXYZ(1, position.x + length * direction.x, position.y + length * direction.y, position.z + length * direction.z);
    line.needsUpdate = true;
  }

  dispose() {
    for (const mesh of this.#meshes()) mesh.geometry.dispose();
    for (const material of this.#materials) material.dispose();
    this.ray.geometry.dispose();
    this.ray.material.dispose();
  }

  #meshes() {
    const found = [];
    this.object.traverse((one) => { if (one.isMesh) found.push(one); });
    return found;
  }

  #pose() {
    const { joints } = this.#model;
    for (const { name } of this.body.joints) joints[name]?.setJointValue(this.#values.get(name));
    for (const { mesh, glows } of this.#glowing) {
      const span = glows.upper - glows.lower;
      const share = span > 0 ? Math.min(1, Math.max(0, (this.#values.get(glows.channel) - glows.lower) / span)) : 0;
      mesh.material.color.set(glows.dimmed).lerp(new Color(glows.glowing), share);
    }
    for (const { mesh, slides } of this.#sliding) {
      const value = this.#values.get(slides.channel) ?? 0;
      mesh.position.set(...slides.by_m.map((part) => part * value));
    }
    this.object.updateMatrixWorld(true);
    if (!this.#faceLink) return;
    const position = new Vector3(...this.body.face.offset).applyMatrix4(this.#faceLink.matrixWorld);
    const direction = new Vector3(...this.body.face.direction).transformDirection(this.#faceLink.matrixWorld);
    this.face = { position, direction };
    this.character.face_m = position.toArray();
  }

  #read(body, ghost) {
    const loader = new URDFLoader();
    // Shapes are made below, where those of one link become one mesh.
    loader.loadMeshCb = (_path, _manager, _material, done) => done(new Group());
    const model = loader.parse(body.urdf);
    for (const joint of Object.values(model.joints)) joint.ignoreLimits = true;
    const material = ghost
      ? new MeshBasicMaterial({ color: ghost, transparent: true, opacity: 0.35, depthWrite: false })
      : new MeshLambertMaterial({ vertexColors: true });
    this.#materials.push(material);
    for (const link of Object.values(model.links)) this.#dress(link, body, material, ghost);
    return model;
  }

  /** Put one mesh into a link for all its shapes, and one for each that shines or slides. */
  #dress(link, body, material, ghost) {
    const parts = [];
    for (const visual of link.children.filter((one) => one.isURDFVisual)) {
      const name = visual.urdfName ?? "";
      const hull = body.hulls[name];
      link.remove(visual);
      if (hull) {
        const part = { ...trianglesOf(hull), colour: hull.colour };
        if (hull.glows || hull.slides) this.#single(link, part, hull, material, ghost);
        else parts.push(part);
      } else if (!body.hulls[name.split(".")[0]]) parts.push(...foreign(visual));
    }
    if (parts.length) link.add(new Mesh(merged(parts), material));
  }

  #single(link, part, hull, material, ghost) {
    const shines = hull.glows && !ghost;
    const own = shines ? new MeshBasicMaterial({ color: hull.colour }) : material;
    if (shines) this.#materials.push(own);
    const mesh = new Mesh(merged([part]), own);
    if (shines) this.#glowing.push({ mesh, glows: hull.glows });
    if (hull.slides) this.#sliding.push({ mesh, slides: hull.slides });
    link.add(mesh);
  }
}

/** Shapes that are no hull of ours, as a URDF from elsewhere has them. */
function foreign(visual) {
  const parts = [];
  visual.updateMatrixWorld(true);
  const back = new Matrix4().copy(visual.matrixWorld).invert();
  visual.updateMatrix();
  visual.traverse((one) => {
    if (!one.isMesh) return;
    const place = new Matrix4().multiplyMatrices(visual.matrix, new Matrix4().multiplyMatrices(back, one.matrixWorld));
    parts.push({ ...baked(one.geometry, place), colour: `#${one.material.color.getHexString()}` });
  });
  return parts;
}
