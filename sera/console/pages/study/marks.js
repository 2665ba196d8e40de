/** Marks with one key each, notes, and the list of what was marked so far. */

import { empty, h, kbd, keyed } from "../lib/dom.js";
import { clock } from "../lib/format.js";

const SHOWN = 100;
const WORTH_SAYING_S = 2;

/** @returns {{setKinds: (kinds: any[]) => void, update: () => void, close: () => void}} */
export function showMarks(root, desk, session, before) {
  const marks = before.slice(-SHOWN);
  const known = new Set(marks.map(({ id }) => id));
  let kinds = [];
  let offs = [];
  let opened_s = 0;
  const forbidden = () => desk.forbidden("SessionMark");
  const buttons = h("div", { class: "row" });
  const note = h("input", { type: "text", maxlength: 1000, autocomplete: "off", placeholder: "What did you notice? Enter saves it" });
  const form = h("form", { class: "row note", onsubmit: (event) => {
    event.preventDefault();
    saveNote();
  } }, h("label", { class: "field" }, h("span", {}, "Note ", kbd("k")), note), h("button", { type: "submit" }, "Save the note"));
  const list = h("ol", { class: "marks", "aria-label": "Marks and deviations" });
  const nothing = empty("Nothing is marked yet. Set a mark with its key, or write a note with k.");
  root.append(buttons, form, nothing, h("div", { class: "scroll marks-scroll", tabindex: "0", role: "group", "aria-label": "Marks so far" }, list));
  form.hidden = Boolean(forbidden());

  const add = (mark) => {
    if (mark.id && known.has(mark.id)) return;
    if (mark.id) known.add(mark.id);
    marks.push(mark);
    if (marks.length > SHOWN) known.delete(marks.shift().id);
    update();
  };
  const set = (label, words = null) => desk.order("SessionMark", { label, session: session(), note: words }, { character: "world" });
  const saveNote = async () => {
    const words = note.value.trim();
    if (!words) return;
    const ago_s = Math.round(desk.now() - opened_s);
    note.value = "";
    note.blur();
    await set("note", ago_s >= WORTH_SAYING_S ? `${words} (noticed ${ago_s} s earlier)` : words);
  };
  const openNote = () => note.focus();
  note.addEventListener("focus", () => { if (!note.value) opened_s = desk.now(); });
  note.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    note.value = "";
    note.blur();
  });

  const update = () => {
    const current = session();
    const shown = marks.filter((mark) => !current || !mark.session || mark.session === current).reverse();
    nothing.hidden = shown.length > 0;
    keyed(list, shown, ({ id, time, label }) => id ?? `${time} ${label}`, (mark) => h("li", { data: { label: mark.label } },
      h("span", { class: "number quietly" }, clock(mark.time)),
      h("span", { class: "chip", data: { kind: kindOf(mark.label) } }, titleOf(kinds, mark.label)),
      h("span", { class: "words" }, mark.note ?? ""),
      mark.by && h("span", { class: "quietly" }, mark.by)));
  };
  const fixed = [
    desk.commands.add({ id: "study.note", title: "Write a note", group: "Study", key: "k", run: openNote, blocked: forbidden }),
    desk.sera.on("SessionMark", (mark, { id, time }) => add({ ...mark, id, time })),
    desk.on("ordered", ({ type, data, id }) => { if (type === "SessionMark") add({ ...data, id, time: desk.now(), by: desk.operator }); }),
  ];
  return {
    setKinds(wanted) {
      kinds = wanted;
      offs.forEach((off) => off());
      offs = kinds.filter(({ key }) => key).map(({ label, title, key }) =>
        desk.commands.add({ id: `study.mark.${label}`, title: `Mark: ${title}`, group: "Study", key, run: () => set(label), blocked: forbidden }));
      const why = forbidden();
      buttons.replaceChildren(...kinds.map(({ label, title, key }) => h("button", {
        type: "button", "aria-disabled": why ? "true" : "false", title: why ?? "",
        onclick: (event) => {
          if (event.detail > 0) event.currentTarget.blur();
          if (!forbidden()) set(label);
        },
      }, title, key && " ", key && kbd(key))));
      list.replaceChildren();
      update();
    },
    update,
    close: () => [...offs, ...fixed].forEach((off) => off()),
  };
}

function titleOf(kinds, label) {
  return kinds.find((kind) => kind.label === label)?.title ?? label.replaceAll("_", " ");
}

function kindOf(label) {
  return { deviation: "warn", aborted: "bad", wizard_error: "bad", note: "accent" }[label] ?? "";
}
