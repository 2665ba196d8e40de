/**
 * Finding lines: free words over everything that stands in a row, a category, and the filters.
 *
 * Case and accents do not matter, so that `ola` finds `Olá`. Rows are made ready once; 5,000 of
 * them are searched in a few milliseconds.
 */

/** Text as it is compared. */
export function fold(text) {
  return String(text ?? "").normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether a subcategory is the wanted one or below it. */
function within(own, wanted) {
  return own === wanted || own.startsWith(`${wanted}:`);
}

export class LineSearch {
  #rows = [];

  /** @param {import("./library.js").Line[]} lines */
  constructor(lines) {
    this.#rows = lines.map((line) => ({
      line,
      category: fold(line.category),
      subcategory: fold(line.subcategory),
      words: fold([
        line.id, line.shown, line.text, line.category, line.subcategory, ...(line.tags ?? []),
        ...Object.entries(line.metadata ?? {}).map(([key, value]) => `${key}:${value}`), line.place,
      ].join("\n")),
    }));
  }

  /**
   * Lines that fit, in the order of the sheet.
   *
   * @param {{words?: string, category?: string|null, subcategory?: string|null, questions?: boolean, unused?: boolean}} wish
   * @param {Map<string, number>} uses
   */
  find({ words = "", category = null, subcategory = null, questions = false, unused = false }, uses) {
    const wanted = fold(words).split(/\s+/).filter(Boolean);
    const [inCategory, inSubcategory] = [category === null ? null : fold(category), subcategory === null ? null : fold(subcategory)];
    return this.#rows.filter((row) => (inCategory === null || row.category === inCategory)
      && (inSubcategory === null || within(row.subcategory, inSubcategory))
      && (!questions || row.line.question)
      && (!unused || !uses.get(row.line.id))
      && wanted.every((word) => row.words.includes(word))).map(({ line }) => line);
  }

  /** How many of these lines each category holds: `count("greeting")`, `count("greeting", "first")`. */
  static counter(lines) {
    const counts = new Map();
    const add = (key) => counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const line of lines) {
      const category = fold(line.category);
      add(category);
      const parts = fold(line.subcategory).split(":").filter(Boolean);
      for (let end = 1; end <= parts.length; end++) add(`${category}\n${parts.slice(0, end).join(":")}`);
    }
    return (category, subcategory) => counts.get(subcategory ? `${fold(category)}\n${fold(subcategory)}` : fold(category)) ?? 0;
  }
}
