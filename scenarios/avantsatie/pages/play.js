// A piano to play on: in a browser, on a touch screen, with the keys of a keyboard.
import { connect } from "/sera.js";
import { drawPiano, Sound, strike } from "./piano.js";

const sound = new Sound();
let keys = new Map();
let drawn = "";
const status = document.getElementById("connection");

const sera = await connect({
  role: "activity",
  page: "piano",
  onStatus: (now) => {
    status.textContent = now === "connected" ? "" : now === "connecting" ? "connecting …" : "connection lost; waiting …";
  },
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

sera.on("ActivityCommand", ({ command, data }) => {
  const order = (data.keys ?? []).join(" ");
  if (command === "show" && order && order !== drawn) {
    drawn = order;
    keys = drawPiano(document.getElementById("piano"), data.keys, press);
  }
  if (command === "sound" && data.by === "robot") strike(keys.get(data.key), "is-robot");
});
await sera.send("Clicked", { element: "piano_page" });
