/**
 * The workbook on the page: where it came from, what the server found in it, and what became
 * better since it was dropped the last time.
 */

export const LARGEST_BYTES = 8_000_000;

/** What stays while other pages are open. */
const kept = { source: null, data: null, language: null, change: null };

/**
 * @typedef {{kind: "file", name: string, bytes: ArrayBuffer} | {kind: "sheet", name: string}} Source
 */
export class Workbook {
  /** Counts the checks, so that what is shown can be told from what was. */ version = 0;
  /** Rows of all sheets, in their order. */ rows = [];
  busy = "";
  /** Why there is nothing to show. */ problem = "";
  #desk;
  #listeners = new Set();

  constructor(desk) {
    this.#desk = desk;
    if (kept.data) this.#spread();
  }

  get source() { return kept.source; }
  get data() { return kept.data; }
  get name() { return kept.data?.name ?? kept.source?.name ?? ""; }
  /** `{ before, after, mended, fresh }` findings since the last check of a changed file, or null. */
  get change() { return kept.change; }
  get languages() { return kept.data?.languages ?? []; }
  get language() { return this.languages.includes(kept.language) ? kept.language : this.#ownLanguage(); }
  set language(tag) {
    kept.language = tag;
    this.#tell();
  }

  /** Call a function after every change; returns a function that ends it. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Take a file that somebody dropped or chose. */
  async takeFile(file) {
    if (file.size > LARGEST_BYTES) {
      this.#fail(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB; at most 8 MB are read. Take pictures out of it, or copy the lines alone into a new workbook.`);
      return;
    }
    let bytes;
    try {
      bytes = await file.arrayBuffer();
    } catch {
      this.#fail(`${file.name} could not be read: a folder cannot be dropped, and a file that changed meanwhile must be dropped again.`);
      return;
    }
    await this.#check({ kind: "file", name: file.name, bytes });
  }

  /** Take a sheet of the scenario. */
  async takeSheet(name) {
    await this.#check({ kind: "sheet", name });
  }

  /** Check the same once more, such as for another body. */
  async recheck() {
    if (kept.source && kept.data) await this.#check(kept.source, false);
  }

  /** Put the workbook away. */
  close() {
    Object.assign(kept, { source: null, data: null, change: null });
    this.problem = "";
    this.#spread();
    this.#tell();
  }

  /** The workbook with its findings as comments: a Response. */
  async commented() {
    return this.#desk.ask(`lines/commented?${this.#about(kept.source)}`, { raw: true, method: "POST", body: kept.source.bytes });
  }

  /** The text of a row in the chosen language; null where it has none. */
  textOf(row) {
    if (this.languages.length < 2) return row.texts[0] ?? null;
    return row.texts.find(({ language }) => language === this.language) ?? row.texts.find(({ language }) => language === "") ?? null;
  }

  #ownLanguage() {
    const own = this.#desk.facts.characters[this.#desk.character]?.language?.toLowerCase() ?? "";
    return this.languages.find((tag) => tag === own) ?? this.languages.find((tag) => tag.split("-")[0] === own.split("-")[0]) ?? this.languages[0] ?? null;
  }

  #about(source) {
    const query = new URLSearchParams(source.kind === "sheet" ? { sheet: source.name } : { name: source.name });
    if (this.#desk.character) query.set("character", this.#desk.character);
    return query;
  }

  async #check(source, compare = true) {
    const turn = ++this.version;
    this.busy = `Checking ${source.name} …`;
    this.problem = "";
    this.#tell();
    try {
      const sent = source.kind === "file" ? { method: "POST", body: source.bytes } : {};
      const data = await this.#desk.ask(`lines/check?${this.#about(source)}`, sent);
      if (turn !== this.version) return;
      const comparable = compare && kept.data && kept.source?.name === source.name;
      kept.change = comparable ? difference(kept.data, data) : null;
      Object.assign(kept, { source, data });
      this.busy = "";
      this.#spread();
      this.#tell();
    } catch (error) {
      if (turn === this.version) this.#fail(`${source.name}: ${error.message}`);
    }
  }

  #fail(problem) {
    this.busy = "";
    this.problem = problem;
    this.#tell();
  }

  #spread() {
    this.rows = (kept.data?.sheets ?? []).flatMap((sheet) => sheet.rows.map((row) => Object.assign(row, {
      sheet, key: `${sheet.title}!${row.row}`, worst: worstOf(row.findings),
      searched: `${row.id} ${row.category} ${row.texts.map(({ text }) => text).join(" ")} ${Object.values(row.metadata).join(" ")}`.toLowerCase(),
    })));
  }

  #tell() {
    for (const listener of [...this.#listeners]) listener();
  }
}

function worstOf(findings) {
  if (!findings.length) return "";
  return findings.some(({ severity }) => severity === "error") ? "error" : "warning";
}

/** What two checks have not in common; a line is known by its id, since rows move. */
function difference(before, after) {
  const counted = (data) => {
    const found = new Map();
    const add = (name) => found.set(name, (found.get(name) ?? 0) + 1);
    for (const { code, column, sheet, message } of data.problems) add([code, column, sheet, message].join("\n"));
    for (const sheet of data.sheets) {
      for (const { id, row, id_is_given: given, findings } of sheet.rows) {
        for (const { code, column, text } of findings) add([code, column, text, given ? id : row].join("\n"));
      }
    }
    return found;
  };
  const [old, now] = [counted(before), counted(after)];
  const beyond = (some, others) => [...some].reduce((sum, [name, count]) => sum + Math.max(0, count - (others.get(name) ?? 0)), 0);
  return { before: before.counts.findings, after: after.counts.findings, mended: beyond(old, now), fresh: beyond(now, old) };
}
