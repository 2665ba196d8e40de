/**
 * How far the voice is within an utterance.
 *
 * A line is said in one or more pieces (Speak), whose words count from 0 each; where a piece begins
 * in the text of the line is found by looking for it from where the last one ended.
 */

const MOST_REMEMBERED = 20;

export class SpeechProgress {
  #texts = new Map(); // utterance → what is said
  #pieces = new Map(); // speech → { utterance, from, text }
  #reached = new Map(); // utterance → { from, to, end }

  /** An utterance has begun. */
  started(utterance, text) {
    bounded(this.#texts, utterance, text);
  }

  /** The text of an utterance, where it was heard; null: it began before we listened. */
  textOf(utterance) {
    return this.#texts.get(utterance) ?? null;
  }

  /** A piece of it goes to the voice. */
  piece(speech, utterance, text) {
    const whole = this.#texts.get(utterance) ?? "";
    const found = whole.indexOf(text, this.#reached.get(utterance)?.end ?? 0);
    bounded(this.#pieces, speech, { utterance, from: Math.max(0, found), text });
    if (found >= 0) bounded(this.#reached, utterance, { ...(this.#reached.get(utterance) ?? { from: found, to: found }), end: found + text.length });
  }

  /** The voice has reached a word; returns the utterance, or null where it is nobody's. */
  word({ speech, index, offset, text }) {
    const piece = this.#pieces.get(speech);
    if (!piece) return null;
    const at = offset === null || offset === undefined ? [...piece.text.matchAll(/\S+/g)][index]?.index ?? 0 : unitsOf(piece.text, offset);
    const whole = this.#texts.get(piece.utterance) ?? "";
    const from = Math.min(whole.length, piece.from + at);
    const length = whole.startsWith(text, from) ? text.length : whole.slice(from).search(/\s|$/);
    bounded(this.#reached, piece.utterance, { from, to: from + length, end: this.#reached.get(piece.utterance)?.end ?? 0 });
    return piece.utterance;
  }

  /** The text in three parts: what was said, the word now, and what is to come. */
  parts(utterance) {
    const text = this.#texts.get(utterance) ?? "";
    const { from = 0, to = 0 } = this.#reached.get(utterance) ?? {};
    return [text.slice(0, from), text.slice(from, to), text.slice(to)];
  }
}

/** Where a character is in a string of JavaScript, which counts rare ones twice. */
function unitsOf(text, characters) {
  return [...text].slice(0, characters).join("").length;
}

function bounded(map, key, value) {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value);
}
