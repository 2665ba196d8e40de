/**
 * The room: live picture and sound, for whom the server lets see them.
 *
 * Nothing of it goes over the bus and nothing is kept; see docs/room.md. In restricted perception the
 * server gives no picture and no sound, whatever this page asks for; the panel then says so.
 */

import { empty, h, kbd, panel } from "../lib/dom.js";
import { watchFeeds } from "./room_link.js";
import { showPicture } from "./room_picture.js";
import { meterValue, SoundFeed } from "./room_sound.js";
import { voiceToggle } from "./voice.js";

const LISTEN_KEY = "v l";
const CAMERA_KEY = "v c";
const REMEMBERED = { picture: "sera.console.camera", sound: "sera.console.microphone" };
export const RESTRICTED = "Restricted perception: you see what the robot perceives, so there is no picture and no sound of the room.";

/**
 * Show the room; returns a function that closes it.
 *
 * @param {Element} root
 * @param {any} desk
 */
export function showRoom(root, desk) {
  desk.style("room");
  const delay = h("span", { class: "chip number", hidden: true, title: "From the moment of capture to the moment it is drawn here" });
  const cameras = h("select", { class: "small", "aria-label": "Camera", hidden: true, onchange: () => choose("picture", cameras.value) });
  const microphones = h("select", { class: "small", "aria-label": "Microphone", hidden: true, onchange: () => choose("sound", microphones.value) });
  const bar = h("span", {});
  const meter = h("div", { class: "level", role: "meter", "aria-label": "Loudness of the room", "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": "0" }, bar);
  const listen = h("button", { type: "button", class: "small", "aria-pressed": "false", onclick: () => toggleSound() }, "Listen ", kbd(LISTEN_KEY));
  const heard = h("span", { class: "quietly number", title: "Delay of the sound: from the moment of capture to the loudspeaker" });
  const view = h("div", { class: "room-place" });
  const ears = h("div", { class: "row ears" }, listen, meter, microphones, heard);
  const voice = voiceToggle(desk);
  const sounds = h("div", { class: "row room-sound", hidden: true }, ears, voice);
  const announced = h("p", { class: "unseen", role: "status" });
  const shown = panel("Room", { class: "room" }, [h("span", { class: "push" }), cameras, delay], view, sounds, announced);
  root.append(shown);

  const known = { picture: [], sound: [] };
  let picture = null;
  let sound = null;
  let state = "";

  const now = (kind) => {
    const wanted = sessionStorage.getItem(REMEMBERED[kind]);
    return known[kind].find(({ id }) => id === wanted) ?? known[kind][0] ?? null;
  };

  function choose(kind, id) {
    sessionStorage.setItem(REMEMBERED[kind], id);
    if (kind === "picture") openPicture();
    else if (sound) openSound();
    fill();
  }

  function fill() {
    for (const [kind, select] of [["picture", cameras], ["sound", microphones]]) {
      const wanted = known[kind].map(({ id, name }) => `${id}\n${name}`).join("\n");
      if (select.__shown !== wanted) {
        select.replaceChildren(...known[kind].map(({ id, name }) => h("option", { value: id }, name)));
        select.__shown = wanted;
      }
      select.hidden = known[kind].length < 2;
      select.value = now(kind)?.id ?? "";
    }
  }

  function openPicture() {
    const feed = now("picture");
    if (picture && picture.id === feed?.id) return;
    picture?.close();
    picture = null;
    delay.hidden = true;
    if (!feed) return;
    const made = showPicture(desk, feed, (delay_ms, status, words) => {
      delay.hidden = delay_ms === null;
      const text = delay_ms === null ? "" : `delay ${Math.round(delay_ms)} ms`;
      if (delay.textContent !== text) delay.textContent = text;
      const kind = delay_ms > 300 ? "warn" : "good";
      if (delay.dataset.kind !== kind) delay.dataset.kind = kind;
      if (status !== state) {
        state = status;
        // Whoever hears the page is told once, not ten times a second.
        announced.textContent = status === "live" ? `The picture of ${feed.name} is live.` : words;
      }
    });
    picture = { id: feed.id, ...made };
    view.replaceChildren(made.root);
  }

  function openSound() {
    const feed = now("sound");
    sound?.stop();
    sound = null;
    if (feed) {
      const opened = new SoundFeed(desk, feed.id);
      sound = Object.assign(opened, { id: feed.id });
      opened.ready.catch((error) => {
        desk.toast(error.message, "bad");
        if (sound === opened) closeSound();
      });
    }
    listen.setAttribute("aria-pressed", String(Boolean(sound)));
  }

  function closeSound() {
    sound?.stop();
    sound = null;
    listen.setAttribute("aria-pressed", "false");
  }

  const toggleSound = () => (sound ? closeSound() : openSound());

  function take({ feeds, why }) {
    for (const kind of ["picture", "sound"]) known[kind] = feeds.filter((feed) => feed.kind === kind);
    ears.hidden = !known.sound.length && !sound;
    voice.hidden = !feeds.some(({ kind }) => kind === "voice");
    sounds.hidden = ears.hidden && voice.hidden;
    const gone = picture && !known.picture.some(({ id }) => id === picture.id);
    // A camera that has just gone stays in view, marked as stopped, unless there is another one.
    if (!gone || known.picture.length) openPicture();
    if (!picture) view.replaceChildren(nothing(desk.restricted ? RESTRICTED : why));
    fill();
  }

  function showLevel() {
    const level = sound ? meterValue(sound.level()) : 0;
    bar.style.width = `${Math.round(level * 100)}%`;
    meter.setAttribute("aria-valuenow", String(Math.round(level * 100)));
    const text = sound?.delay_s != null ? `${Math.max(0, Math.round(sound.delay_s * 1000 + sound.waiting_ms))} ms` : "";
    if (heard.textContent !== text) heard.textContent = text;
  }

  const ends = [
    watchFeeds(desk, take),
    desk.commands.add({ id: "room.listen", title: "Listen to the room", group: "Room", key: LISTEN_KEY, run: toggleSound, blocked: () => (known.sound.length ? null : "there is no microphone to listen to") }),
    desk.commands.add({ id: "room.camera", title: "Next camera of the room", group: "Room", key: CAMERA_KEY, run: nextCamera, blocked: () => (known.picture.length > 1 ? null : "there is no other camera") }),
  ];
  const levels = setInterval(showLevel, 100);

  function nextCamera() {
    const place = known.picture.findIndex(({ id }) => id === now("picture")?.id);
    choose("picture", known.picture[(place + 1) % known.picture.length].id);
  }

  return () => {
    clearInterval(levels);
    for (const end of ends) end();
    picture?.close();
    closeSound();
    shown.remove();
  };
}

function nothing(why) {
  if (why) return empty(why);
  return empty("No camera shows the room. Start the run with one, ", h("code", {}, "sera run NAME --camera 0"),
    ", or give the scenario a ", h("code", {}, "face_tracker"), "; for sound a ", h("code", {}, "sound_detector"), ".");
}
