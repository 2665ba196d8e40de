/** Send any message that this role may send, by a form made from its schema. */

import { empty, field, h, kbd, panel } from "../lib/dom.js";
import { makeForm } from "../parts/schema_form.js";

const FAMILIES = { behaviour: "Behaviour", speech: "Speech", motion: "Motion", decision: "Decision", activity: "Activity", study: "Study", perception: "Perception", own: "Own messages" };

/** @returns {{element: Element, close: () => void}} */
export function showSend(desk) {
  const inside = h("div", { class: "inside stack" }, empty("The vocabulary is being read …"));
  const element = panel("Send a message", { class: "send" }, [], inside);
  const offs = [];
  let closed = false;
  desk.ask("messages").then((vocabulary) => {
    if (!closed) fill(vocabulary);
  }, (error) => {
    if (!closed) inside.replaceChildren(h("p", { class: "empty", role: "alert" }, `The vocabulary cannot be read: ${error.message}`));
  });

  function fill({ messages, definitions }) {
    const known = new Map(messages.map((message) => [message.type, message]));
    const groups = Map.groupBy(messages, ({ family }) => family);
    const order = [...Object.keys(FAMILIES).filter((family) => groups.has(family)), ...[...groups.keys()].filter((family) => !FAMILIES[family])];
    const types = h("select", { onchange: () => choose(types.value) }, order.map((family) =>
      h("optgroup", { label: FAMILIES[family] ?? family }, groups.get(family).map(({ type }) => h("option", { value: type }, type)))));
    const characters = h("select", {}, [...Object.keys(desk.facts.characters), "world"].map((name) => h("option", { value: name }, name)));
    const about = h("p", { class: "quietly" });
    const place = h("div");
    const answer = h("p", { class: "answer", role: "status" });
    const form = h("form", { class: "stack", onsubmit: (event) => {
      event.preventDefault();
      send();
    } }, h("div", { class: "row" }, field("Message", types), field("To", characters)), about, place,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Send ", kbd("Ctrl+Enter")), answer));
    form.noValidate = true;
    let made = null;

    function choose(type) {
      const message = known.get(type);
      if (!message) return;
      types.value = type;
      characters.value = message.world ? "world" : desk.character ?? "world";
      const unheard = message.kind === "action" && !message.world ? desk.unhandled(type, characters.value) : null;
      about.textContent = [message.about.split("\n\n")[0], message.kind, message.channel && `channel ${message.channel}`, unheard && `Note: ${unheard}.`].filter(Boolean).join(" · ");
      made = makeForm(message.schema, definitions);
      place.replaceChildren(made.element);
      say("", "");
    }

    function say(words, kind) {
      answer.textContent = words;
      answer.dataset.kind = kind;
    }

    async function send() {
      const problems = made.problems();
      if (problems.length) {
        say(`Not sent: ${problems.slice(0, 4).join("; ")}.`, "bad");
        place.querySelector("[aria-invalid=true]")?.focus();
        return;
      }
      const type = types.value;
      say("Sending …", "");
      const waiting = desk.held.length;
      let refusal = desk.forbidden(type) ?? "";
      const off = desk.on("refused", ({ type: refused, why }) => { if (refused === type) refusal = why; });
      const id = await desk.order(type, made.value(), { character: characters.value, quiet: true });
      off();
      if (id) say(`${type} was sent as ${id}.`, "good");
      else if (desk.held.length > waiting) say(`${type} is held back until the connection is there again.`, "warn");
      else say(refusal || `${type} was refused.`, "bad");
    }

    offs.push(
      desk.commands.add({ id: "bus.send", title: "Send the message in the form", group: "Bus", key: "Ctrl+Enter", run: () => form.requestSubmit() }),
      desk.commands.add({ id: "bus.form", title: "Choose a message to send", group: "Bus", key: "m", run: () => types.focus() }),
      desk.commands.provide(() => messages.map(({ type }) => ({ title: `Send ${type} …`, group: "Bus", run: () => {
        choose(type);
        (place.querySelector("input, select, textarea") ?? types).focus();
      } }))));
    inside.replaceChildren(form);
    choose(known.has("PerformUtterance") ? "PerformUtterance" : messages[0]?.type);
  }

  return {
    element,
    close: () => {
      closed = true;
      offs.forEach((off) => off());
    },
  };
}
