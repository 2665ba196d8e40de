/**
 * Operate, the Wizard's desk: characters and autonomy on the left, what can be said and done in the
 * middle, the room on the right. The middle comes first in the page's order, because a screen
 * reader, the keyboard and a tablet begin there.
 *
 * What is needed to act stands first; the room and the 3-D view are loaded afterwards. A part that
 * fails says so in its place, and the others go on.
 */

import { empty, h, panel } from "../lib/dom.js";
import { showDial } from "../parts/dial.js";
import { showSuggestions } from "../parts/suggestions.js";
import { showActions } from "./actions.js";
import { showCharacters } from "./characters.js";
import { showEmotionPad } from "./emotion_pad.js";
import { showGaze } from "./gaze.js";
import { showLines } from "./lines.js";
import { Looking } from "./looking.js";
import { showPanels } from "./panels.js";
import { showQueue } from "./queue.js";
import { tellRefusals } from "./refusals.js";
import { showSay } from "./say.js";
import { addSpeechKeys } from "./undo.js";

/** @param {Element} root @param {import("../lib/desk.js").Desk} desk */
export async function open(root, desk) {
  const places = new Map();
  const place = (name, style = "") => {
    const made = h("div", { class: `place place-${name} ${style}` });
    places.set(name, made);
    return made;
  };
  root.replaceChildren(
    h("h1", { class: "unseen" }, "Operate"),
    h("div", { class: "column middle" },
      ["suggestions", "say", "lines", "queue", "panels"].map((name) => place(name)),
      h("div", { class: "deeds" }, ["actions", "gaze", "emotion"].map((name) => place(name)))),
    h("div", { class: "column left" }, ["characters", "dial"].map((name) => place(name))),
    h("div", { class: "column right" }, ["room", "stage", "perceptions"].map((name) => place(name))));

  const desktop = new Desktop(desk, places);
  const looking = new Looking(desk);
  desktop.closing(() => looking.close(), tellRefusals(desk));
  desktop.show("suggestions", showSuggestions);
  desktop.show("say", showSay);
  desktop.show("lines", showLines);
  desktop.show("queue", showQueue);
  desktop.show("panels", showPanels);
  desktop.show("actions", showActions);
  desktop.show("gaze", showGaze, looking);
  desktop.show("emotion", showEmotionPad);
  desktop.show("characters", showCharacters);
  desktop.show("dial", showDial);
  desktop.closing(addSpeechKeys(desk));
  // Not awaited: the desk is usable without them.
  desktop.showLater("room", async () => (await import("../parts/room.js")).showRoom);
  desktop.showLater("perceptions", async () => (await import("../parts/perceptions.js")).showPerceptions);
  desktop.showLater("stage", async () => {
    const { openStage } = await import("../parts/stage3d/stage.js");
    return (where) => showStage(where, desk, openStage, looking);
  });
  return () => desktop.close();
}

/** The 3-D view, in which a click says where to look. */
async function showStage(root, desk, openStage, looking) {
  const view = h("div", { class: "view" });
  root.replaceChildren(panel("3-D view", { class: "stage-panel" }, h("span", { class: "quietly push" }, "click: look there"), view));
  const stage = await openStage(view, desk, { calm: true });
  stage.onPick((pick) => looking.picked(pick));
  return () => stage.close();
}

/** The parts that stand on the page, and how they are closed. */
class Desktop {
  #desk;
  #places;
  #closing = [];
  #closed = false;

  constructor(desk, places) {
    this.#desk = desk;
    this.#places = places;
  }

  closing(...offs) {
    for (const off of offs) {
      if (typeof off !== "function") continue;
      if (this.#closed) off();
      else this.#closing.push(off);
    }
  }

  /** Show a part in its place. */
  show(name, part, ...more) {
    try {
      this.closing(part(this.#places.get(name), this.#desk, ...more));
    } catch (error) {
      this.#failed(name, error);
    }
  }

  /** Show a part when the page has had time to be drawn. */
  async showLater(name, load) {
    this.#places.get(name).append(panel(TITLES[name], {}, [], empty("Coming …")));
    try {
      await new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 0)); });
      const part = await load();
      if (this.#closed) return;
      this.#places.get(name).replaceChildren();
      this.closing(await part(this.#places.get(name), this.#desk));
    } catch (error) {
      this.#failed(name, error);
    }
  }

  close() {
    this.#closed = true;
    for (const off of this.#closing.splice(0)) off();
  }

  #failed(name, error) {
    reportError(error);
    this.#places.get(name).replaceChildren(panel(TITLES[name] ?? name, {}, [], empty(`This could not be shown: ${error.message}. The rest of the desk works.`)));
  }
}

const TITLES = { room: "Room", stage: "3-D view", perceptions: "What the robot perceives", say: "Say anything", lines: "Lines", queue: "Queue" };
