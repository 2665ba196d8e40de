/** The categories with how many lines each holds now; the subcategories of the chosen one below it. */

import { h } from "../lib/dom.js";

/**
 * @param {(category: string|null, subcategory: string|null) => void} onChoose - null: all
 */
export function makeCategories(onChoose) {
  const root = h("div", { class: "line-categories", role: "group", "aria-label": "Categories" });
  let entries = [];
  let signature = null;

  function makeEntry(category, subcategory, title) {
    const count = h("span", { class: "count number" });
    const button = h("button", {
      type: "button", class: subcategory === null ? "" : "sub", title,
      onclick: () => onChoose(category, subcategory),
    }, h("span", { class: "name", dir: "auto" }, title), count);
    return { category, subcategory, button, count };
  }

  return {
    element: root,
    /**
     * @param {{name: string, subcategories: string[]}[]} categories
     * @param {{category: string|null, subcategory: string|null}} chosen
     * @param {number} all - how many lines there are in all
     * @param {(category: string, subcategory?: string) => number} countOf
     * @param {number} loose - how many lines have no category
     */
    show(categories, chosen, all, countOf, loose) {
      const open = categories.find(({ name }) => name === chosen.category);
      const now = JSON.stringify([categories.map(({ name }) => name), open ?? null, loose > 0]);
      if (now !== signature) {
        signature = now;
        const focused = entries.findIndex(({ button }) => button === document.activeElement);
        const before = entries[focused];
        entries = [makeEntry(null, null, "All")];
        for (const { name, subcategories } of categories) {
          entries.push(makeEntry(name, null, name));
          if (name === open?.name) for (const sub of subcategories) entries.push(makeEntry(name, sub, sub.replaceAll(":", " › ")));
        }
        if (loose > 0) entries.push(makeEntry("", null, "Without category"));
        root.replaceChildren(...entries.map(({ button }) => button));
        if (before) entries.find((entry) => entry.category === before.category && entry.subcategory === before.subcategory)?.button.focus();
      }
      for (const { category, subcategory, button, count } of entries) {
        const lines = category === null ? all : category === "" ? loose : countOf(category, subcategory ?? undefined);
        if (count.textContent !== String(lines)) count.textContent = String(lines);
        button.classList.toggle("none", !lines);
        const pressed = category === chosen.category && subcategory === chosen.subcategory;
        if (pressed && button.getAttribute("aria-pressed") !== "true") {
          root.scrollTop = Math.max(0, Math.min(root.scrollTop, button.offsetTop - root.offsetTop), button.offsetTop - root.offsetTop + button.offsetHeight - root.clientHeight);
        }
        button.setAttribute("aria-pressed", String(pressed));
      }
    },
  };
}
