/** Asks what stands for the tags of a line before it is performed. */

import { field, h } from "../lib/dom.js";

/** What was written last, by tag; only as long as the page lives, since names of people are among it. */
const last = new Map();

/**
 * Ask for every tag of a text.
 *
 * What is heard goes into `tags`, which recordings keep apart because it may name a person; what
 * only steers gaze and gestures goes into `words`.
 *
 * @param {any} desk
 * @param {{tags: string[], unsaid_tags: string[], shown: string}} said
 * @returns {Promise<{tags: Object<string, string>, words: Object<string, string>}|null>} null: thought better of it
 */
export async function askTags(desk, said) {
  const targets = said.unsaid_tags.length ? await targetsOf(desk) : [];
  const inputs = said.tags.map((tag) => h("input", {
    type: "text", name: tag, required: true, autocomplete: "off", value: last.get(tag) ?? "",
    list: said.unsaid_tags.includes(tag) && targets.length ? "lines-targets" : null,
  }));
  return new Promise((resolve) => {
    let values = null;
    const form = h("form", {
      class: "inside stack tags-form",
      onsubmit: (event) => {
        event.preventDefault();
        values = { tags: {}, words: {} };
        for (const [place, tag] of said.tags.entries()) {
          const written = inputs[place].value.trim();
          last.set(tag, written);
          Object.defineProperty(said.unsaid_tags.includes(tag) ? values.words : values.tags, tag, { value: written, enumerable: true });
        }
        dialog.close();
      },
    },
    h("h1", { id: "tags-heading" }, "What stands for the tags?"),
    h("p", { class: "quietly" }, said.shown),
    said.tags.map((tag, place) => field(said.unsaid_tags.includes(tag) ? `${tag} (a target or an action)` : tag, inputs[place])),
    h("datalist", { id: "lines-targets" }, targets.map((name) => h("option", { value: name }))),
    h("div", { class: "row" },
      h("button", { type: "submit", class: "primary" }, "▶ Perform"),
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
    const dialog = h("dialog", { "aria-labelledby": "tags-heading" }, form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(values);
    });
    document.body.append(dialog);
    dialog.showModal();
    (inputs.find((input) => !input.value) ?? inputs[0])?.focus();
  });
}

async function targetsOf(desk) {
  try {
    const { targets } = await desk.ask(`repertoire?character=${encodeURIComponent(desk.character ?? "")}`);
    return targets.map(({ name }) => name);
  } catch {
    return []; // the form works without proposals
  }
}
