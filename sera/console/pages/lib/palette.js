/** The palette (Ctrl-K), which finds anything that can be done, and the list of keys (?). */

import { h, kbd } from "./dom.js";

/** Open the palette. */
export function openPalette(commands) {
  if (document.querySelector("dialog[open]")) return;
  const list = h("ul", { role: "listbox", id: "palette-list", "aria-label": "What was found" });
  const input = h("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
    "aria-label": "Find a command, a line, a target", placeholder: "Find a command, a line, a target …",
    autocomplete: "off", spellcheck: "false",
  });
  const dialog = h("dialog", { class: "palette", "aria-label": "Find anything" }, input, list);
  let found = [];
  let chosen = 0;

  function show() {
    list.replaceChildren(...found.map((entry, place) => {
      const why = entry.blocked?.();
      return h("li", {
        role: "option", id: `palette-${place}`, "aria-selected": place === chosen, "aria-disabled": why ? "true" : null,
        title: why ?? null, onclick: () => take(entry),
      }, h("span", { class: "group" }, entry.group ?? ""), h("span", {}, entry.title), entry.key && kbd(entry.key));
    }));
    if (!found.length) list.append(h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing fits these words."));
    input.setAttribute("aria-activedescendant", found.length ? `palette-${chosen}` : "");
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
  }

  function search() {
    found = commands.find(input.value);
    chosen = 0;
    show();
  }

  function take(entry) {
    if (!entry || entry.blocked?.()) return;
    dialog.close();
    entry.run();
  }

  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      chosen = (chosen + step + found.length) % found.length;
      show();
    } else if (event.key === "Enter") take(found[chosen]);
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  search();
  input.focus();
}

/** Show all keys. */
export function openKeys(commands) {
  if (document.querySelector("dialog[open]")) return;
  const shown = commands.all().filter(({ key, hidden }) => key && !hidden);
  const groups = Map.groupBy(shown, ({ group }) => group || "Console");
  const dialog = h("dialog", { "aria-labelledby": "keys-heading" },
    h("div", { class: "row", style: { padding: "0.8rem 1rem 0" } }, h("h1", { id: "keys-heading" }, "Keys"),
      h("button", { type: "button", class: "push small", onclick: () => dialog.close() }, "Close")),
    [...groups].sort().map(([group, entries]) => h("div", {},
      h("h3", { style: { padding: "0.6rem 1rem 0" } }, group),
      h("div", { class: "keys-list" }, entries.map(({ title, key }) => h("div", {}, h("span", {}, title), kbd(key)))))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
