/**
 * The room in three dimensions. Draws only when something moved and somebody can see it, with as
 * many pixels as this machine manages at thirty pictures a second.
 */

import {
  AmbientLight, Color, CylinderGeometry, DirectionalLight, Mesh, MeshLambertMaterial, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "/console/vendor/three/three.module.js";
import { matterOf } from "../../lib/gaze_words.js";
import { Eyes } from "./eyes.js";
import { Label } from "./label.js";
import { People } from "./people.js";
import { Robot } from "./robot.js";
import { Things } from "./things.js";

const SLOW_HZ = 33;
const QUICK_HZ = 50;
const COARSER = [1, 0.8, 0.65, 0.5];
const FIRST_TRIAL_S = 8;
/** Pictures a second beside other work, where the processor draws: keys go first. */
const CALM_HZ = 8;
const CLICK_PX = 5;
/** What stands higher stands on a table: a plate on one leg. */
const [TABLE_FROM_M, TABLE_RADIUS_M, TABLE_TOP_M] = [0.3, 0.32, 0.03];

/** The page's colours, as they are now. */
export function coloursOf() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    sheet: colour("sheet"), ground: colour("ground"), well: colour("well"), line: colour("line"), edge: colour("edge"),
    ink: colour("ink"), accent: colour("accent"), person: `#${new Color(colour("warn")).lerp(new Color(colour("sheet")), 0.25).getHexString()}`, dark: document.documentElement.dataset.theme === "dark",
  };
}

export class View {
  /** The drawing; put it into the page. */ canvas;
  /** Pictures a second while something moves, and how many were drawn. */ measured = { hz: 0, drawn: 0, ratio: 1 };
  #renderer;
  #scene = new Scene();
  #camera = new PerspectiveCamera(38, 1, 0.05, 60);
  #world;
  #robots = new Map();
  #ghosts = new Map();
  #labels = new Map();
  #people;
  #things;
  #eyes;
  #stands = [];
  #lights;
  #colours = coloursOf();
  #request = 0;
  #last_ms = 0;
  #least_ms = 0;
  #visible = true;
  #dirty = true;
  #closed = false;
  #coarse = 0;
  #busy = { frames: 0, since: 0 };
  #slow_s = 0;
  #quick_s = 0;
  #trial_s = FIRST_TRIAL_S;
  #picked = new Set();
  #down = null;

