// A piano to play on: in a browser, on a touch screen, with the keys of a keyboard.
import { connect } from "/sera.js";
import { drawPiano, keyOfLetter, Sound, strike } from "./piano.js";
import { connectionWords, wordsFor } from "./words.js";

const at = (id) => document.getElementById(id);
const sound = new Sound();
let keys = new Map();
let drawn = "";
let words = wordsFor("en");
const status = at("connection");

const sera = await connect({
  role: "activity",
  page: "piano",
  onStatus: (now) => { status.textContent = connectionWords(now, words); },
});

async function press(key) {
  await sound.wake();
  sound.play(key, "player");
  strike(keys.get(key), "is-down");
  try {
    await sera.send("Clicked", { element: `key_${key}` });
  } catch (refusal) {
    status.textContent = refusal.message;
  }
}

function speak(language) {
  words = wordsFor(language);
  document.documentElement.lang = language;
  document.title = words.title;
  at("title").textContent = words.piano;
  at("how").textContent = words.help;
  at("where").textContent = words.screen;
}

/** Draw the piano where its keys, or the language in which they are spoken, are new. */
function show(data) {
  const language = data.language ?? "en";
  const order = [...(data.keys ?? []), language].join(" ");
  if (!data.keys?.length || order === drawn) return;
  drawn = order;
  speak(language);
  keys = drawPiano(at("piano"), data.keys, press, words.key);
}

addEventListener("keydown", (event) => {
  const key = keyOfLetter(event, [...keys.keys()]);
  if (key) press(key);
});

sera.on("ActivityCommand", ({ command, data }) => {
  if (command === "show") show(data);
  if (command === "sound" && data.by === "robot") strike(keys.get(data.key), "is-robot");
});
await sera.send("Clicked", { element: "piano_page" });
