// The table: it shows what the game says, reports touches with their pixel, and highlights.
import { connect } from "/sera.js";
import { drawArrow, drawCompass, drawPlace, drawRoads } from "./pictures.js";
import { wordsFor } from "./words.js";

const SCREEN = "table";
const WIDTH_PX = 1920;
const HEIGHT_PX = 1080;

const at = (id) => document.getElementById(id);
const stage = at("stage");
let words = wordsFor(document.documentElement.lang);
let board = "";
let lastWrong = 0;

// The stage has the table's pixels and is scaled to any window, so that pixels mean the same.
function fit() {
  const scale = Math.min(innerWidth / WIDTH_PX, innerHeight / HEIGHT_PX);
  stage.style.transform = `translate(${(innerWidth - WIDTH_PX * scale) / 2}px, ${(innerHeight - HEIGHT_PX * scale) / 2}px) scale(${scale})`;
}
addEventListener("resize", fit);
fit();

function pixelOf(event) {
  const box = stage.getBoundingClientRect();
  const within = (value, most) => Math.max(0, Math.min(most, Math.round(value * 10) / 10));
  return {
    screen: SCREEN,
    x_px: within(((event.clientX - box.left) * WIDTH_PX) / box.width, WIDTH_PX),
    y_px: within(((event.clientY - box.top) * HEIGHT_PX) / box.height, HEIGHT_PX),
  };
}

function showConnection(status) {
  const note = at("connection");
  note.hidden = status === "connected";
  note.textContent = status === "connecting" ? words.connecting : words.lost;
}

const sera = await connect({ role: "activity", page: "town", onStatus: showConnection });

async function report(element, event) {
  try {
    await sera.send("Clicked", { element, point: pixelOf(event) });
  } catch (refusal) {
    at("message").textContent = refusal.message;
  }
}

function setBoard(places) {
  const now = JSON.stringify(places);
  if (now === board) return;
  board = now;
  drawRoads(at("roads"), places);
  const buttons = Object.entries(places).map(([name, place]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "place";
    button.dataset.place = name;
    button.style.left = `${place.x_px}px`;
    button.style.top = `${place.y_px}px`;
    const label = document.createElement("span");
    label.textContent = place.label;
    button.append(drawPlace(name), label);
    // Fingers on a table slip: what counts is where they come down.
    button.addEventListener("pointerdown", (event) => report(name, event));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      const box = button.getBoundingClientRect();
      report(name, { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 });
    });
    return button;
  });
  at("places").replaceChildren(...buttons);
}

function show(state) {
  words = wordsFor(state.language);
  document.documentElement.lang = state.language;
  document.title = at("title").textContent = words.title;
  setBoard(state.places);
  drawCompass(at("compass"), words.compass);
  const { clue } = state;
  stage.dataset.phase = state.phase;
  stage.dataset.turn = clue ? whoIs(state, clue.player) : "";
  at("round").textContent = clue ? words.round(clue.number, state.rounds) : "";
  at("whose").textContent = clue ? words.turn : "";
  at("player").textContent = clue ? state.players[clue.player] ?? clue.player : "";
  showClue(clue);
  for (const button of at("places").children) {
    const name = button.dataset.place;
    button.classList.toggle("lit", state.lit.includes(name));
    button.classList.toggle("shown", state.shown.includes(name));
    button.classList.toggle("wrong", clue?.wrong.includes(name) ?? false);
    button.classList.toggle("start", clue?.start === name);
    button.classList.toggle("answer", clue?.answer === name);
  }
  showLamps(state);
  showMessage(state);
  at("begin").hidden = state.phase !== "waiting";
  at("begin").textContent = words.begin;
}

function whoIs(state, player) {
  if (player === state.robot) return "robot";
  return ["blue", "orange"][Object.keys(state.players).indexOf(player) % 2];
}

function showClue(clue) {
  at("clue").hidden = !clue;
  if (!clue) return;
  at("start").textContent = words.start(clue.start_label);
  at("legs").replaceChildren(...clue.legs.map(([direction, steps]) => {
    const item = document.createElement("li");
    const text = document.createElement("span");
    text.textContent = `${words.steps(steps)} · ${words.directions[direction] ?? direction}`;
    item.append(drawArrow(direction), text);
    return item;
  }));
}

function showLamps(state) {
  const lamps = Array.from({ length: state.rounds }, (_, index) => {
    const lamp = document.createElement("i");
    lamp.className = index < state.lit.length ? "lamp on" : "lamp";
    return lamp;
  });
  at("lamps").replaceChildren(...lamps);
}

function showMessage(state) {
  const { clue } = state;
  let text = "";
  if (state.phase === "waiting") text = words.waiting;
  else if (state.phase === "finished") text = words.finished(state.lit.length, state.rounds);
  else if (clue?.answer) text = clue.found ? words.right : words.shown(state.places[clue.answer].label);
  else if (clue && clue.wrong.length > 0) text = words.wrong;
  const wrongs = clue?.wrong.length ?? 0;
  if (wrongs > lastWrong) flash(clue.wrong.at(-1), "shaken", 600);
  lastWrong = wrongs;
  at("message").textContent = text;
}

function flash(place, kind, lastsMs) {
  const button = document.querySelector(`[data-place="${CSS.escape(place)}"]`);
  if (!button) return;
  button.classList.add(kind);
  setTimeout(() => button.classList.remove(kind), lastsMs);
}

at("begin").addEventListener("click", (event) => report("begin", event));

sera.on("Highlight", ({ element, duration_s }) => {
  if (element) flash(element, "highlighted", duration_s * 1000);
});
sera.on("ActivityCommand", ({ command, data }) => {
  if (command === "show") show(data);
});

// Whoever comes late, or comes back, asks for what is on the table now.
const ask = () => sera.send("ActivityEvent", { event: "page_opened" }).catch(() => {});
sera.onStatus((status) => { if (status === "connected") ask(); });
