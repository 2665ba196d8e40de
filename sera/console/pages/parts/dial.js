/**
 * The autonomy dial of the selected character: for each channel whether the machine acts, proposes
 * or is silent, and which operator has the channel in hand.
 */

import { h, kbd, panel } from "../lib/dom.js";
import { autonomyOf, CHANNELS, MODES } from "./autonomy.js";

const MODE_TITLES = {
  autonomous: "the machine acts by itself",
  suggest: "the machine proposes, an operator confirms",
  wizard: "only operators act",
};

/**
 * Show the dial.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showDial(root, desk) {
  const autonomy = autonomyOf(desk);
  const whose = h("span", { class: "chip" });
  const rows = CHANNELS.map((channel) => new Row(desk, autonomy, channel));
  const said = h("p", { class: "unseen", role: "status" });
  root.replaceChildren(panel("Autonomy", { class: "dial" }, whose, h("div", { class: "inside scroll" }, rows.map(({ element }) => element), said)));
  let before = null;

  const show = () => {
    whose.textContent = desk.character ?? "nobody";
    for (const row of rows) row.show();
    // A turn by somebody else is said aloud: the buttons alone would change in silence.
    const now = CHANNELS.map(({ name }) => `${name} ${autonomy.mode(desk.character, name)}`);
    const changed = before?.whose === desk.character ? now.filter((one, place) => one !== before.now[place]) : [];
    if (changed.length) said.textContent = `${desk.character}: ${changed.join(", ")}`;
    before = { whose: desk.character, now };
  };
  const offs = [autonomy.on(show), desk.on("character", show), ...rows.flatMap((row) => row.commands())];
  show();
  return () => {
    for (const off of offs) off();
    root.replaceChildren();
  };
}

/** One channel: its three settings, and whose it is. */
class Row {
  #desk;
  #autonomy;
  #channel;
  #buttons;
  #group;
  #owner = h("span", { class: "chip" });
  #effect = h("span", { class: "quietly effect", hidden: true });
  #take;
  #letGo;
  #handOver;

