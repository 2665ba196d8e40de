/**
 * What will be said and done: the words with each step at its word, what this body does instead of
 * what it cannot, and what is wrong. Used for lines and for free text.
 */

import { h } from "../lib/dom.js";

const WAIT_MS = 120;

/**
 * Draw a preview, as `POST library/preview` answers it.
 * @param {string[]} [missing] - tags whose fields stand empty beside it: that needs no second word
 */
export function drawPreview(root, preview, missing = []) {
  const problems = (preview.problems ?? []).filter((problem) => !missing.some((tag) => problem.startsWith("the tag ") && problem.includes(tag) && problem.includes("no value")));
  const words = preview.words ?? [];
  const steps = Map.groupBy(preview.steps ?? [], ({ at_word }) => Math.max(0, Math.min(words.length, at_word)));
  const pieces = [];
  for (let place = 0; place <= words.length; place++) {
    for (const { what } of steps.get(place) ?? []) pieces.push(h("bdi", { class: "step", dir: "ltr" }, what), " ");
    if (place < words.length) pieces.push(`${words[place]} `);
  }
  if (!pieces.length) pieces.push(h("span", { class: "quietly" }, "Nothing will be said or done."));
  root.replaceChildren(
    h("p", { class: "preview-words", dir: "auto" }, pieces, preview.question && h("span", { class: "chip" }, "waits for an answer")),
    preview.substitutions?.length ? h("ul", { class: "preview-notes", "aria-label": "What this body does instead" }, preview.substitutions.map(({ wanted, done, why }) =>
      h("li", {}, h("span", { class: "step", dir: "ltr" }, wanted), done ? " becomes " : " is left out", done && h("span", { class: "step", dir: "ltr" }, done), why && `: ${why}`))) : "",
    problems.length ? h("ul", { class: "preview-notes bad", "aria-label": "Problems" }, problems.map((problem) =>
      h("li", {}, h("strong", {}, "Problem: "), problem))) : "",
  );
}

/**
 * Asks for previews, the newest wish only.
 *
 * @param {Element} root - where it is drawn
 * @returns {{ask: (wish: object, meanwhile: string, options?: {wait_ms?: number, missing?: string[]}) => void, clear: () => void, close: () => void}}
 *   `ask(wish, meanwhile)`: the body of the question, and the words that stand there until the answer comes
 */
export function makePreview(root, desk) {
  let timer = 0;
  let turn = 0;
  let shownLine = null;

  const note = (meanwhile, why) => root.replaceChildren(
    h("p", { class: "preview-words", dir: "auto" }, meanwhile),
    h("ul", { class: "preview-notes" }, h("li", {}, why)));

  async function answer(wish, meanwhile, missing, mine) {
    if (!desk.connected) {
      note(meanwhile, "No preview while the connection is lost.");
      return;
    }
    const path = `library/preview?character=${encodeURIComponent(desk.character)}`;
    try {
      const preview = await desk.ask(path, { method: "POST", body: JSON.stringify(wish), headers: { "content-type": "application/json" } });
      if (mine === turn) drawPreview(root, preview, missing);
    } catch (error) {
      if (mine === turn) note(meanwhile, `No preview: ${error.message}`);
    }
  }

  return {
    ask(wish, meanwhile, { wait_ms = WAIT_MS, missing = [] } = {}) {
      const mine = ++turn;
      clearTimeout(timer);
      if (wish.line !== undefined && wish.line !== shownLine) {
        // Never the words of one line under the name of another, not for a moment.
        shownLine = wish.line;
        root.replaceChildren(h("p", { class: "preview-words", dir: "auto" }, meanwhile));
      }
      timer = setTimeout(() => answer(wish, meanwhile, missing, mine), wait_ms);
    },
    clear() {
      turn++;
      clearTimeout(timer);
      shownLine = null;
      root.replaceChildren();
    },
    close() {
      turn++;
      clearTimeout(timer);
    },
  };
}
