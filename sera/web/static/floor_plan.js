// People as dots on the scenario's floor plan: drag, turn, let them speak, come and go.
// As a wizard it leads them; with ?role=observer, or where only that is allowed, it looks on.
import { connect } from "/sera.js";

const SVG = "http://www.w3.org/2000/svg";
const SEND_EVERY_MS = 80;
const BODY_M = 0.17;
const NOSE_M = 0.3;
const MARGIN_M = 0.7;
const VIEW_M = 2.5;
const KEYS_M = 0.1;
const id = (name) => document.getElementById(name);

const plan = id("plan");
const cards = new Map();
const dots = new Map();
let sera = null;
let things = [];
let targets = [];
let people = [];
let bounds = null;
let held = null;

// -- the page has +Z upwards and +X to the left, as somebody at the origin would draw the room

function make(tag, attributes = {}, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

const across = (x_m) => -x_m;
const down = (z_m) => -z_m;
const radians = (degrees) => (degrees * Math.PI) / 180;
const ahead = (degrees) => [Math.sin(radians(degrees)), -Math.cos(radians(degrees))];

function fit() {
  const places = [...things, ...people.filter((one) => one.here)];
  if (!places.length) return;
  const xs = places.map((one) => across(one.x_m));
  const ys = places.map((one) => down(one.z_m));
  const wanted = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
    .map((edge, side) => edge + (side < 2 ? -MARGIN_M : MARGIN_M));
  // It grows and never shrinks, so that nothing moves under a finger.
  const now = bounds ?? wanted;
  const grown = wanted.map((edge, side) => (side < 2 ? Math.min : Math.max)(edge, now[side]));
  if (bounds && grown.every((edge, side) => edge === bounds[side])) return;
  bounds = grown;
  const [left, top, right, bottom] = bounds;
  plan.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
  showGrid();
}

function showGrid() {
  const [left, top, right, bottom] = bounds;
  const lines = [];
  for (let x = Math.ceil(left); x <= right; x++) {
    lines.push(make("line", { x1: x, y1: top, x2: x, y2: bottom }));
    lines.push(make("text", { x: x + 0.03, y: bottom - 0.05 }, `x ${-x} m`));
  }
  for (let y = Math.ceil(top); y <= bottom; y++) {
    lines.push(make("line", { x1: left, y1: y, x2: right, y2: y }));
    lines.push(make("text", { x: left + 0.05, y: y - 0.03 }, `z ${-y} m`));
  }
  id("grid").replaceChildren(...lines);
}

function showThings() {
  const drawn = [...things].sort((one, other) => (other.kind === "camera") - (one.kind === "camera")).map((one) => {
    const group = make("g", { transform: `translate(${across(one.x_m)} ${down(one.z_m)})` });
    const [dx, dy] = ahead(one.facing_deg ?? 0);
    const turned = `rotate(${one.facing_deg ?? 0})`;
    if (one.kind === "robot") {
      group.append(make("rect", { class: "robot", x: -0.13, y: -0.13, width: 0.26, height: 0.26, transform: `${turned} rotate(45)` }));
      group.append(make("line", { class: "robot-nose", x1: 0, y1: 0, x2: dx * 0.38, y2: dy * 0.38 }));
    } else if (one.kind === "seat") {
      group.append(make("circle", { class: "seat", r: 0.22 }));
      if (one.facing_deg !== null) group.append(make("line", { class: "seat-nose", x1: dx * 0.22, y1: dy * 0.22, x2: dx * 0.32, y2: dy * 0.32 }));
    } else if (one.kind === "camera") {
      const [ax, ay] = ahead(one.facing_deg + one.fov_deg / 2);
      const [bx, by] = ahead(one.facing_deg - one.fov_deg / 2);
      group.append(make("path", { class: "view", d: `M0 0 L${ax * VIEW_M} ${ay * VIEW_M} L${bx * VIEW_M} ${by * VIEW_M} Z` }));
      group.append(make("circle", { class: "camera", r: 0.06 }));
    } else if (one.kind === "door") {
      group.append(make("path", { class: "door", d: "M-0.25 0.12 V-0.12 H0.25 V0.12" }));
    } else {
      const width = Math.max(one.width_m, 0.12);
      const depth = Math.max(one.depth_m, one.kind === "screen" ? 0.05 : 0.12);
      group.append(make("rect", { class: one.kind, x: -width / 2, y: -depth / 2, width, height: depth, transform: turned }));
    }
    const beside = one.kind === "camera" ? { x: -0.1, y: 0.04, class: "beside" } : { y: 0.33 };
    group.append(make("text", beside, one.name));
    return group;
  });
  id("things").replaceChildren(...drawn);
}

// -- people ----------------------------------------------------------------------------------

function dotOf(person) {
  if (dots.has(person.name)) return dots.get(person.name);
  const group = make("g", { class: "person", tabindex: "0", role: "button", "aria-label": `${person.name}: drag, or move with the arrow keys` });
  const nose = make("circle", { class: "nose", r: 0.075 });
  const dot = {
    group, nose, wave: make("g"),
    label: make("text", { y: 0.36 }, person.name), said: make("text", { y: -0.42 }),
  };
  group.append(make("circle", { class: "reach", r: 0.28 }), dot.wave, make("circle", { class: "body", r: BODY_M }), nose, dot.label, dot.said);
  group.addEventListener("pointerdown", (event) => grasp(event, person.name, event.target === nose ? "turn" : "drag"));
  group.addEventListener("keydown", (event) => nudge(event, person.name));
  id("people").append(group);
  dots.set(person.name, dot);
  return dot;
}

function showPeople() {
  id("nobody").hidden = people.length > 0;
  for (const person of people) {
    const dot = dotOf(person);
    dot.group.toggleAttribute("hidden", !person.here);
    dot.group.classList.toggle("unseen", !person.seen_as);
    dot.group.classList.toggle("watched", !mayLead());
    dot.group.setAttribute("transform", `translate(${across(person.x_m)} ${down(person.z_m)})`);
    const [dx, dy] = ahead(person.face_deg);
    dot.nose.setAttribute("cx", dx * NOSE_M);
    dot.nose.setAttribute("cy", dy * NOSE_M);
    // Names keep clear of noses.
    const facesDown = dy > 0;
    dot.label.setAttribute("y", facesDown ? -0.26 : 0.36);
    dot.said.setAttribute("y", facesDown ? -0.44 : -0.42);
    dot.said.textContent = person.saying.length > 40 ? `“${person.saying.slice(0, 40)} …”` : person.saying && `“${person.saying}”`;
    dot.wave.replaceChildren(...(person.saying ? [0.24, 0.31].map((r) => make("circle", { class: "wave", r })) : []));
    showCard(person);
  }
  fit();
}

function cardOf(person) {
  if (cards.has(person.name)) return cards.get(person.name);
  const item = document.createElement("li");
  item.dataset.person = person.name;
  const html = (tag, options = {}) => Object.assign(document.createElement(tag), options);
  const row = (...children) => {
    const made = html("div", { className: "row" });
    made.append(...children);
    return made;
  };
  const card = {
    state: html("p", { className: "state" }),
    come: html("button", { type: "button", textContent: "Come" }),
    leave: html("button", { type: "button", textContent: "Leave" }),
    release: html("button", { type: "button", textContent: "Let go", title: "Take up the script again" }),
    look: html("select", { ariaLabel: `what ${person.name} looks at` }),
    text: html("input", { placeholder: "Words", maxLength: 500, ariaLabel: `words of ${person.name}` }),
    say: html("button", { type: "button", textContent: "Say" }),
  };
  offerLooks(card.look, person.name);
  item.append(html("h2", { textContent: person.name }), card.state, row(card.come, card.leave, card.release), row(card.look), row(card.text, card.say));
  card.come.addEventListener("click", () => tell("person_comes", person.name));
  card.leave.addEventListener("click", () => tell("person_leaves", person.name));
  card.release.addEventListener("click", () => tell("person_let_go", person.name));
  card.look.addEventListener("change", () => {
    if (card.look.value) tell("person_looks", person.name, { at: card.look.value });
  });
  const speak = () => {
    const text = card.text.value.trim();
    if (!text) return;
    tell("person_says", person.name, { text });
    card.text.value = "";
  };
  card.say.addEventListener("click", speak);
  card.text.addEventListener("keydown", (event) => { if (event.key === "Enter") speak(); });
  id("cards").append(item);
  cards.set(person.name, card);
  return card;
}

function offerLooks(select, name) {
  const others = targets.filter((one) => one !== name);
  select.replaceChildren(new Option("looks at …", ""), ...others.map((one) => new Option(one, one)));
}

function showCard(person) {
  const card = cardOf(person);
  const seen = person.seen_as ? `seen as ${person.seen_as}` : "no camera sees them";
  const led = person.held ? ", led by you" : "";
  card.state.textContent = person.here ? `${seen}, looks at ${person.looks_at || "nothing"}${led}` : `not here${led}`;
  card.come.disabled = !mayLead() || person.here;
  card.leave.disabled = !mayLead() || !person.here;
  card.release.disabled = !mayLead() || !person.held;
  for (const one of [card.look, card.text, card.say]) one.disabled = !mayLead() || !person.here;
}

// -- hands -----------------------------------------------------------------------------------

const mayLead = () => Boolean(sera?.hello?.may_send?.ActivityEvent);

function tell(event, person, data = {}) {
  id("problem").textContent = "";
  sera.send("ActivityEvent", { event, person, data }).catch((error) => { id("problem").textContent = error.message; });
}

function place(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(plan.getScreenCTM().inverse());
  return { x_m: Math.round(-point.x * 1000) / 1000, z_m: Math.round(-point.y * 1000) / 1000 };
}

function grasp(event, name, what) {
  if (!mayLead() || held) return;
  event.preventDefault();
  event.currentTarget.focus();
  plan.setPointerCapture(event.pointerId);
  held = { pointer: event.pointerId, name, what, sent: 0, at: null };
}

function follow(event) {
  if (held?.pointer !== event.pointerId) return;
  held.at = place(event);
  if (held.what === "drag") {
    id("ghost").replaceChildren(make("circle", { cx: across(held.at.x_m), cy: down(held.at.z_m), r: BODY_M }));
  }
  if (performance.now() - held.sent >= SEND_EVERY_MS) sendHeld();
}

function sendHeld() {
  if (!held?.at) return;
  held.sent = performance.now();
  if (held.what === "drag") return tell("person_dragged", held.name, held.at);
  const person = people.find((one) => one.name === held.name);
  if (!person) return;
  const right = -(held.at.x_m - person.x_m);
  const degrees = (Math.atan2(right, held.at.z_m - person.z_m) * 180) / Math.PI;
  tell("person_turned", held.name, { horizontal_deg: Math.round(degrees * 10) / 10 });
}

function release(event) {
  if (held?.pointer !== event.pointerId) return;
  sendHeld();
  held = null;
  id("ghost").replaceChildren();
}

function nudge(event, name) {
  const step = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  const person = people.find((one) => one.name === name);
  if (!step || !person || !mayLead()) return;
  event.preventDefault();
  tell("person_dragged", name, { x_m: person.x_m + step[0] * KEYS_M, z_m: person.z_m + step[1] * KEYS_M });
}

plan.addEventListener("pointermove", follow);
plan.addEventListener("pointerup", release);
plan.addEventListener("pointercancel", release);

// -- the run ---------------------------------------------------------------------------------

function showStatus(status, why) {
  id("status").dataset.status = status;
  id("status").textContent = why && status !== "connected" ? `${status}: ${why}` : status;
}

async function join() {
  const asked = new URL(location.href).searchParams.get("role");
  const roles = asked ? [asked] : ["wizard", "observer"];
  let refused = null;
  for (const role of roles) {
    try {
      return await connect({ role, page: "floor_plan", onStatus: showStatus });
    } catch (error) {
      refused = error;
    }
  }
  throw refused;
}

try {
  sera = await join();
  if (!mayLead()) id("hint").textContent = "You look on; a wizard's page can lead people.";
  sera.on("FloorPlanState", (state) => {
    things = state.things;
    targets = state.targets;
    for (const [name, card] of cards) offerLooks(card.look, name);
    fit();
    showThings();
  });
  sera.on("SimulatedPeopleState", (state) => {
    people = state.people;
    showPeople();
  });
} catch (error) {
  showStatus("closed", error.message);
}