  constructor(desk, autonomy, channel) {
    this.#desk = desk;
    this.#autonomy = autonomy;
    this.#channel = channel;
    const { title, letter, about } = channel;
    this.#buttons = MODES.map((mode) => h("button", {
      type: "button", role: "radio", class: "small", title: MODE_TITLES[mode], data: { mode }, onclick: () => this.#turn(mode),
    }, mode));
    this.#group = h("div", { class: "segments", role: "radiogroup", "aria-label": `${title}: who decides`, onkeydown: (event) => this.#arrow(event) }, this.#buttons);
    const small = (label, key, what, run) => h("button", { type: "button", class: "small quiet", "aria-label": `${label} ${title.toLowerCase()}`, title: `${what} (${key})`, onclick: run }, label);
    this.#take = small("Take", `w ${letter}`, "Have this channel in hand", () => this.#own(desk.operator));
    this.#letGo = small("Let go", `w ${letter}`, "Leave this channel to everybody", () => this.#own(null));
    this.#handOver = small("Hand over", `H ${letter}`, "Give this channel to another operator", () => this.#choose());
    this.element = h("div", { class: "dial-row", data: { channel: channel.name } },
      h("div", { class: "row" }, h("span", { class: "name", title: about }, title), kbd(`d ${letter}`), this.#owner,
        desk.isWizard && h("span", { class: "push" }, this.#take, this.#letGo, this.#handOver)),
      this.#group, this.#effect);
  }

  get #mode() { return this.#autonomy.mode(this.#desk.character, this.#channel.name); }
  get #holder() { return this.#autonomy.owner(this.#desk.character, this.#channel.name); }
  get #others() {
    return this.#autonomy.operators.filter(({ operator, role }) => role === "wizard" && operator !== this.#desk.operator).map(({ operator }) => operator);
  }

  /** Why this desk cannot turn the channel; null: it can. */
  #blocked() {
    if (!this.#desk.character) return "there is no character";
    const why = this.#desk.forbidden("AutonomyChanged");
    const other = this.#autonomy.otherHolder(this.#desk.character, this.#channel.name);
    return why ?? (other ? `${other} has it in hand` : null);
  }

  commands() {
    const { commands } = this.#desk;
    const { name, title, letter } = this.#channel;
    const low = title.toLowerCase();
    // Those with a key are never `blocked`: they say why, where the second stroke alone would do
    // something else.
    return [
      commands.add({
        id: `dial.${name}`, title: `${title}: next setting of the dial`, group: "Autonomy", key: `d ${letter}`,
        run: () => this.#turn(MODES[(MODES.indexOf(this.#mode) + 1) % MODES.length]),
      }),
      ...MODES.map((mode) => commands.add({ id: `dial.${name}.${mode}`, title: `${title}: ${mode}`, group: "Autonomy", blocked: () => this.#blocked(), run: () => this.#turn(mode) })),
      commands.add({
        id: `dial.${name}.own`, title: `Take ${low} in hand, or let it go`, group: "Autonomy", key: `w ${letter}`,
        run: () => this.#own(this.#holder === this.#desk.operator ? null : this.#desk.operator),
      }),
      commands.add({
        id: `dial.${name}.hand`, title: `Hand ${low} over to another operator`, group: "Autonomy", key: `H ${letter}`, run: () => this.#choose(),
      }),
    ];
  }

  show() {
    const [mode, holder, why] = [this.#mode, this.#holder, this.#blocked()];
    const effect = this.#autonomy.effective(this.#desk.character, this.#channel.name);
    for (const button of this.#buttons) {
      const chosen = button.dataset.mode === mode;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      button.setAttribute("aria-disabled", String(Boolean(why)));
      button.title = why ?? MODE_TITLES[button.dataset.mode];
    }
    this.#effect.hidden = effect === mode;
    this.#effect.textContent = `in effect ${effect}, as Decision is`;
    const mine = holder === this.#desk.operator;
    this.#owner.hidden = !holder;
    this.#owner.textContent = mine ? "yours" : `${holder}'s${this.#autonomy.isThere(holder) ? "" : ", away"}`;
    this.#owner.dataset.kind = mine ? "accent" : "warn";
    this.#take.hidden = mine;
    this.#take.textContent = holder ? "Take over" : "Take";
    this.#take.setAttribute("aria-label", `${this.#take.textContent} ${this.#channel.title.toLowerCase()}`);
    this.#letGo.hidden = !mine;
    this.#handOver.hidden = !mine || !this.#others.length;
  }

  #turn(mode) {
    const why = this.#blocked();
    if (why) this.#desk.toast(`${this.#channel.title}: ${why}`, "warn");
    else if (mode !== this.#mode) this.#say({ mode, owner: this.#holder });
  }

  #own(owner) {
    if (this.#desk.character) this.#say({ mode: this.#mode, owner });
  }

  #say({ mode, owner }) {
    const [character, previous] = [this.#desk.character, this.#mode];
    return this.#desk.order("AutonomyChanged", { channel: this.#channel.name, mode, by: this.#desk.operator, previous, owner }, { character });
  }

  #arrow(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (MODES.indexOf(this.#mode) + step + MODES.length) % MODES.length;
    this.#turn(MODES[next]);
    this.#buttons[next].focus();
  }

  /** Ask to whom it goes; with only one other there is nothing to ask. */
  #choose() {
    const others = this.#others;
    if (!others.length) return this.#desk.toast("No other wizard is there to hand it to.", "warn");
    if (others.length === 1) return this.#own(others[0]);
    const dialog = h("dialog", { "aria-label": `Hand ${this.#channel.title.toLowerCase()} over` },
      h("div", { class: "stack", style: { padding: "1rem" } }, h("h1", {}, `Hand ${this.#channel.title.toLowerCase()} over to`),
        others.map((operator) => h("button", { type: "button", onclick: () => { dialog.close(); this.#own(operator); } }, operator)),
        h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Keep it")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return undefined;
  }
}
