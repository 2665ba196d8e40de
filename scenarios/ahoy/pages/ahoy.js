// The wall: category, round and time. It is told neither the word nor how near a guess is.
import { connect } from "/sera.js";

const WORDS = {
  en: {
    title: "Ahoy", waiting: "Ahoy!", between: "Watch the robot", finished: "The end. Thank you!",
    round: (number, of) => `Word ${number} of ${of}`, connecting: "Connecting …", lost: "The connection is lost; trying again …",
  },
  pt: {
    title: "Ahoy", waiting: "Ahoy!", between: "Olha para o robô", finished: "Fim. Obrigado!",
    round: (number, of) => `Palavra ${number} de ${of}`, connecting: "A ligar …", lost: "A ligação perdeu-se; a tentar de novo …",
  },
};
const LATE_S = 10;

const at = (id) => document.getElementById(id);
const wall = at("wall");
let words = WORDS.en;
/** When the round's time is up, on the clock of the run. */
let endsAt_s = null;
let limit = 1;

function showConnection(status) {
  const note = at("connection");
  note.hidden = status === "connected";
  note.textContent = status === "connecting" ? words.connecting : words.lost;
}

function show(state, envelope) {
  words = WORDS[state.language] ?? WORDS.en;
  document.documentElement.lang = WORDS[state.language] ? state.language : "en";
  document.title = words.title;
  wall.dataset.phase = state.phase;
  const guessing = state.phase === "guessing";
  at("round").textContent = state.round > 0 && state.phase !== "finished" ? words.round(state.round, state.rounds) : "";
  at("category").textContent = guessing ? state.category ?? "" : words[state.phase] ?? "";
  limit = Math.max(1, state.time_limit_s);
  endsAt_s = guessing ? envelope.time + state.left_s : null;
  tick();
}

// The page counts by itself between two words of the game, which says how much is left.
function tick() {
  const left = endsAt_s === null ? 0 : Math.max(0, endsAt_s - sera.now());
  at("left").textContent = endsAt_s === null ? "" : String(Math.ceil(left));
  at("bar").style.transform = `scaleX(${Math.min(1, left / limit)})`;
  wall.classList.toggle("late", endsAt_s !== null && left <= LATE_S);
}
setInterval(tick, 100);

showConnection("connecting");
const sera = await connect({ role: "activity", page: "ahoy", onStatus: showConnection });
sera.on("ActivityCommand", ({ command, data }, envelope) => {
  if (command === "show") show(data, envelope);
});

// Whoever comes late, or comes back, asks for what is on the wall now.
const ask = () => sera.send("ActivityEvent", { event: "page_opened" }).catch(() => {});
sera.onStatus((status) => { if (status === "connected") ask(); });
