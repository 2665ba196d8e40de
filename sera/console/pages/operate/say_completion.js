/**
 * What could stand at the cursor of a text with markup: verbs after `<`, what a verb is about after
 * its bracket, controls of the voice after `\`.
 *
 * What kind of name a verb takes is read off its example, so that verbs which a laboratory added
 * in `verbs.toml` are completed too.
 */

const MOST = 40;

/**
 * @typedef {object} Option
 * @property {string} insert - what replaces the text between `from` and the cursor
 * @property {string} label
 * @property {string} about
 */

/**
 * @param {string} text
 * @param {number} cursor - characters before the cursor
 * @param {object} repertoire - as `GET repertoire` answers it
 * @param {string[]} [people] - who is there
 * @returns {{from: number, options: Option[]}|null} null where nothing can be completed
 */
export function completionsAt(text, cursor, repertoire, people = []) {
  const before = text.slice(0, cursor);
  const control = /(?<!\\)\\([a-z]*)$/i.exec(before);
  if (control) return offer(control.index, controls(repertoire, control[1]));
  const opened = before.lastIndexOf("<");
  if (opened < 0 || before[opened - 1] === "\\" || before.indexOf(">", opened) >= 0) return null;
  const inside = before.slice(opened + 1);
  const bracket = inside.indexOf("(");
  if (bracket < 0) return verbsAt(inside, opened + 1, repertoire.verbs ?? []);
  const verb = verbOf(inside.slice(0, bracket), repertoire.verbs ?? []);
  if (!verb) return null;
  const given = inside.slice(bracket + 1).split(",");
  const last = given.at(-1);
  const typed = last.trimStart();
  const closing = text.slice(cursor).startsWith(")") ? "" : ")>";
  const options = valuesOf(verb, given.length - 1, repertoire, people)
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
    .sort((one, other) => startsWith(other.name, typed) - startsWith(one.name, typed))
    .map(({ name, about }) => ({ insert: `${name}${closing}`, label: name, about }));
  return offer(cursor - typed.length, options);
}

function offer(from, options) {
  return options.length ? { from, options: options.slice(0, MOST) } : null;
}

function startsWith(name, typed) {
  return Number(name.toLowerCase().startsWith(typed.toLowerCase()));
}

function controls({ controls: known = [] }, typed) {
  return known.filter(({ name }) => startsWith(name, typed)).map(({ form, example, about }) => ({ insert: example, label: form, about }));
}

/** Verbs that begin like this; behind `GAZEAND` those that may be joined. */
function verbsAt(typed, from, verbs) {
  if (/[^\p{L}\p{N}_]/u.test(typed)) return null;
  const joining = [...verbs].sort((one, other) => other.name.length - one.name.length)
    .find(({ name }) => startsWith(typed, `${name}AND`) && !verbs.some((verb) => startsWith(verb.name, typed)));
  if (joining) {
    const length = joining.name.length + 3;
    return verbsAt(typed.slice(length), from + length, verbs.filter((verb) => parametersOf(verb)[0] === parametersOf(joining)[0]));
  }
  return offer(from, verbs.filter(({ name }) => startsWith(name, typed)).map((verb) => ({
    insert: parametersOf(verb).length ? `${verb.name}(` : `${verb.name}()>`, label: verb.form, about: verb.about,
  })));
}

function verbOf(written, verbs) {
  const wanted = written.trim().toUpperCase();
  return verbs.find(({ name }) => name.toUpperCase() === wanted)
    ?? verbs.find(({ name }) => wanted.startsWith(`${name.toUpperCase()}AND`));
}

/** The names of a verb's parameters, as its form has them. */
function parametersOf({ form }) {
  return (/\(([^)]*)\)/.exec(form ?? "")?.[1] ?? "").split(",").map((part) => part.replace(/[[\]…]/g, "").trim()).filter(Boolean);
}

/** What may stand at the place of a parameter. */
function valuesOf(verb, place, repertoire, people) {
  const parameter = parametersOf(verb)[place] ?? "";
  const examples = (/\(([^)]*)\)/.exec(verb.example ?? "")?.[1] ?? "").split(",").map((part) => part.trim());
  const example = examples[place] ?? "";
  const targets = [
    ...people.map((name) => ({ name, about: "is there now" })),
    ...(repertoire.targets ?? []).filter(({ name }) => !people.includes(name)).map(({ name, kind }) => ({ name, about: kind })),
  ];
  const animations = (repertoire.animations ?? []).map(({ name, duration_s }) => ({ name, about: duration_s === null || duration_s === undefined ? "goes on" : `${duration_s} s` }));
  const faces = (repertoire.faces ?? []).map((name) => ({ name, about: "face" }));
  if (parameter === "target") return targets;
  if (/^(n|count|seconds)$/.test(parameter) || /^\d+(\.\d+)?$/.test(example)) {
    return ["1", "2", "3"].map((name) => ({ name, about: parameter === "n" ? "times" : parameter }));
  }
  const holds = [animations, faces, targets].find((names) => names.some(({ name }) => name === example));
  return holds ?? (example ? [{ name: example, about: parameter }] : []);
}
