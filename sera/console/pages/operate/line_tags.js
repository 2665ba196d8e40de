/**
 * The values for the tags of a line: fields that remember what was given last, with the people who
 * are there as suggestions.
 *
 * A value that names somebody travels as personal (`tags`), so that recordings keep a pseudonym;
 * one that names nobody, such as a place or the id of a tracker, travels as plain `words`. What
 * the robot itself knows as a target names nobody; of everything else the wizard decides, and
 * until then it counts as somebody's name.
 */

import { h } from "../lib/dom.js";

const LONGEST_SUGGESTIONS = 4;
let forms = 0;

/** What was given for each tag of a character's lines, kept while the browser's tab is open. */
class Remembered {
  #key;
  #values;

  constructor(character) {
    this.#key = `sera.console.tags.${character}`;
    try {
      this.#values = JSON.parse(sessionStorage.getItem(this.#key)) ?? {};
    } catch {
      this.#values = {};
    }
  }

  get(tag) { return Object.hasOwn(this.#values, tag) ? this.#values[tag] : { value: "", person: null }; }

  set(tag, given) {
    Object.defineProperty(this.#values, tag, { value: given, enumerable: true, writable: true, configurable: true });
    sessionStorage.setItem(this.#key, JSON.stringify(this.#values));
  }
}

/**
 * @param {object} desk
 * @param {object} on
 * @param {() => void} on.change - a value changed
 * @param {() => void} on.say - Enter was pressed in a field
 */
export function makeTagForm(desk, { change, say }) {
  const prefix = `tag-${++forms}`;
  const root = h("div", { class: "line-tags" });
  let people = [];
  let targets = new Set();
  let tags = [];
  let fields = [];
  let remembered = new Remembered(desk.character);

  const namesSomebody = (tag, value) => remembered.get(tag).person ?? !(targets.has(value) || people.includes(value));

  function makeField(tag, place) {
    const input = h("input", {
      type: "text", id: `${prefix}-${place}`, value: remembered.get(tag).value, autocomplete: "off", spellcheck: "false", dir: "auto", maxlength: "500",
      oninput: () => given(tag, input.value.trim()),
      onkeydown: (event) => {
        const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (steps && people.length) {
          // With nobody chosen yet the first one comes, or the last.
          const place = people.indexOf(input.value.trim());
          input.value = people.at((place < 0 ? (steps > 0 ? 0 : -1) : place + steps) % people.length);
          given(tag, input.value);
        } else if (event.key === "Escape") input.blur();
        else if (event.key === "Enter" && !event.isComposing && !event.repeat) say();
        else return;
        event.preventDefault();
      },
    });
    const person = h("input", {
      type: "checkbox",
      onchange: () => {
        remembered.set(tag, { value: input.value.trim(), person: person.checked });
        change();
      },
    });
    const suggestions = h("span", { class: "row suggestions" });
    const element = h("div", { class: "line-tag" },
      h("label", { for: input.id }, tag), input,
      h("label", { class: "row quietly", title: "Names of people are replaced by pseudonyms in recordings" }, person, "somebody's name"),
      suggestions);
    const show = () => {
      person.checked = namesSomebody(tag, input.value.trim());
      suggestions.replaceChildren(...people.filter((one) => one !== input.value.trim()).slice(0, LONGEST_SUGGESTIONS).map((one) =>
        h("button", {
          type: "button", class: "small", "aria-label": `${one} for ${tag}`,
          onclick: () => {
            input.value = one;
            given(tag, one);
            input.focus();
          },
        }, one)));
    };
    return { tag, input, element, show };
  }

  function given(tag, value) {
    remembered.set(tag, { value, person: value ? remembered.get(tag).person : null });
    for (const field of fields) field.show();
    change();
  }

  const ends = [
    desk.sera.on("PeopleState", (state) => {
      const now = state.people.map(({ person }) => person);
      if (now.join("\n") === people.join("\n")) return;
      people = now;
      for (const field of fields) field.show();
    }),
    desk.on("character", (character) => { remembered = new Remembered(character); }),
  ];

  return {
    element: root,
    /** Names that the robot knows as targets: they name nobody. */
    know(names) {
      targets = new Set(names);
      for (const field of fields) field.show();
    },
    /** Show the fields of a line. */
    show(wanted) {
      if (wanted.join("\n") !== tags.join("\n")) {
        tags = [...wanted];
        fields = tags.map(makeField);
        root.replaceChildren(...fields.map(({ element }) => element));
      }
      for (const field of fields) {
        if (document.activeElement !== field.input) field.input.value = remembered.get(field.tag).value;
        field.show();
      }
      root.hidden = !tags.length;
    },
    /** What a line with these tags is ordered with: `{ tags, words }`, and which tags have no value yet. */
    given(wanted) {
      const given = { tags: {}, words: {} };
      const missing = [];
      for (const tag of wanted) {
        const { value } = remembered.get(tag);
        if (value) given[namesSomebody(tag, value) ? "tags" : "words"][tag] = value;
        else missing.push(tag);
      }
      return { given, missing };
    },
    /** Put the cursor into the field of a tag. */
    focus(tag) {
      fields.find((field) => field.tag === tag)?.input.focus();
    },
    close() {
      for (const end of ends) end();
    },
  };
}
