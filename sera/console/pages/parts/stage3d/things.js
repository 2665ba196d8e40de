/** What stands in the room: screens, seats, objects, cameras, and the floor with its grid. */

import {
  BoxGeometry, BufferGeometry, ConeGeometry, DoubleSide, EdgesGeometry, Euler, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, RingGeometry, SphereGeometry,
} from "/console/vendor/three/three.module.js";
import { Label } from "./label.js";

const FLAT_M = 0.05;
const radians = (degrees) => ((degrees ?? 0) * Math.PI) / 180;

export class Things {
  object = new Group();
  #labels = [];
  #materials = {};
  #floor_m;

  constructor(space, colours, { floor_m, half_m }) {
    this.#floor_m = floor_m;
    this.#materials = {
      screen: new MeshBasicMaterial({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }),
      thing: new MeshLambertMaterial(),
      mark: new MeshBasicMaterial({ side: DoubleSide, transparent: true, opacity: 0.55, depthWrite: false }),
      line: new LineBasicMaterial(),
      grid: new LineBasicMaterial({ transparent: true, opacity: 0.7 }),
      floor: new MeshBasicMaterial(),
    };
    for (const [name, one] of Object.entries(space.screens ?? {})) this.#screen(name, one, colours);
    for (const [name, one] of Object.entries(space.seats ?? {})) this.#seat(name, one, colours);
    for (const [name, one] of Object.entries(space.objects ?? {})) this.#thing(name, one, colours);
    for (const [name, one] of Object.entries(space.cameras ?? {})) this.#camera(name, one, colours);
    this.#ground(half_m);
    this.colour(colours);
  }

  colour(colours) {
    const { screen, thing, mark, line, grid, floor } = this.#materials;
    screen.color.set(colours.well);
    thing.color.set(colours.edge);
    mark.color.set(colours.edge);
    line.color.set(colours.edge);
    grid.color.set(colours.line);
    floor.color.set(colours.ground);
    for (const label of this.#labels) label.colour(colours);
  }

  dispose() {
    this.object.traverse((one) => one.geometry?.dispose());
    for (const material of Object.values(this.#materials)) material.dispose();
    for (const label of this.#labels) label.dispose();
  }

  #place(name, one, target = name) {
    const group = new Group();
    group.position.set(...one.position_m);
    group.rotation.copy(new Euler(radians(one.pitch_deg), radians(one.yaw_deg), radians(one.roll_deg), "YXZ"));
    group.userData = { target };
    this.object.add(group);
    return group;
  }

  #name(group, text, above_m, colours) {
    const label = new Label(text, colours);
    // Above it in the room, however it is turned itself.
    label.sprite.position.copy(group.position);
    label.sprite.position.y += above_m;
    this.object.add(label.sprite);
    this.#labels.push(label);
  }

  #screen(name, one, colours) {
    const group = this.#place(name, one);
    const plane = new PlaneGeometry(one.width_m, one.height_m);
    const mesh = new Mesh(plane, this.#materials.screen);
    mesh.userData = { screen: { name, width_m: one.width_m, height_m: one.height_m, pixels: one.pixels ?? [1920, 1080] } };
    const frame = new LineSegments(new EdgesGeometry(plane), this.#materials.line);
    group.add(mesh, frame);
    const upright = Math.cos(radians(one.pitch_deg));
    this.#name(group, name, 0.5 * one.height_m * Math.abs(upright) + 0.05, colours);
  }

  #seat(name, one, colours) {
    const group = this.#place(name, { position_m: [one.position_m[0], this.#floor_m + 0.004, one.position_m[2]], yaw_deg: one.yaw_deg });
    const ring = new Mesh(new RingGeometry(0.2, 0.24, 24).rotateX(-Math.PI / 2), this.#materials.mark);
    const nose = new Mesh(new ConeGeometry(0.06, 0.12, 3).rotateX(Math.PI / 2).scale(1, 0.02, 1).translate(0, 0, 0.31), this.#materials.mark);
    group.add(ring, nose);
    this.#name(group, name, 0.02, colours);
  }

  #thing(name, one, colours) {
    const group = this.#place(name, one);
    const [width, height, depth] = one.size_m ?? [];
    const shape = one.size_m ? new BoxGeometry(width, height, depth) : new SphereGeometry(0.045, 12, 8);
    group.add(new Mesh(shape, this.#materials.thing));
    // What lies flat on the floor, such as the keys of a piano, would be hidden by its names.
    if (!(height < FLAT_M)) this.#name(group, name, (one.size_m ? height / 2 : 0.045) + 0.04, colours);
  }

  #camera(name, one, colours) {
    const group = this.#place(name, one, null);
    const wide = 0.22 * Math.tan(radians(one.fov_deg ?? 60) / 2);
    const [x, y, z] = [wide, 0.62 * wide, 0.22];
    const corners = [[x, y, z], [-x, y, z], [-x, -y, z], [x, -y, z]];
    const lines = corners.flatMap((corner, place) => [0, 0, 0, ...corner, ...corner, ...corners[(place + 1) % 4]]);
    const cone = new BufferGeometry();
    cone.setAttribute("position", new Float32BufferAttribute(lines, 3));
    group.add(new LineSegments(cone, this.#materials.line));
    this.#name(group, name, 0.08, colours);
  }

  #ground(half_m) {
    const reach = Math.ceil(half_m);
    const lines = [];
    for (let at = -reach; at <= reach; at += 0.5) {
      lines.push(at, 0, -reach, at, 0, reach, -reach, 0, at, reach, 0, at);
    }
    const grid = new BufferGeometry();
    grid.setAttribute("position", new Float32BufferAttribute(lines, 3));
    const shown = new LineSegments(grid, this.#materials.grid);
    shown.position.y = this.#floor_m;
    const floor = new Mesh(new PlaneGeometry(2 * reach, 2 * reach).rotateX(-Math.PI / 2), this.#materials.floor);
    floor.position.y = this.#floor_m - 0.004;
    floor.userData = { floor: true };
    this.object.add(floor, shown);
  }
}
