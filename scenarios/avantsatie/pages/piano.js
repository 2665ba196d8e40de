// The piano as a picture, and its sound. Keys are called as in pieces.toml: c4, cs4, d4 …
const NAMES = ["c", "cs", "d", "ds", "e", "f", "fs", "g", "gs", "a", "as", "b"];
/** Keys of a computer's keyboard, from the piano's left to right; the game counts them the same. */
const LETTERS = "awsedftgyhujk";

/** @param {string} key */
export const isBlack = (key) => key[1] === "s";
/** What a key is called on a picture. @param {string} key */
export const label = (key) => key.slice(0, -1).toUpperCase().replace("S", "♯");
const midi = (key) => 12 * (Number(key.at(-1)) + 1) + NAMES.indexOf(key.slice(0, -1));

/** The key of the piano that a letter on the keyboard plays. @param {KeyboardEvent} event @param {string[]} keys */
export function keyOfLetter(event, keys) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.key.length !== 1) return undefined;
  return keys[LETTERS.indexOf(event.key.toLowerCase())];
}

function written(tag, words) {
  const made = document.createElement(tag);
  made.textContent = words;
  return made;
}

/**
 * Draw the keys.
 * @param {HTMLElement} root
 * @param {string[]} keys from low to high
 * @param {((key: string) => void) | null} press null: a picture that nobody plays on
 * @param {(name: string, letter: string) => string} [spoken] what a key with a letter is called aloud
 * @returns {Map<string, HTMLElement>} the key's element by name
 */
export function drawPiano(root, keys, press, spoken) {
  const row = document.createElement("div");
  row.className = "keys";
  const whites = keys.filter((key) => !isBlack(key)).length;
  const made = new Map();
  let before = 0;
  keys.forEach((key, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = isBlack(key) ? "black" : "white";
    button.dataset.key = key;
    const letter = press ? LETTERS[place] ?? "" : "";
    button.append(written("span", label(key)));
    if (letter) button.append(written("kbd", letter.toUpperCase()));
    button.setAttribute("aria-label", letter && spoken ? spoken(label(key), letter) : label(key));
    if (isBlack(key)) button.style.left = `${(before / whites) * 100}%`;
    else before += 1;
    if (press) {
      // Fingers and feet slip: what counts is where they come down.
      button.addEventListener("pointerdown", (event) => {
        if (event.button === 0) press(key);
      });
      button.addEventListener("keydown", (event) => {
        if (!event.repeat && (event.key === "Enter" || event.key === " ")) press(key);
      });
    } else {
      button.disabled = true;
    }
    made.set(key, button);
    row.append(button);
  });
  root.replaceChildren(row);
  return made;
}

/** Light a key for a moment. @param {HTMLElement | undefined} element @param {string} how */
export function strike(element, how) {
  if (!element) return;
  element.classList.add(how);
  setTimeout(() => element.classList.remove(how), 350);
}

/** A small struck-string sound for each key. */
export class Sound {
  #context = null;

  /** Browsers let a page sound after somebody has touched it. */
  async wake() {
    this.#context ??= new AudioContext();
    await this.#context.resume();
  }

  get awake() {
    return this.#context?.state === "running";
  }

  /** @param {string} key @param {string} by `player` or `robot`, which sounds softer */
  play(key, by) {
    if (!this.awake) return;
    const now = this.#context.currentTime;
    const hz = 440 * 2 ** ((midi(key) - 69) / 12);
    for (const [part, level] of [[1, 1], [2, 0.35], [3, 0.12]]) {
      const tone = this.#context.createOscillator();
      const gain = this.#context.createGain();
      tone.type = by === "robot" ? "triangle" : "sine";
      tone.frequency.value = hz * part;
      gain.gain.setValueAtTime(0.0001, now);
      gain.gain.exponentialRampToValueAtTime(0.22 * level, now + 0.008);
      gain.gain.exponentialRampToValueAtTime(0.0001, now + 1.1 / part);
      tone.connect(gain).connect(this.#context.destination);
      tone.start(now);
      tone.stop(now + 1.2);
    }
  }
}
