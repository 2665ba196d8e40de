/** People: a head with a nose, a body below it, a name, and a short ray where the face points. */

import {
  BufferGeometry, ConeGeometry, Float32BufferAttribute, Group, LatheGeometry, Line, LineBasicMaterial, Mesh, MeshLambertMaterial, SphereGeometry, Vector2, Vector3,
} from "/console/vendor/three/three.module.js";
import { Label } from "./label.js";

const HEAD_M = 0.105;
const NECK_M = 1.15 * HEAD_M;
const RAY_M = 0.6;
const CATCH_UP_S = 0.08;
const head = new SphereGeometry(HEAD_M, 14, 10);
const nose = new ConeGeometry(0.025, 0.07, 8).rotateX(Math.PI / 2).translate(0, 0, HEAD_M + 0.02);
/** A figure of a board game, one metre high from the neck down. */
const PAWN = new LatheGeometry([[0, -1], [0.15, -1], [0.15, -0.97], [0.085, -0.8], [0.08, -0.45], [0.15, -0.2], [0.16, -0.12], [0.12, -0.05], [0.04, -0.02], [0.04, 0]].map(([x, y]) => new Vector2(x, y)), 14);
const FORWARD = new Vector3(0, 0, 1);

export class People {
  object = new Group();
  #shown = new Map();
  #colours;
  #material;
  #faint;
  #ray;

  constructor(world, colours, floor_m) {
    this.world = world;
    this.floor_m = floor_m;
    this.#colours = colours;
    // Seen through, because people stand between the eye and the robot.
    this.#material = new MeshLambertMaterial({ transparent: true, opacity: 0.62 });
    this.#faint = new MeshLambertMaterial({ transparent: true, opacity: 0.28, depthWrite: false });
    this.#ray = new LineBasicMaterial({ transparent: true, opacity: 0.7 });
    this.colour(colours);
  }

  colour(colours) {
    this.#colours = colours;
    for (const material of [this.#material, this.#faint]) material.color.set(colours.person);
    this.#ray.color.set(colours.person);
    for (const { label } of this.#shown.values()) label.colour(colours);
  }

  /** Make and remove figures as people come and go; names and looks as they are now. */
  sync() {
    for (const [id, figure] of this.#shown) {
      if (!this.world.people.get(id)?.position_m) {
        this.object.remove(figure.object);
        figure.label.dispose();
        this.#shown.delete(id);
      }
    }
    for (const person of this.world.people.values()) {
      if (!person.position_m) continue;
      const figure = this.#shown.get(person.id) ?? this.#make(person);
      const material = person.seen ? this.#material : this.#faint;
      for (const part of figure.parts) part.material = material;
      const looks = person.looks_at ? ` → ${person.looks_at}` : "";
      figure.label.say(`${person.name ?? person.id}${person.speaking ? " speaks" : ""}${looks}`);
      figure.ray.visible = person.seen && Boolean(person.direction);
      this.#stand(figure);
      figure.object.visible = person.id !== this.#hidden;
    }
  }

  /** Do not show the one through whose eyes the room is seen; null shows everybody. */
  hide(id) {
    this.#hidden = id;
    for (const [known, figure] of this.#shown) figure.object.visible = known !== id;
  }

  #hidden = null;

  /** Move figures towards where people are; returns whether any moved. */
  update(dt_s) {
    let moved = false;
    const share = 1 - Math.exp(-dt_s / CATCH_UP_S);
    for (const [id, figure] of this.#shown) {
      const person = this.world.people.get(id);
      if (!person?.position_m) continue;
      const goal = new Vector3(...person.position_m);
      if (figure.object.position.distanceToSquared(goal) > 1e-7) {
        figure.object.position.lerp(goal, share);
        moved = true;
        this.#stand(figure);
      }
      if (person.direction) {
        const wanted = new Vector3(...person.direction);
        if (wanted.lengthSq() > 0 && figure.direction.distanceToSquared(wanted) > 1e-6) {
          figure.direction.lerp(wanted, share).normalize();
          figure.turning.quaternion.setFromUnitVectors(FORWARD, figure.direction);
          moved = true;
        }
      }
    }
    return moved;
  }

  dispose() {
    for (const { label } of this.#shown.values()) label.dispose();
    for (const material of [this.#material, this.#faint, this.#ray]) material.dispose();
  }

  #make(person) {
    const object = new Group();
    const turning = new Group();
    const parts = [new Mesh(head, this.#material), new Mesh(nose, this.#material), new Mesh(PAWN, this.#material)];
    const line = new BufferGeometry();
    line.setAttribute("position", new Float32BufferAttribute([0, 0, HEAD_M, 0, 0, RAY_M], 3));
    const ray = new Line(line, this.#ray);
    turning.add(parts[0], parts[1], ray);
    const label = new Label(person.id, this.#colours);
    label.sprite.position.y = HEAD_M + 0.06;
    object.add(turning, parts[2], label.sprite);
    object.userData = { target: person.id };
    object.position.set(...person.position_m);
    const figure = { object, turning, parts, ray, label, body: parts[2], direction: new Vector3(0, 0, -1) };
    if (person.direction) figure.direction.set(...person.direction).normalize();
    turning.quaternion.setFromUnitVectors(FORWARD, figure.direction);
    this.#stand(figure);
    this.object.add(object);
    this.#shown.set(person.id, figure);
    return figure;
  }

  /** The body reaches from the neck to the floor. */
  #stand({ object, body }) {
    body.scale.y = Math.max(0.1, object.position.y - NECK_M - this.floor_m);
    body.position.y = -NECK_M;
  }
}
