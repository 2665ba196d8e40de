// The projected screen: what the game says is shown, keys light up and sound.
import { connect } from "/sera.js";
import { drawPiano, label, Sound, strike } from "./piano.js";
import { connectionWords, wordsFor } from "./words.js";

const at = (id) => document.getElementById(id);
const screen = at("screen");
const sound = new Sound();
let keys = new Map();
let drawn = "";
let words = wordsFor("en");

function text(tag, content, kind = "") {
  const made = document.createElement(tag);
  made.textContent = content;
  if (kind) made.className = kind;
  return made;
}

function speak(language) {
  words = wordsFor(language);
  document.documentElement.lang = language;
  at("sound").textContent = words.sound;
  at("found").setAttribute("aria-label", words.found);
}

function show(data) {
  screen.dataset.screen = data.screen;
  if (data.language) speak(data.language);
  const order = (data.keys ?? []).join(" ");
  if (order && order !== drawn) {
    drawn = order;
    keys = drawPiano(at("piano"), data.keys, null);
  }
  at("progress").textContent = data.level ? `${"●".repeat(data.level)}   ${data.part ? `${data.part} / ${data.parts}` : ""}` : "";
  at("lines").replaceChildren(...data.lines.map((line) => text("p", line)));
  const found = data.found ?? [];
  const places = data.screen === "guess" ? data.notes : 0;
  at("found").replaceChildren(
    ...Array.from({ length: places }, (_, place) => {
      if (place < found.length) return text("span", label(found[place]), "is-found");
      return text("span", place === data.note - 1 ? "?" : "", place === data.note - 1 ? "is-wanted" : "");
    }),
  );
  for (const [key, element] of keys) element.classList.toggle("is-lit", key === data.highlighted);
}

at("sound").addEventListener("click", async () => {
  await sound.wake();
  at("sound").setAttribute("aria-pressed", String(sound.awake));
});

const sera = await connect({
  role: "activity",
  page: "game",
  onStatus: (status) => {
    at("connection").hidden = status === "connected";
    at("connection").textContent = connectionWords(status, words);
  },
});
sera.on("ActivityCommand", ({ command, data }) => {
  if (command === "show") show(data);
  if (command === "sound") {
    sound.play(data.key, data.by);
    strike(keys.get(data.key), data.by === "robot" ? "is-robot" : "is-down");
  }
});
await sera.send("Clicked", { element: "game_page" });
