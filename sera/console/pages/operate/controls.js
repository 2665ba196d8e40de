/**
 * Buttons that give orders: each has a command, shows its key, and says why it cannot act now
 * (nobody performs it, the role may not, another operator has the channel in hand).
 */

import { h, kbd } from "../lib/dom.js";
import { autonomyOf } from "../parts/autonomy.js";

/** Why an order would be in vain at this desk; null: it would not. */
export function blockedBy(desk, type, character = desk.character) {
  if (!character) return "there is no character";
  if (type === "EmergencyStop") return desk.forbidden(type); // nothing else may keep a stop back
  const event = ["TargetUpdated", "AutonomyChanged"].includes(type);
  return desk.forbidden(type) ?? (event ? null : desk.unhandled(type, character)) ?? autonomyOf(desk).heldByOther(type, character);
}

/** The buttons of one part of the page; they are kept up to date until they are closed. */
export class Controls {
  #desk;
  #made = new Set();
  #offs;

  constructor(desk) {
    this.#desk = desk;
    const refresh = () => this.refresh();
    this.#offs = [desk.on("presence", refresh), desk.on("character", refresh), autonomyOf(desk).on(refresh)];
  }

  /**
   * Make a button with its command.
   *
   * @param {object} what
   * @param {string} what.id - of the command
   * @param {string} what.label - on the button
   * @param {string} [what.title] - of the command; by default the label
   * @param {string} what.group
   * @param {string} [what.key]
   * @param {string} what.type - of the order, which decides whether it can act
   * @param {() => void} what.run
   * @param {string} [what.class]
   * @param {() => string|null} [what.why] - a further reason why it cannot act
   * @param {() => boolean} [what.pressed] - whether it stands for what is the case now
   * @param {() => string|null} [what.character] - whose order it is
   */
  button({ id, label, title = label, group, key, type, run, why = () => null, pressed, character = () => this.#desk.character, class: style = "small" }) {
    const blocked = () => why() ?? blockedBy(this.#desk, type, character());
    const act = () => {
      const reason = blocked();
      if (reason) this.#desk.toast(`${title}: ${reason}`, "warn");
      else run();
    };
    const shown = h("button", { type: "button", class: style, onclick: act }, h("span", { class: "label" }, label), key && kbd(key));
    const entry = {
      // Not `blocked`: a key that cannot act must say why, and not pass its second stroke on to
      // another command, which might make the robot speak.
      shown, remove: this.#desk.commands.add({ id, title, group, key, run: act }),
      refresh: () => {
        const reason = blocked();
        set(shown, "aria-disabled", reason ? "true" : null);
        set(shown, "title", reason ?? (title === label ? null : title));
        if (pressed) set(shown, "aria-pressed", String(pressed()));
      },
    };
    this.#made.add(entry);
    entry.refresh();
    return shown;
  }

  /** Bring all of them up to date. */
  refresh() {
    for (const { refresh } of this.#made) refresh();
  }

  /** Forget the buttons, so that others take their place. */
  clear() {
    for (const { remove } of this.#made) remove();
    this.#made.clear();
  }

  close() {
    this.clear();
    for (const off of this.#offs) off();
  }
}

function set(element, name, value) {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
