/**
 * Commands: everything that can be done, under a name and a key.
 *
 * A key is written as people read it: `F9`, `Ctrl+K`, `/`, or two strokes one after the other,
 * `g o`. Plain letters do nothing while somebody types into a field; function keys and those with
 * Ctrl or Alt do. A command of the page goes before one of the shell, and the stops before all.
 */

const SECOND_STROKE_MS = 1500;

export class Commands {
  #commands = new Map();
  #providers = new Set();
  #first = "";
  #firstAt = 0;

  /** @param {EventTarget} target - where keys are heard */
  constructor(target = document) {
    target.addEventListener("keydown", (event) => this.#pressed(event), { capture: true });
  }

  /**
   * Add a command; returns a function that takes it away.
   *
   * @param {object} command
   * @param {string} command.id - unique, such as `line.repeat`
   * @param {string} command.title - what it does, in a few words
   * @param {string} [command.group] - where it belongs, such as `Speech`
   * @param {string} [command.key]
   * @param {() => void} command.run
   * @param {() => string|null} [command.blocked] - why it cannot be done now; null: it can
   * @param {boolean} [command.first] - goes before every other command with the same key
   * @param {boolean} [command.repeats] - also while the key is held down
   */
  add(command) {
    this.#commands.delete(command.id);
    this.#commands.set(command.id, { group: "", ...command });
    return () => {
      if (this.#commands.get(command.id)?.run === command.run) this.#commands.delete(command.id);
    };
  }

  /** Add a source of further entries for the palette: `(words) => [{ title, group, run }]`. */
  provide(provider) {
    this.#providers.add(provider);
    return () => this.#providers.delete(provider);
  }

  /** @returns {any[]} all commands, the newest first */
  all() {
    return [...this.#commands.values()].reverse();
  }

  get(id) {
    return this.#commands.get(id);
  }

  /** Keys that two commands share, and keys that hide one of two strokes which begins with them. */
  conflicts() {
    const keyed = this.all().filter(({ key }) => key);
    return keyed.flatMap(({ id, key }) => {
      const others = keyed.filter((other) => other.id !== id && (other.key === key || other.key.startsWith(`${key} `)));
      return others.map((other) => [key, id, other.id]);
    });
  }

  /** Entries for the palette that fit the words. */
  find(words) {
    const wanted = plain(words).split(/\s+/).filter(Boolean);
    const fits = ({ title, group = "" }) => {
      const text = plain(`${group} ${title}`);
      return wanted.every((word) => text.includes(word));
    };
    const provided = [...this.#providers].flatMap((provider) => provider(words));
    return [...this.all().filter(({ hidden }) => !hidden), ...provided].filter(fits).slice(0, 60);
  }

  #pressed(event) {
    if (event.isComposing || event.defaultPrevented) return;
    const stroke = strokeOf(event);
    if (!stroke) return;
    const first = performance.now() - this.#firstAt < SECOND_STROKE_MS ? this.#first : "";
    this.#first = "";
    const typing = isTyping(event.target) && !worksWhileTyping(event);
    if (typing) return;
    // After a first stroke a plain letter is its second or nothing: `s 9` must never become `9`.
    const command = first && !worksWhileTyping(event) ? this.#fitting(`${first} ${stroke}`) : this.#fitting(stroke);
    if (first && !command) {
      event.preventDefault();
      return;
    }
    if (command) {
      if (event.repeat && !command.repeats) {
        event.preventDefault();
        return;
      }
      // A dialog keeps its keys to itself, the stops excepted.
      if (document.querySelector("dialog[open]") && !command.first) return;
      event.preventDefault();
      event.stopPropagation();
      command.run();
    } else if (this.all().some(({ key }) => key?.startsWith(`${stroke} `))) {
      this.#first = stroke;
      this.#firstAt = performance.now();
      event.preventDefault();
    }
  }

  #fitting(key) {
    const fitting = this.all().filter((command) => command.key === key && !command.blocked?.());
    return fitting.find(({ first }) => first) ?? fitting[0];
  }
}

/** Small letters without accents: who searches for `ola` finds `Olá`. */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function strokeOf(event) {
  if (["Shift", "Control", "Alt", "Meta", "Dead"].includes(event.key)) return "";
  // On many keyboards [ and { are typed with AltGr, which Windows reports as Ctrl and Alt.
  const typed = event.getModifierState?.("AltGraph");
  if (typed) return event.key;
  const named = event.key === " " ? "Space" : event.key.length === 1 && (event.ctrlKey || event.altKey || event.metaKey) ? event.key.toUpperCase() : event.key;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && event.key.length > 1) parts.push("Shift");
  return [...parts, named].join("+");
}

function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=range])"));
}

function worksWhileTyping(event) {
  if (event.getModifierState?.("AltGraph")) return false;
  return event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key);
}