  /** Throws where the browser has no WebGL. */
  constructor(world, { pointer = true, calm = false } = {}) {
    this.#world = world;
    this.isSoftware = drawsInSoftware();
    if (calm && this.isSoftware) this.#least_ms = 1000 / CALM_HZ;
    // Without a graphics card smooth edges cost more than anything else.
    this.#renderer = new WebGLRenderer({ antialias: !this.isSoftware, powerPreference: "low-power", stencil: false });
    this.#renderer.setPixelRatio(1);
    this.canvas = this.#renderer.domElement;
    this.canvas.seraMeasured = this.measured; // for whoever measures the page from outside
    this.#lights = [new AmbientLight("#ffffff", 1.7), new DirectionalLight("#ffffff", 1.6)];
    this.#lights[1].position.set(-1.2, 2.5, 2);
    this.#scene.add(...this.#lights, this.#camera);
    this.#eyes = new Eyes(this.#camera, this.canvas, world, this.#robots, { changed: () => this.draw(), pointer });
    this.#people = new People(world, this.#colours, 0);
    this.#scene.add(this.#people.object);
    this.canvas.addEventListener("pointerdown", (event) => { this.#down = [event.clientX, event.clientY]; });
    this.canvas.addEventListener("pointerup", (event) => this.#clicked(event));
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => this.draw());
    addEventListener("theme", this.#theme);
    document.addEventListener("visibilitychange", this.#wake);
    this.#furnish();
    this.#theme();
  }

  /** Put a body where its character is. */
  add(character, body) {
    const robot = new Robot(body, character);
    robot.ray.material.color.set(this.#colours.accent);
    this.#robots.set(character.name, robot);
    this.#scene.add(robot.object, robot.ray);
    const label = new Label(character.name, this.#colours);
    this.#labels.set(character.name, label);
    this.#scene.add(label.sprite);
    this.#furnish();
    this.went("gaze");
  }

  /** Something of the world changed: `pose`, `people`, `gaze`. */
  went(what) {
    if (what === "pose") for (const robot of this.#robots.values()) robot.follow();
    else if (what === "people") this.#people.sync();
    else if (what === "gaze") this.#nameGaze();
    this.draw();
  }

  /** Show another pose of a body as a ghost; null takes it away. */
  preview(name, joints_rad) {
    let ghost = this.#ghosts.get(name);
    const robot = this.#robots.get(name);
    if (!joints_rad || !robot) {
      if (ghost) {
        this.#scene.remove(ghost.object);
        ghost.dispose();
        this.#ghosts.delete(name);
      }
    } else {
      if (!ghost) {
        ghost = new Robot(robot.body, { ...robot.character, values: new Map() }, { ghost: this.#colours.accent });
        this.#ghosts.set(name, ghost);
        this.#scene.add(ghost.object);
      }
      ghost.wanted = new Map(Object.entries(joints_rad));
    }
    this.draw();
  }

  /** Go to a view by name. */
  look(preset, character) {
    const said = this.#eyes.go(preset, character);
    this.#people.hide(preset === "person" && !said ? this.#eyes.somebody.id : null);
    this.draw();
    return said;
  }

  /** Whether somebody has turned the view by hand. */
  get isMoved() { return this.#eyes.isMoved; }

  /** Whether the view should be taken anew, since people came nearer or went away. */
  get isOutgrown() { return this.#eyes.isOutgrown; }

  onPick(listener) {
    this.#picked.add(listener);
    return () => this.#picked.delete(listener);
  }

  resize(width, height) {
    if (!width || !height) return;
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    this.draw();
  }

  /** Whether anybody can see it. */
  show(visible) {
    this.#visible = visible;
    if (visible) this.draw();
  }

  draw() {
    this.#dirty = true;
    if (!this.#request && this.#visible && !document.hidden && !this.#closed) this.#request = requestAnimationFrame(this.#frame);
  }

  /** Values of a body as drawn, for whoever wants to know. */
  shown(name) { return this.#robots.get(name)?.shown ?? null; }
  faceOf(name) { return this.#robots.get(name)?.face ?? null; }

  /** Where a place of the room lies on the drawing, in pixels from its upper left corner. */
  onPicture(position_m) {
    this.#camera.updateMatrixWorld();
    const { x, y } = new Vector3(...position_m).project(this.#camera);
    return { x: ((x + 1) / 2) * this.canvas.clientWidth, y: ((1 - y) / 2) * this.canvas.clientHeight };
  }

  close() {
    this.#closed = true;
    cancelAnimationFrame(this.#request);
    removeEventListener("theme", this.#theme);
    document.removeEventListener("visibilitychange", this.#wake);
    this.#eyes.dispose();
    for (const one of [...this.#robots.values(), ...this.#ghosts.values(), ...this.#labels.values(), this.#people, this.#things]) one.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  #wake = () => { if (!document.hidden) this.draw(); };

  #frame = (now) => {
    this.#request = 0;
    if (now - this.#last_ms < this.#least_ms) {
      this.draw();
      return;
    }
    const gap_s = Math.min(0.1, (now - this.#last_ms) / 1000);
    this.#last_ms = now;
    let moving = this.#people.update(gap_s);
    for (const robot of this.#robots.values()) moving = robot.update(now) || moving;
    this.#haunt();
    if (!moving && !this.#dirty) return;
    this.#dirty = false;
    this.#aimRays();
    this.#renderer.render(this.#scene, this.#camera);
    this.#measure(now, gap_s);
    if (moving) this.draw();
  };

  #haunt() {
    for (const [name, ghost] of this.#ghosts) {
      const now = new Map(this.#robots.get(name).shown);
      for (const [joint, value] of ghost.wanted) now.set(joint, value);
      ghost.aim(now, 0);
      ghost.update(performance.now());
    }
  }

  #aimRays() {
    for (const [name, robot] of this.#robots) {
      robot.pointRay(this.#world.goalOf(robot.character));
      const label = this.#labels.get(name).sprite;
      const high = 0.14 * Math.max(0.4, robot.body.height_m) + 0.03;
      if (robot.face) label.position.copy(robot.face.position);
      else label.position.copy(robot.object.position).setY(robot.object.position.y + robot.body.height_m + robot.body.ground_m);
      label.position.y += high;
    }
  }

  #nameGaze() {
    for (const [name, label] of this.#labels) {
      const { gaze, looks } = this.#world.characters.get(name);
      const matter = matterOf(looks);
      label.say(gaze?.target ? `${name} → ${gaze.target}${matter ? ` · ${matter}` : ""}` : name);
    }
  }

  /** Fewer pixels where this machine is slow. */
  #measure(now, gap_s) {
    this.measured.drawn += 1;
    if (gap_s >= 0.1) {
      this.#busy = { frames: 0, since: now };
      return;
    }
    this.#busy.frames += 1;
    const spent = (now - this.#busy.since) / 1000;
    if (spent < 1) return;
    this.measured.hz = this.#busy.frames / spent;
    this.#busy = { frames: 0, since: now };
    if (this.#least_ms) return; // slow on purpose
    // One slow second may be somebody else's work; a quick time is worth a trial, each later.
    this.#slow_s = this.measured.hz < SLOW_HZ ? this.#slow_s + 1 : 0;
    this.#quick_s = this.measured.hz > QUICK_HZ ? this.#quick_s + 1 : 0;
    if (this.#slow_s >= 2 && this.#coarse < COARSER.length - 1) this.#sharpness(this.#coarse + 1);
    else if (this.#quick_s >= this.#trial_s && this.#coarse > 0) {
      this.#trial_s *= 2;
      this.#sharpness(this.#coarse - 1);
    }
  }

  #sharpness(coarse) {
    this.#coarse = coarse;
    this.#slow_s = this.#quick_s = 0;
    this.measured.ratio = COARSER[coarse];
    this.#renderer.setPixelRatio(this.measured.ratio);
  }

  #furnish() {
    const lowest = [...this.#robots.values()].map(({ body, character }) => character.position_m[1] + body.ground_m);
    // A body whose frame is above its feet may stand lower than the scenario's floor.
    const floor_m = Math.min(0, ...lowest);
    const box = this.#eyes.frame();
    const half_m = Math.max(2, ...[box.min, box.max].flatMap(({ x, z }) => [Math.abs(x), Math.abs(z)])) + 0.5;
    if (this.#things) {
      this.#scene.remove(this.#things.object);
      this.#things.dispose();
    }
    this.#things = new Things(this.#world.space, this.#colours, { floor_m, half_m });
    this.#people.floor_m = floor_m;
    this.#scene.add(this.#things.object);
    this.#people.sync();
    for (const stand of this.#stands.splice(0)) this.#scene.remove(stand);
    for (const { body, character } of this.#robots.values()) this.#stand(body, character, floor_m);
  }

  /** What stands above the floor stands on something. */
  #stand(body, character, floor_m) {
    const [x, y, z] = character.position_m;
    const height = y + body.ground_m - floor_m;
    if (height < 0.03) return;
    const wood = new MeshLambertMaterial({ color: this.#colours.line });
    const stand = new Mesh(new CylinderGeometry(0.02, 0.02, height, 10), wood);
    stand.position.set(x, floor_m + height / 2, z);
    const parts = [stand];
    if (height > TABLE_FROM_M) {
      const top = new Mesh(new CylinderGeometry(TABLE_RADIUS_M, TABLE_RADIUS_M, TABLE_TOP_M, 28), wood);
      top.position.set(x, floor_m + height - TABLE_TOP_M / 2, z);
      parts.push(top);
    }
    this.#stands.push(...parts);
    this.#scene.add(...parts);
  }

  #theme = () => {
    this.#colours = coloursOf();
    this.#scene.background = new Color(this.#colours.sheet);
    this.#lights[0].intensity = this.#colours.dark ? 1.1 : 1.7;
    this.#lights[1].intensity = this.#colours.dark ? 1.3 : 1.6;
    this.#people.colour(this.#colours);
    this.#things?.colour(this.#colours);
    for (const label of this.#labels.values()) label.colour(this.#colours);
    for (const robot of this.#robots.values()) robot.ray.material.color.set(this.#colours.accent);
    for (const stand of this.#stands) stand.material.color.set(this.#colours.line);
    this.draw();
  };

  #clicked(event) {
    if (!this.#down || !this.#picked.size) return;
    const [x, y] = this.#down;
    this.#down = null;
    if (Math.hypot(event.clientX - x, event.clientY - y) > CLICK_PX) return;
    const place = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - place.left) / place.width) * 2 - 1, 1 - ((event.clientY - place.top) / place.height) * 2);
    const found = this.pick(at);
    if (found) for (const listener of this.#picked) listener(found);
  }

  /** What lies under a point of the drawing (-1 to 1 across and up). */
  pick(at) {
    this.#scene.updateMatrixWorld(); // what was put there since the last picture counts too
    const caster = new Raycaster();
    caster.setFromCamera(at, this.#camera);
    const solid = [...[...this.#robots.values()].map(({ object }) => object), this.#people.object, this.#things.object];
    const hit = caster.intersectObjects(solid, true).find(({ object }) => object.isMesh);
    if (!hit) return null;
    let [one, target] = [hit.object, null];
    while (one && !target) [target, one] = [one.userData.target ?? null, one.parent];
    return { position_m: hit.point.toArray(), screen: onScreen(hit), target };
  }
}

/** Whether the processor draws: then every picture costs time that keys and messages need too. */
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

function onScreen({ object, point }) {
  const { screen } = object.userData;
  if (!screen) return null;
  const local = object.worldToLocal(new Vector3().copy(point));
  const [width, height] = screen.pixels;
  const within = (share, most) => Math.min(most, Math.max(0, Math.round(share * most)));
  return { name: screen.name, x: within(local.x / screen.width_m + 0.5, width), y: within(0.5 - local.y / screen.height_m, height) };
}
