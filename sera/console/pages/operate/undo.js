/**
 * Three keys that save a session: *repeat* says the last line again, *hold on* says a filler while
 * the wizard thinks, *oops* takes the last order back as far as that is possible and marks the
 * moment as a wizard's error. Each says in a notice what it did.
 */

import { chooseFiller, fillerOf } from "./filler.js";
import { openLibrary } from "./library.js";
import { inShort, PERFORM, whyNotSaid } from "./speaking.js";
import { takeBack } from "./take_back.js";

const MOST_REMEMBERED = 50;
const MOST_REPEATABLE = 10;

/**
 * Add the keys `r`, `h` and `o`.
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} takes them away
 */
export function addSpeechKeys(desk) {
  const { library, close: closeLibrary } = openLibrary(desk);
  const orders = new Map(); // PerformUtterance of others, by id
  const said = new Map(); // character → what was said or ordered, the newest last: [{ id, data, text }]
  const taking = takeBack(desk);

  function remember(id, data) {
    orders.set(id, data);
    if (orders.size > MOST_REMEMBERED) orders.delete(orders.keys().next().value);
  }

  function push(character, entry) {
    said.set(character, [...(said.get(character) ?? []).filter(({ id }) => id !== entry.id), entry].slice(-MOST_REPEATABLE));
  }

  const isFiller = ({ category }, character) => Boolean(category) && category === fillerOf(desk, character);

  async function repeat() {
    const known = said.get(desk.character)?.at(-1);
    const why = whyNotSaid(desk) ?? (known ? null : `${desk.character} has said nothing yet that could be repeated.`);
    if (why) {
      desk.toast(why, "warn");
      return;
    }
    const held = !desk.connected;
    if (await desk.order(PERFORM, known.data)) desk.toast(`Repeats: ${inShort(known.text || known.data.line || known.data.text || `a line of ${known.data.category}`)}`);
    else if (held) desk.toast("The repetition is held back until the connection is there again.", "warn");
  }

  async function holdOn() {
    const why = whyNotSaid(desk);
    if (why) {
      desk.toast(why, "warn");
      return;
    }
    let category = fillerOf(desk);
    if (category && library.status === "ready" && !library.categories.some(({ name }) => name.toLowerCase() === category.split(":")[0].toLowerCase())) {
      desk.toast(`There is no category ${category} in these lines any more.`, "warn");
      category = null;
    }
    category ??= await chooseFiller(desk, library, { sayNow: true });
    if (!category) return;
    const [name, ...sub] = category.split(":");
    const held = !desk.connected;
    if (await desk.order(PERFORM, { category: name, ...(sub.length ? { subcategory: sub.join(":") } : {}) })) desk.toast(`Hold on: a line of ${category}`);
    else if (held) desk.toast("The filler is held back until the connection is there again.", "warn");
  }

  const ends = [
    desk.on("ordered", ({ type, id, data, character }) => {
      if (type !== PERFORM) return;
      remember(id, data);
      if (!isFiller(data, character)) push(character, { id, data, text: data.text ?? "" });
    }),
    desk.sera.on(PERFORM, (data, { id }) => remember(id, data)),
    desk.sera.on("UtteranceStarted", (started, { character }) => {
      const order = orders.get(started.utterance);
      if (order && isFiller(order, character)) return;
      const { tags = {}, words = {}, text, language, library: from } = order ?? {};
      const more = Object.fromEntries(Object.entries({ tags, words, language, library: from }).filter(([, value]) => value && (typeof value !== "object" || Object.keys(value).length)));
      // Of a category the line that was really said is repeated, not another one.
      if (started.line) push(character, { id: started.utterance, data: { line: started.line, ...more }, text: started.text });
      else if (text ?? started.text) push(character, { id: started.utterance, data: { text: text ?? started.text, ...more }, text: started.text });
    }),
    desk.sera.on("UtteranceCancelled", ({ utterance, words_said: heard }, { character }) => {
      // What nobody heard cannot be repeated.
      if (!heard) said.set(character, (said.get(character) ?? []).filter(({ id }) => id !== utterance));
    }),
    ...[
      { id: "speech.repeat", title: "Repeat the last line", key: "r", run: repeat },
      { id: "speech.hold_on", title: "Hold on: say a filler", key: "h", run: holdOn },
      { id: "speech.filler", title: "Choose the category of fillers", run: () => chooseFiller(desk, library), blocked: () => (desk.facts.layout?.filler_category ? "the layout of this scenario says it" : null) },
      { id: "speech.oops", title: "Oops: take the last order back and mark an error", key: "o", run: taking.oops },
    ].map((command) => desk.commands.add({ group: "Speech", ...command })),
    taking.close, closeLibrary,
  ];
  return () => {
    for (const end of ends) end();
  };
}
