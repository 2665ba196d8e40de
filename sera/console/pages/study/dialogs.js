/** Questions before something that is recorded: why, and are you sure. */

import { field, h } from "../lib/dom.js";

/**
 * Ask in a dialog; resolves with what was given, or null where it was called off.
 *
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text - what will happen
 * @param {string|((choice: string|null) => string)} question.yes - what the button says
 * @param {boolean} [question.danger] - it cannot be undone
 * @param {string} [question.reason] - label of the field for a reason; left out: no field
 * @param {{value: string, title: string}[]} [question.choices] - with a choice above it
 * @param {string} [question.choose] - label of the choice
 * @param {boolean} [question.reasonFirst] - the choice is seldom another one: writing begins with the reason
 * @returns {Promise<{reason: string|null, choice: string|null}|null>}
 */
export function askFirst({ title, text, yes, danger = false, reason, choices, choose, reasonFirst = false }) {
  return new Promise((resolve) => {
    const why = reason ? h("input", { type: "text", maxlength: 300, autocomplete: "off" }) : null;
    const choice = choices ? h("select", {}, choices.map(({ value, title: shown }) => h("option", { value }, shown))) : null;
    const says = () => (typeof yes === "string" ? yes : yes(choice?.value ?? null));
    const agree = h("button", { type: "submit", class: danger ? "danger" : "primary" }, says());
    choice?.addEventListener("change", () => { agree.textContent = says(); });
    let given = null;
    const dialog = h("dialog", { class: "study-question", "aria-labelledby": "study-question" },
      h("form", { method: "dialog", class: "stack", onsubmit: () => { given = { reason: why?.value.trim() || null, choice: choice?.value ?? null }; } },
        h("h2", { id: "study-question" }, title),
        h("p", {}, text),
        choice && field(choose, choice),
        why && field(reason, why),
        h("div", { class: "row" },
          agree,
          h("button", { type: "button", onclick: () => dialog.close() }, "Go back"))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(given);
    });
    document.body.append(dialog);
    dialog.showModal();
    ((reasonFirst ? why : choice) ?? why ?? dialog.querySelector("button"))?.focus();
  });
}
