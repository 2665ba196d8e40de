/** Which category *hold on* speaks from: the layout's, or one that the wizard chose once. */

import { field, h } from "../lib/dom.js";

const LIKELY = /fill|hold|wait|think|backchannel|hesita/i;

function keyOf(desk, character) {
  return `sera.console.filler.${desk.facts.scenario ?? ""}.${character}`;
}

/** The category of fillers; null: nobody has chosen one yet. What the layout says is the same for every wizard. */
export function fillerOf(desk, character = desk.character) {
  return desk.facts.layout?.filler_category ?? localStorage.getItem(keyOf(desk, character));
}

/**
 * Ask the wizard for the category, and remember it.
 * @returns {Promise<string|null>} null: nothing was chosen
 */
export function chooseFiller(desk, library, { sayNow = false } = {}) {
  const names = library.categories.flatMap(({ name, subcategories }) => [name, ...subcategories.map((sub) => `${name}:${sub}`)]);
  if (!names.length) {
    desk.toast(library.status === "loading" ? "The lines are still being read." : `${desk.character} has no lines from which a filler could be said.`, "warn");
    return Promise.resolve(null);
  }
  if (document.querySelector("dialog[open]")) return Promise.resolve(null);
  const { character } = desk;
  const likely = fillerOf(desk) ?? names.find((name) => LIKELY.test(name)) ?? names[0];
  const select = h("select", {}, names.map((name) => h("option", { value: name, selected: name === likely }, name)));
  return new Promise((chosen) => {
    const dialog = h("dialog", { class: "filler", "aria-labelledby": "filler-heading" },
      h("form", { method: "dialog", class: "stack" },
        h("h1", { id: "filler-heading" }, "Hold on"),
        h("p", { class: "quietly" }, "From which category shall a line be said while you think? This is remembered; change it with “Choose the category of fillers” (Ctrl K)."),
        field("Category", select),
        h("div", { class: "row" }, h("button", { value: "chosen", class: "primary" }, sayNow ? "Say one now" : "Remember"), h("button", { value: "" }, "Cancel"))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      const category = dialog.returnValue === "chosen" ? select.value : null;
      if (category) localStorage.setItem(keyOf(desk, character), category);
      chosen(category);
    });
    // A closed list of choices would open itself at Enter; here it says yes to what it shows.
    select.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      dialog.close("chosen");
    });
    document.body.append(dialog);
    dialog.showModal();
    select.focus();
  });
}
