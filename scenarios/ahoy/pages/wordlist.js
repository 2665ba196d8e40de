// The Wizard's list of this round, for fast looking up while somebody speaks.
import { connect } from "/sera.js";

const LATE_S = 10;
const at = (id) => document.getElementById(id);
/** When the round's time is up, on the clock of the run. */
let endsAt_s = null;

function showConnection(status) {
  const note = at("connection");
  note.hidden = status === "connected";
  note.textContent = status === "connecting" ? "Connecting …" : "The connection is lost; trying again …";
}

function fill(list, words) {
  let before = "";
  list.replaceChildren(...words.map((word) => {
    const item = document.createElement("li");
    const letter = document.createElement("b");
    const text = document.createElement("span");
    const first = (word[0] ?? "").normalize("NFD")[0].toLowerCase();
    letter.textContent = first;
    letter.className = first === before ? "again" : "";
    letter.setAttribute("aria-hidden", "true");
    before = first;
    text.textContent = word;
    item.append(letter, text);
    return item;
  }));
}

function show(state, envelope) {
  const on = state.round > 0;
  at("lists").hidden = !on;
  at("round").textContent = on ? `Word ${state.round} of ${state.of}` : "No word is being acted";
  const [answer, ...others] = state.answers;
  at("answer").textContent = answer ?? "";
  at("also").textContent = others.length ? `also: ${others.join(", ")}` : "";
  fill(at("hot").querySelector("ol"), state.hot);
  fill(at("warm").querySelector("ol"), state.warm);
  // The list may have stood for a while before this page came, or came back: its own time counts.
  endsAt_s = on ? envelope.time + state.left_s : null;
  at("ear").textContent = "";
  tick();
}

function tick() {
  const left = endsAt_s === null ? null : Math.max(0, endsAt_s - sera.now());
  at("left").textContent = left === null ? "" : String(Math.ceil(left));
  at("left").classList.toggle("late", left !== null && left <= LATE_S);
}
setInterval(tick, 200);

showConnection("connecting");
// role=wizard in the address makes it the judge's desk: list, the robot's ear and the four keys on one
// page, so that what is recorded beside a rating is what stood here. Without it the page looks on.
const asked = new URLSearchParams(location.search);
const judges = asked.get("role") === "wizard";
const sera = await connect({
  role: judges ? "wizard" : "observer", desk: judges ? asked.get("desk") ?? "judge" : "list", page: "wordlist", onStatus: showConnection,
});
sera.on("WordList", show);
sera.on("SpeechActivity", ({ speaking }) => { if (speaking) at("ear").textContent = "The player speaks …"; });
sera.on("WordSpotted", ({ listed, confidence }) => {
  at("ear").textContent = `The robot's ear: ${listed}, ${Math.round(100 * confidence)} % sure`;
});

async function rate(button) {
  button.classList.add("pressed");
  setTimeout(() => button.classList.remove("pressed"), 250);
  try {
    await sera.send("RateGuess", { rating: button.dataset.rating });
  } catch (refusal) {
    at("ear").textContent = refusal.message;
  }
}

if (judges) {
  at("keys").hidden = false;
  at("rule").hidden = true;
  for (const button of at("keys").children) button.addEventListener("click", () => rate(button));
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    const button = at("keys").querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (button) rate(button);
  });
}
