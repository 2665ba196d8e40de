/** Beside the table: the body that performs, in 3-D and with its voice, and the workbook in numbers. */

import { empty, h, panel } from "../lib/dom.js";
import { categoriesOf } from "./filters.js";
import { performanceShown } from "./row.js";

const MOST_SEGMENTS = 4;

/**
 * Show the body: whose it is, its voice and its picture.
 *
 * @param {any} desk
 * @param {import("./player.js").Player} player
 */
export function makeBody(desk, player) {
  const names = Object.keys(desk.facts.characters);
  const who = h("div", { class: "row who" });
  const voice = h("span", { class: "push" });
  const view = h("div", { class: "view" });
  const now = h("p", { class: "now", "aria-hidden": "true" });
  const heard = h("p", { class: "unseen", role: "status" });
  const root = panel("Body", { class: "body-panel" }, [who, voice], view, h("div", { class: "inside" }, now, heard));
  let stage = null;
  let isOpen = true;
  let told = "";

  function showWho() {
    if (names.length > MOST_SEGMENTS) {
      const select = h("select", { "aria-label": "Who performs the lines", onchange: () => { desk.character = select.value; } }, names.map((name) => h("option", { value: name }, name)));
      select.value = desk.character;
      who.replaceChildren(select);
    } else {
      who.replaceChildren(h("div", { class: "segments", role: "group", "aria-label": "Who performs the lines" }, names.map((name) => h("button", {
        type: "button", class: "small", "aria-pressed": String(name === desk.character), onclick: () => { desk.character = name; },
      }, name))));
    }
  }

  function show() {
    const performance = player.current;
    const why = player.blocked;
    now.replaceChildren(...(performance ? performanceShown(performance) : [why ?? "Choose a line and press ▶ or the key p."]));
    now.dataset.state = performance?.state ?? "";
    const sentence = performance && { asked: "waits", saying: `says: ${performance.text}`, said: performance.note, not_said: `not said: ${performance.note}` }[performance.state];
    if (sentence && sentence !== told) heard.textContent = told = sentence;
  }

  showWho();
  show();
  const off = desk.on("character", showWho);
  // These parts are large; the lines are there before them.
  import("../parts/voice.js").then(({ voiceToggle }) => { if (isOpen) voice.replaceChildren(voiceToggle(desk)); }, () => {});
  import("../parts/stage3d/stage.js").then(async ({ openStage }) => {
    if (!isOpen) return;
    const opened = await openStage(view, desk, { calm: true });
    if (!isOpen) {
      opened.close();
      return;
    }
    stage = opened;
    // As a listener sees it: from the front, people would stand between.
    if (Object.keys(desk.facts.people ?? {}).length) stage.camera("person");
  }).catch(() => { if (isOpen) view.replaceChildren(empty("The 3-D view is not available here.")); });

  return {
    root, show,
    close() {
      isOpen = false;
      off();
      stage?.close();
    },
  };
}

/**
 * Show the workbook in numbers; a category is chosen by its bar.
 *
 * @param {import("./workbook.js").Workbook} workbook
 * @param {{category: string|null, choose: (name: string) => void}} filters
 */
export function makeNumbers(workbook, filters) {
  const list = h("ul", { class: "bars" });
  const facts = h("dl", { class: "facts" });
  const root = panel("In numbers", { class: "numbers-panel" }, [], h("div", { class: "inside stack" }, facts, list));

  function show() {
    const { data, rows } = workbook;
    root.hidden = !data;
    if (!data) return;
    const { counts } = data;
    const words = Object.entries(counts.words_by_language).map(([tag, count]) => (tag ? `${tag} ${count}` : String(count))).join(", ");
    const shown = { Lines: counts.lines, "Dialogue rows": counts.dialogue_rows, Questions: counts.questions, Words: words, "Without words": counts.non_verbal, Findings: counts.findings };
    facts.replaceChildren(...Object.entries(shown).filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value))));
    const found = categoriesOf(rows);
    const faults = Map.groupBy(rows.filter(({ worst }) => worst), ({ category }) => category);
    const most = Math.max(1, ...found.values());
    list.replaceChildren(...[...found].sort(([, one], [, other]) => other - one).slice(0, 200).map(([name, count]) => {
      const faulty = faults.get(name)?.length ?? 0;
      const bar = h("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${(100 * count) / most}%`;
      return h("li", {}, h("button", { type: "button", class: "bar-button", "aria-pressed": String(filters.category === name), onclick: () => filters.choose(name) },
        bar, h("span", { class: "bar-name" }, name || "without category"),
        faulty > 0 && h("span", { class: "bar-faulty" }, `${faulty} with findings`), h("span", { class: "number" }, count)));
    }));
  }
  return { root, show };
}
