/** How workbooks come to the page and leave it: dropped, chosen, the scenario's, the template, the copy. */

import { empty, h, kbd } from "../lib/dom.js";

const ENDINGS = ".xlsx,.xlsm,.ods,.csv,.tsv,.txt";

/**
 * The strip above the table, and what stands in its place while nothing is open.
 *
 * @param {any} desk
 * @param {HTMLElement} page - workbooks may be dropped anywhere on it
 * @param {import("./workbook.js").Workbook} workbook
 */
export function makeIntake(desk, page, workbook) {
  const offs = [];
  const input = h("input", { type: "file", accept: ENDINGS, class: "unseen", tabindex: "-1", "aria-hidden": "true", onchange: () => {
    take(input.files);
    input.value = ""; // the same file can be chosen again
  } });
  const choose = () => input.click();
  const drop = h("button", { type: "button", class: "drop-zone", onclick: choose },
    h("strong", {}, "Drop a workbook here"), h("span", {}, "or choose a file ", kbd("u")));
  const template = h("button", { type: "button", onclick: () => download("lines/template", "lines.xlsx") }, "Template ", kbd("n"));
  const copy = h("button", { type: "button", onclick: takeCopy, title: "The workbook with every finding as a comment on its cell" }, "Commented copy ", kbd("c"));
  const sheets = h("div", { class: "row sheets", role: "group", "aria-label": "Sheets of the scenario" });
  const says = h("div", { class: "row says", role: "status" });
  const strip = h("div", { class: "panel intake" }, h("div", { class: "inside row" }, drop, sheets, h("span", { class: "row push" }, template, copy)), says, input);
  const begin = h("section", { class: "panel begin", "aria-label": "How to begin" });
  let known = [];

  async function take(files) {
    if (!files?.length) {
      desk.toast("what was dropped is no file: save the sheet first, then drop the file", "warn");
      return;
    }
    if (files.length > 1) desk.toast(`one workbook at a time: ${files[0].name} is taken`, "warn");
    await workbook.takeFile(files[0]);
  }

  async function download(path, name, ask = () => desk.ask(`${path}?${new URLSearchParams(desk.character ? { character: desk.character } : {})}`, { raw: true })) {
    try {
      const answer = await ask();
      const address = URL.createObjectURL(await answer.blob());
      h("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (error) {
      desk.toast(error.message, "bad");
    }
  }
  function takeCopy() {
    if (!workbook.data) return;
    download("", `${workbook.name.replace(/\.\w{1,8}$/, "")}-findings.xlsx`, () => workbook.commented());
  }

  // A file that misses the zone would otherwise replace the console in the browser.
  let inside = 0;
  const listen = (name, act) => {
    addEventListener(name, act);
    offs.push(() => removeEventListener(name, act));
  };
  const carriesFile = (event) => event.dataTransfer?.types.includes("Files");
  const light = (by) => {
    inside = Math.max(0, by === 0 ? 0 : inside + by);
    page.classList.toggle("dropping", inside > 0);
  };
  listen("dragenter", (event) => { if (carriesFile(event)) light(1); });
  listen("dragleave", (event) => { if (carriesFile(event)) light(-1); });
  listen("dragover", (event) => { if (carriesFile(event)) event.preventDefault(); });
  listen("drop", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    light(0);
    take(event.dataTransfer.files);
  });

  const group = "Lines";
  offs.push(desk.commands.add({ id: "lines.choose", title: "Open a workbook", group, key: "u", run: choose }));
  offs.push(desk.commands.add({ id: "lines.template", title: "Download the template", group, key: "n", run: () => template.click() }));
  offs.push(desk.commands.add({ id: "lines.copy", title: "Download the copy with comments", group, key: "c", run: takeCopy, blocked: () => (workbook.data?.sheets.length ? null : "no workbook is open") }));
  offs.push(desk.commands.provide(() => known.filter(({ exists }) => exists).map(({ name, character }) => (
    { title: `Open the sheet ${name} of ${character}`, group, run: () => workbook.takeSheet(name) }))));

  function sheetButton({ name, character, exists }) {
    const isOpen = workbook.source?.kind === "sheet" && workbook.name === name;
    return h("button", { type: "button", class: "small", disabled: !exists, title: exists ? `Sheet of ${character}` : "there is no such file beside the scenario", "aria-pressed": String(isOpen), onclick: () => {
      if (character in desk.facts.characters) desk.character = character;
      workbook.takeSheet(name);
    } }, name, h("span", { class: "quietly" }, ` ${character}`));
  }

  function show() {
    const { data, busy, problem, change } = workbook;
    sheets.replaceChildren(...(known.length ? [h("span", { class: "quietly" }, "Of the scenario:"), ...known.map(sheetButton)] : []));
    copy.disabled = !data?.sheets.length;
    strip.hidden = !data && !busy;
    begin.hidden = Boolean(data) || Boolean(busy);
    const parts = [];
    if (busy) parts.push(h("span", {}, busy));
    else if (problem) parts.push(h("span", { class: "chip", data: { kind: "bad" } }, "✕ not opened"), h("span", {}, problem));
    else if (data) parts.push(...summary(data), change && comparison(change));
    says.replaceChildren(...parts.filter(Boolean));
    says.hidden = !parts.length;
    if (!begin.hidden) showBeginning(problem);
  }

  function summary(data) {
    const { lines, dialogue_rows: rows, errors, warnings } = data.counts;
    const counted = [lines && `${lines} line${lines === 1 ? "" : "s"}`, rows && `${rows} dialogue row${rows === 1 ? "" : "s"}`].filter(Boolean).join(", ");
    return [h("strong", { class: "name" }, data.name), h("span", { class: "quietly" }, counted || "nothing to say in it"),
      errors > 0 && h("span", { class: "chip", data: { kind: "bad" } }, `✕ ${errors} error${errors === 1 ? "" : "s"}`),
      warnings > 0 && h("span", { class: "chip", data: { kind: "warn" } }, `! ${warnings} warning${warnings === 1 ? "" : "s"}`),
      !errors && !warnings && h("span", { class: "chip", data: { kind: "good" } }, "✓ nothing was found")];
  }

  function comparison({ before, after, mended, fresh }) {
    const by = before - after;
    const words = by > 0 ? `${by} finding${by === 1 ? "" : "s"} fewer than before` : by < 0 ? `${-by} finding${by === -1 ? "" : "s"} more than before` : "as many findings as before";
    const detail = mended || fresh ? ` (${mended} mended, ${fresh} new)` : "";
    return h("span", { class: "chip", data: { kind: by > 0 ? "good" : by < 0 ? "warn" : "" } }, words + detail);
  }

  function showBeginning(problem) {
    const step = (title, ...words) => h("li", {}, h("h2", {}, title), h("p", {}, ...words));
    begin.replaceChildren(h("div", { class: "inside stack" },
      problem && h("p", { class: "refused", role: "alert" }, h("strong", {}, "✕ Not opened. "), problem),
      h("button", { type: "button", class: "drop-zone large", onclick: choose },
        h("strong", {}, "Drop a workbook of lines here"), h("span", {}, "or choose a file: .xlsx, .ods or .csv ", kbd("u"))),
      known.length ? h("div", { class: "row" }, h("span", {}, "Or open one of the scenario's:"), known.map(sheetButton)) : empty("No character of this scenario has a sheet yet."),
      h("ol", { class: "steps" },
        step("1. Begin with the template", "It knows this scenario's targets and animations. ", h("button", { type: "button", class: "primary", onclick: () => template.click() }, "Download the template")),
        step("2. Write lines", "In any spreadsheet program: one row is one line. Save it."),
        step("3. Drop it here", "What is wrong appears beside its cell, with what to do about it."),
        step("4. Hear it", "▶ performs a line on the robot, with sound and the 3-D view."))));
  }

  desk.ask("lines/sheets").then(({ sheets: found }) => {
    known = found;
    show();
  }, (error) => desk.toast(error.message, "bad"));

  return { strip, begin, show, close() { for (const off of offs) off(); } };
}
