/**
 * The robot's own voice in this browser, also where the robot has no loudspeaker here.
 *
 * It is what the robot says, not what is heard in the room: it may be heard in restricted
 * perception, too.
 */

import { h, kbd } from "../lib/dom.js";
import { SoundFeed } from "./room_sound.js";
import { watchFeeds } from "./room_link.js";

const KEY = "v v";
const TITLE = "Hear the robot's voice in this browser";

/**
 * Hear a character's voice from now on; it is found again after every loss.
 *
 * @param {any} desk
 * @param {string|null} [character] - null: everybody's
 * @returns {{stop: () => void, level: () => number, heard: () => number}} `level`: 0 to 1; `heard`: pieces that came
 */
export function hearVoice(desk, character = null) {
  const voices = new Map();
  let told = false;
  const off = watchFeeds(desk, ({ feeds }) => {
    const wanted = feeds.filter((feed) => feed.kind === "voice" && (character === null || feed.character === character));
    for (const { id } of wanted) {
      if (voices.has(id)) continue;
      const sound = new SoundFeed(desk, id);
      voices.set(id, sound);
      sound.ready.catch((error) => {
        if (!told) desk.toast(error.message, "bad");
        told = true;
      });
    }
    // One that is not listed is not thrown away: its way is tried again by itself, and a list may fail.
  });
  return {
    stop: () => {
      off();
      for (const sound of voices.values()) sound.stop();
      voices.clear();
    },
    level: () => Math.max(0, ...[...voices.values()].map((sound) => sound.level())),
    heard: () => [...voices.values()].reduce((sum, { frames }) => sum + frames, 0),
  };
}

/** One switch a desk: it stays on while pages change. */
const switches = new WeakMap();

function switchOf(desk) {
  let known = switches.get(desk);
  if (!known) {
    known = { hearing: null, buttons: new Set() };
    switches.set(desk, known);
    desk.commands.add({ id: "voice.hear", title: TITLE, group: "Room", key: KEY, run: () => toggle(desk) });
  }
  return known;
}

function toggle(desk) {
  const state = switchOf(desk);
  if (state.hearing) {
    state.hearing.stop();
    state.hearing = null;
  } else state.hearing = hearVoice(desk);
  for (const button of [...state.buttons]) {
    if (button.isConnected) button.setAttribute("aria-pressed", String(Boolean(state.hearing)));
    else state.buttons.delete(button);
  }
}

/** A button that switches the robots' voices on and off in this browser. */
export function voiceToggle(desk) {
  const state = switchOf(desk);
  const button = h("button", {
    type: "button", class: "small voice-toggle", title: TITLE, "aria-pressed": String(Boolean(state.hearing)),
    onclick: () => toggle(desk),
  }, "Robot's voice ", kbd(KEY));
  state.buttons.add(button);
  return button;
}
