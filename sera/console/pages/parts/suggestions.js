/**
 * What the machine proposes: what it would do, why, and how long there is to decide. The operator
 * accepts, rejects or edits it with one key, or lets it lapse.
 *
 * Keys always mean the oldest proposal. Safety: a key that was pressed just as the oldest one
 * changed was meant for the one before, and does nothing.
 */

import { empty, h, kbd, keyed } from "../lib/dom.js";
import { autonomyOf } from "./autonomy.js";
import { changed, editable, inWords } from "./suggestion_words.js";

const TOLD_FOR_MS = 4000;
const MEANT_AFTER_MS = 250;
const LAPSED_AFTER_S = 1;
const MOST_SHOWN = 8;
const RECOVERED_S = 60;
/** Fields that no operator changes in a hurry. */
const NOT_EDITED = new Set(["line", "library", "priority", "blend_s", "fade_s", "layer"]);

/**
 * Show the proposals for all characters.
 *
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showSuggestions(root, desk) {
  const list = h("ol", { class: "proposals" });
  const ended = h("ul", { class: "resolved" });
  const more = h("p", { class: "quietly" });
  const said = h("p", { class: "unseen", role: "status" });
  root.replaceChildren(h("section", { class: "suggestions", "aria-label": "Suggestions of the machine" }, list, more, ended, said));
  const open = new Map();
  const lines = new Map();
  let head = { id: null, since: 0 };
  let timer = 0;
  let closed = false;

  const oldest = () => open.values().next().value;
  const left_s = ({ time, suggestion }) => time + suggestion.lapses_after_s - desk.now();

  function show() {
    const shown = [...open.values()].slice(0, MOST_SHOWN);
    if (shown[0]?.id !== head.id) head = { id: shown[0]?.id ?? null, since: performance.now() };
    keyed(list, shown, ({ id }) => id, make, (element, one) => element.update(one, one === shown[0]));
    more.hidden = open.size <= shown.length;
    more.textContent = `and ${open.size - shown.length} more`;
    if (open.size && !timer) timer = setInterval(tick, 200);
    else if (!open.size) {
      clearInterval(timer);
      timer = 0;
    }
  }

  function tick() {
    for (const one of [...open.values()].filter((each) => left_s(each) < -LAPSED_AFTER_S)) {
      // Its module should have said so, and may be gone.
      if (one.editing) one.lapsed = true;
      else end(one, "lapsed");
    }
    show();
  }

  function end(one, how) {
    if (!open.delete(one.id)) return;
    const note = h("li", {}, h("span", { class: "chip", data: { kind: how.startsWith("accepted") ? "good" : "" } }, how), ` ${inWords(one.suggestion.action_type, one.suggestion.action, lines)}`);
    ended.prepend(note);
    while (ended.children.length > 3) ended.lastChild.remove();
    setTimeout(() => note.remove(), TOLD_FOR_MS);
    show();
  }

  async function resolve(one, outcome, edited = false) {
    if (!one || one.answering) return;
    one.answering = true;
    show();
    const id = await desk.order("SuggestionResolved", { suggestion: one.id, outcome, by: desk.operator, edited }, { character: one.character });
    one.answering = false;
    if (id) end(one, `${outcome}${edited ? " as edited" : ""} by you`);
    else show();
  }

  async function sendEdited(one, action) {
    const { action_type: type } = one.suggestion;
    if (!await desk.order(type, action, { character: one.character })) return;
    if (one.lapsed) end(one, "lapsed, then sent by you");
    else await resolve(one, "accepted", true);
  }

  function edit(one) {
    if (!one) return;
    one.editing = true;
    show();
    list.querySelector("form :is(input, textarea)")?.focus();
  }

  function make(one) {
    const { suggestion, character } = one;
    const words = h("strong", { class: "what" });
    const time = h("span", { class: "number remaining" });
    const bar = h("div", { class: "bar" });
    const keys = ["a", "z", "e"].map((key) => kbd(key));
    const button = (label, place, title, run, cls = "small") => h("button", { type: "button", class: cls, title, onclick: run }, label, " ", keys[place]);
    const buttons = desk.isWizard ? [
      button("Accept", 0, "Do it (a; while typing Alt A)", () => resolve(one, "accepted"), "small primary"),
      button("Reject", 1, "Do not do it (z; while typing Alt Z)", () => resolve(one, "rejected")),
      button("Edit first", 2, "Change it, then send it (e; while typing Alt E)", () => edit(one)),
    ] : [];
    const form = h("div", {});
    const element = h("li", { class: "proposal" },
      h("div", { class: "row" }, h("span", { class: "chip", data: { kind: "accent" } }, character), words, h("span", { class: "push" }), time),
      h("div", { class: "track", "aria-hidden": "true" }, bar),
      h("div", { class: "row" }, h("span", { class: "quietly why" }, suggestion.reason ? `Why: ${suggestion.reason}` : `No reason was given by ${one.source}.`), h("span", { class: "row push" }, buttons)),
      form);
    element.update = (now, first) => {
      const left = Math.max(0, left_s(now));
      words.textContent = inWords(suggestion.action_type, suggestion.action, lines);
      time.textContent = now.lapsed ? "lapsed" : `${left.toFixed(left < 10 ? 1 : 0)} s`;
      bar.style.setProperty("transform", `scaleX(${now.lapsed ? 0 : Math.min(1, left / suggestion.lapses_after_s)})`);
      bar.classList.toggle("soon", left < 3);
      const why = now.answering ? "being sent" : autonomyOf(desk).heldByOther(suggestion.action_type, character);
      for (const one of buttons) {
        one.disabled = Boolean(why) || Boolean(now.editing);
        if (why) one.title = why;
      }
      for (const key of keys) key.hidden = !first;
      if (now.editing && !form.firstChild) form.append(editForm(now, sendEdited, () => { now.editing = false; form.replaceChildren(); if (now.lapsed) end(now, "lapsed"); else show(); }));
    };
    return element;
  }

  const take = (suggestion, envelope) => {
    if (closed || open.has(envelope.id)) return;
    const one = { id: envelope.id, suggestion, character: envelope.character, time: envelope.time, source: envelope.source };
    if (left_s(one) <= 0) return;
    open.set(one.id, one);
    said.textContent = `${one.character} proposes: ${inWords(suggestion.action_type, suggestion.action, lines)}. Key a accepts, z rejects.`;
    if (suggestion.action.line && !lines.has(suggestion.action.line)) learnLines(one.character);
    show();
  };

  const asked = new Set();
  function learnLines(character) {
    if (asked.has(character)) return;
    asked.add(character);
    desk.ask(`library?character=${encodeURIComponent(character)}`).then((library) => {
      for (const { id, shown } of library.lines) lines.set(id, shown);
      show();
    }, () => {}); // its id is shown then
  }

  const blocked = () => {
    const one = oldest();
    if (!one) return "the machine proposes nothing now";
    if (!desk.isWizard) return "an observer looks on";
    if (performance.now() - head.since < MEANT_AFTER_MS) return "it has just changed";
    return autonomyOf(desk).heldByOther(one.suggestion.action_type, one.character);
  };
  const commands = [
    ["accept", "Accept the oldest suggestion", "a", () => resolve(oldest(), "accepted")],
    ["reject", "Reject the oldest suggestion", "z", () => resolve(oldest(), "rejected")],
    ["edit", "Edit the oldest suggestion before it is done", "e", () => edit(oldest())],
  ].flatMap(([id, title, key, run]) => [
    desk.commands.add({ id: `suggestion.${id}`, title, group: "Suggestions", key, blocked, run }),
    desk.commands.add({ id: `suggestion.${id}.typing`, title: `${title}, also while typing`, group: "Suggestions", key: `Alt+${key.toUpperCase()}`, blocked, run: () => run() }),
  ]);
  const offs = [
    desk.sera.on("Suggestion", take),
    desk.sera.on("SuggestionResolved", ({ suggestion, outcome, by, edited }) => {
      const one = open.get(suggestion);
      if (!one) return;
      if (outcome === "lapsed" && one.editing) {
        // Whoever is writing keeps what was written: it becomes an order of their own.
        one.lapsed = true;
        show();
      } else end(one, `${outcome}${edited ? " as edited" : ""}${by ? ` by ${by}` : ""}`);
    }),
    autonomyOf(desk).on(show),
    ...commands,
  ];
  show();
  recover(desk).then((standing) => standing.forEach((envelope) => take(envelope.data, envelope)), () => {});
  return () => {
    closed = true;
    for (const off of offs) off();
    clearInterval(timer);
    root.replaceChildren();
  };
}

/** Proposals that came while another page was open. */
async function recover(desk) {
  const { messages } = await desk.ask(`history?seconds=${RECOVERED_S}`);
  const resolved = new Set(messages.filter(({ type }) => type === "SuggestionResolved").map(({ data }) => data.suggestion));
  return messages.filter(({ type, id }) => type === "Suggestion" && !resolved.has(id));
}

