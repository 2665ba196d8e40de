/**
 * A form, one item at a time: forward, back, checked, and kept after every change. The server has
 * put the items into this participant's order; a draft keeps the order that was shown.
 */

import { h } from "../lib/dom.js";
import { answersOf, problemOf, showItem } from "./items.js";
import { loadDraft, saveDraft } from "./store.js";
import { wordsFor } from "./words.js";

const START = -1;

/**
 * Show a form.
 *
 * @param {Element} root
 * @param {object} form - see `GET /console/api/forms/<name>`
 * @param {string} key - under which its answers are kept
 * @param {(filled: object) => void} done - told once: answers, free_answers, item_order, duration_s, language
 */
export function showForm(root, form, key, done) {
  const words = wordsFor(form.language);
  const draft = usable(loadDraft(key), form) ?? { answers: {}, order: form.items.map(({ id }) => id), place: START, opened_ms: Date.now() };
  const items = draft.order.map((id) => form.items.find((item) => item.id === id));
  const isAsked = items.some(({ kind }) => kind !== "info");
  const where = items.some(({ kind }) => kind === "info") ? words.page : words.question;
  const problem = h("p", { class: "problem", id: "problem", role: "alert" });
  let finished = false;
  saveDraft(key, draft);

  const keep = (id, value) => {
    draft.answers[id] = value;
    problem.textContent = "";
    saveDraft(key, draft);
  };
  const go = (place) => {
    draft.place = place;
    saveDraft(key, draft);
    show();
  };
  const forward = (event) => {
    event.preventDefault();
    const item = items[draft.place];
    const why = item ? problemOf(item, draft.answers[item.id], words) : null;
    problem.textContent = why ?? "";
    if (why) root.querySelector("input, textarea")?.focus();
    else if (draft.place + 1 < items.length) go(draft.place + 1);
    else finish();
  };
  const finish = () => {
    // A tablet that was left at the last page may have an earlier answer that does not fit.
    const wrong = items.findIndex((item) => problemOf(item, draft.answers[item.id], words));
    if (wrong >= 0) {
      go(wrong);
      problem.textContent = problemOf(items[wrong], draft.answers[items[wrong].id], words);
    } else if (!finished) {
      finished = true;
      done({ ...answersOf(items, draft.answers), item_order: draft.order, duration_s: Math.max(0, Date.now() - draft.opened_ms) / 1000, language: form.language });
    }
  };
  const start = () => [
    h("h1", { class: "item-text", tabindex: "-1" }, form.title),
    form.intro && h("p", { class: "intro" }, form.intro),
    h("p", { class: "source" }, [form.source, form.licence, form.wording].filter(Boolean).join(" · ")),
  ];
  const show = () => {
    const { place } = draft;
    const item = items[place];
    const last = place + 1 === items.length;
    problem.textContent = "";
    root.replaceChildren(h("form", { class: "question", novalidate: true, lang: form.language, onsubmit: forward, data: { place } },
      h("div", { class: "progress" }, item && [
        h("span", { "aria-hidden": "true" }, where(place + 1, items.length)),
        h("progress", { value: place + 1, max: items.length, "aria-label": where(place + 1, items.length) })]),
      h("div", { class: "body" }, item ? showItem(item, draft.answers[item.id], (value) => keep(item.id, value), words) : start(), problem),
      h("div", { class: "moves" },
        item && h("button", { type: "button", class: "back", onclick: () => go(place - 1) }, words.back),
        h("button", { type: "submit", class: "primary forward" }, item ? (last ? (isAsked ? words.handIn : words.done) : words.next) : words.begin))));
    root.querySelector(".item-text").focus();
  };
  document.documentElement.lang = form.language;
  show();
}

/** A draft counts as long as the form still has the same questions. */
function usable(draft, form) {
  if (!draft || !Array.isArray(draft.order)) return null;
  const [kept, asked] = [draft.order, form.items.map(({ id }) => id)].map((ids) => [...ids].sort().join("\n"));
  return kept === asked && draft.place < form.items.length ? draft : null;
}