/** A small form with what can be changed of the Action. */
function editForm(one, send, cancel) {
  let { action } = one.suggestion;
  const fields = editable(action).filter(({ path: [name] }) => !NOT_EDITED.has(name)).map(({ path, label, kind, value }) => {
    const change = (to) => { action = changed(action, path, to); };
    if (kind === "switch") return h("label", { class: "row" }, h("input", { type: "checkbox", checked: value, onchange: ({ target }) => change(target.checked) }), label);
    const control = kind === "number"
      ? h("input", { type: "number", step: "any", value, oninput: ({ target }) => { if (Number.isFinite(target.valueAsNumber)) change(target.valueAsNumber); } })
      : h("input", { type: "text", value, oninput: ({ target }) => change(target.value) });
    return h("label", { class: "field" }, h("span", {}, label), control);
  });
  let words = "";
  if (one.suggestion.action_type === "PerformUtterance" && !action.text) {
    // A line or a category cannot be reworded by itself: other words take its place.
    const own = h("input", { type: "text", placeholder: "Leave empty to say what is proposed", oninput: ({ target }) => { words = target.value.trim(); } });
    fields.unshift(h("label", { class: "field" }, h("span", {}, "say these words instead"), own));
  }
  const result = () => (words ? { ...action, text: words, line: null, category: null, subcategory: null } : action);
  return h("form", {
    class: "edit", onsubmit: (event) => { event.preventDefault(); send(one, result()); },
    onkeydown: (event) => { if (event.key === "Escape") cancel(); },
  }, fields.length ? fields : empty("It has nothing that could be changed."),
  h("div", { class: "row" }, h("button", { type: "submit", class: "small primary" }, "Send this"), h("button", { type: "button", class: "small", onclick: cancel }, "Do not edit")));
}
