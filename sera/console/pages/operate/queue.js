/**
 * What is being said, word by word, and what waits for its turn. Each line that waits can be
 * removed, moved up and held back; the keys work on the marked one, and `q` goes through them.
 */

import { eachFrame, h, kbd, keyed, panel } from "../lib/dom.js";
import { inShort } from "./speaking.js";
import { SpeechProgress } from "./speech_progress.js";

const DOING = {
  performing: "speaking", question_waiting: "waits for an answer", non_verbal_waiting: "moves without words",
  cancelled: "breaking off", stand_by: "silent",
};
const WHY_NOT = {
  pre_empted: "something more urgent was said", superseded: "the same was ordered again", timed_out: "it waited too long",
  queue_full: "too many lines wait", no_line: "there is no line to choose", stopped: "the robot was stopped", failed: "it failed",
};
const HISTORY_S = 120;

/**
 * Show the queue of the desk's character.
 * @param {Element} root
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} closes it
 */
export function showQueue(root, desk) {
  desk.style("operate_middle");
  const states = new Map();
  const sources = new Map(); // utterance → module that ordered it
  const operators = new Map(); // utterance → operator who ordered it
  const progress = new SpeechProgress();
  let marked = null; // utterance that the keys work on
  let asked = null;

  const doing = h("span", { class: "chip" });
  const [said, word, rest] = [h("span", { class: "past" }), h("mark", {}), h("span", {})];
  const nowText = h("p", { class: "now-text", dir: "auto" }, said, word, rest);
  const nowFrom = h("span", { class: "quietly" });
  const cut = h("button", { type: "button", class: "small", "aria-keyshortcuts": ".", onclick: cutShort, title: "Ends at the next word" }, "Cut short ", kbd("."));
  const now = h("div", { class: "queue-now" }, nowText);
  const spoken = h("p", { class: "unseen", role: "status" });
  const list = h("ol", { class: "queue-list", "aria-label": "Waiting" });
  const hint = h("span", { class: "quietly" }, "Nothing is said and nothing waits. Choose a line and press Enter.");
  root.replaceChildren(panel("Now and next", { class: "queue" }, [doing, nowFrom, hint, cut], now, list, spoken));

  const stateNow = () => states.get(desk.character) ?? null;
  const waiting = () => stateNow()?.waiting ?? [];
  // All operators speak through one gateway: who it was comes from what this desk ordered, and from OperatorDecided.
  const whoIs = (utterance, source = sources.get(utterance)) => operators.get(utterance)
    ?? (!source ? "" : source === desk.sera.hello.source ? "an operator" : source.replace(`${desk.character}.`, ""));

  function show() {
    const state = stateNow();
    doing.textContent = state ? DOING[state.doing] ?? state.doing : "nobody says lines";
    doing.dataset.kind = state?.doing === "performing" ? "accent" : state?.doing === "question_waiting" ? "warn" : "";
    const utterance = state?.utterance ?? null;
    for (const part of [now, nowFrom, cut]) part.hidden = !utterance;
    if (utterance) {
      const text = progress.textOf(utterance);
      if (text === null) lookBack(utterance);
      const [before, current, after] = text === null ? ["", "", "…"] : text ? progress.parts(utterance) : ["", "", "(no words)"];
      said.textContent = before;
      word.textContent = current;
      rest.textContent = after;
      if (nowText.scrollHeight > nowText.clientHeight) nowText.scrollTop = word.offsetTop - nowText.offsetTop - word.offsetHeight;
      const who = whoIs(utterance);
      nowFrom.textContent = who && `by ${who}`;
    }
    const entries = waiting();
    // A page that comes late finds lines in the queue and does not know who ordered them.
    const unknown = entries.find((entry) => entry.source === desk.sera.hello.source && !operators.has(entry.utterance));
    if (unknown && asked === null) lookBack(unknown.utterance);
    if (!entries.some((entry) => entry.utterance === marked)) marked = entries[0]?.utterance ?? null;
    keyed(list, entries, (entry) => entry.utterance, makeEntry, updateEntry);
    hint.hidden = Boolean(utterance) || entries.length > 0;
  }
  const showSoon = eachFrame(show);

  function makeEntry({ utterance }) {
    const button = (title, label, deed) => h("button", { type: "button", class: "small", "aria-label": title, onclick: () => { marked = utterance; deed(utterance); } }, h("span", { "aria-hidden": "true" }, label), h("kbd", { "aria-hidden": "true" }));
    const entry = h("li", { class: "queue-entry", onfocusin: () => mark(utterance), onclick: () => mark(utterance) });
    const parts = {
      text: h("span", { class: "text", dir: "auto" }), from: h("span", { class: "quietly" }),
      held: h("span", { class: "chip", data: { kind: "warn" } }, "held"),
      up: button("Move up", "↑", (one) => arrange(one, "earlier")), hold: button("Hold", "hold", toggleHold), remove: button("Remove", "×", remove),
    };
    entry.append(parts.text, parts.held, parts.from, h("div", { class: "row tools" }, parts.up, parts.hold, parts.remove));
    return Object.assign(entry, { parts });
  }

  function updateEntry(entry, { utterance, source, text, category, held, priority }) {
    const { parts } = entry;
    const isMarked = utterance === marked;
    const what = text || category || "(no words)";
    parts.text.textContent = inShort(what, 200);
    parts.text.title = what;
    parts.from.textContent = [`by ${whoIs(utterance, source)}`, category, priority ? `priority ${priority}` : ""].filter(Boolean).join(" · ");
    parts.held.hidden = !held;
    parts.hold.firstChild.textContent = held ? "release" : "hold";
    const short = inShort(what, 40);
    parts.hold.setAttribute("aria-label", `${held ? "Release" : "Hold"}: ${short}`);
    parts.up.setAttribute("aria-label", `Move up: ${short}`);
    parts.remove.setAttribute("aria-label", `Remove: ${short}`);
    entry.classList.toggle("marked", isMarked);
    if (isMarked) entry.setAttribute("aria-current", "true");
    else entry.removeAttribute("aria-current");
    const first = waiting()[0]?.utterance === utterance;
    for (const [button, key, type] of [[parts.up, "u", "ArrangeUtterance"], [parts.hold, "p", "ArrangeUtterance"], [parts.remove, "x", "CancelUtterance"]]) {
      const why = desk.forbidden(type) ?? desk.unhandled(type) ?? (button === parts.up && first ? "it is the next already" : null);
      button.setAttribute("aria-disabled", String(Boolean(why)));
      button.title = why ?? "";
      button.lastChild.textContent = isMarked ? key : "";
      button.lastChild.hidden = !isMarked;
    }
  }

  function mark(utterance) {
    if (utterance === marked) return;
    marked = utterance;
    showSoon();
  }

  function nextMark() {
    const entries = waiting();
    if (!entries.length) {
      desk.toast("Nothing waits.");
      return;
    }
    const inside = list.contains(document.activeElement);
    const place = entries.findIndex(({ utterance }) => utterance === marked);
    marked = entries[inside ? (place + 1) % entries.length : Math.max(0, place)].utterance;
    show();
    list.querySelector(".marked .tools button:last-child")?.focus();
  }

  /** Do something with a waiting line, unless nobody would. */
  async function change(type, data) {
    const why = desk.forbidden(type) ?? (desk.connected ? desk.unhandled(type) : null);
    if (why) desk.toast(why, "warn");
    else await desk.order(type, data);
  }
  const arrange = (utterance, how) => change("ArrangeUtterance", { utterance, how });
  const toggleHold = (utterance) => arrange(utterance, waiting().find((entry) => entry.utterance === utterance)?.held ? "release" : "hold");
  const remove = (utterance) => change("CancelUtterance", { utterance });

  function cutShort() {
    const utterance = stateNow()?.utterance;
    if (utterance) change("CancelUtterance", { utterance });
    else desk.toast("Nothing is being said.");
  }

  /** The line was ordered before this page looked: the run's history knows it. */
  async function lookBack(utterance) {
    if (asked === utterance || !desk.connected) return;
    asked = utterance;
    try {
      const { messages } = await desk.ask(`history?seconds=${HISTORY_S}`);
      for (const message of messages) take(message.type, message.data, message);
    } catch {
      // Without a history its words are not known; the next line is shown again.
    }
    showSoon();
  }

  function take(type, data, { id, cause, source }) {
    if (type === "UtteranceStarted") progress.started(data.utterance, data.text);
    else if (type === "Speak" && cause) progress.piece(id, cause, data.text);
    else if (type === "PerformUtterance") remember(sources, id, source);
    else if (type === "OperatorDecided" && data.action_type === "PerformUtterance" && !operators.has(data.action)) remember(operators, data.action, data.by);
  }

  function remember(map, utterance, who) {
    map.set(utterance, who);
    if (map.size > 50) map.delete(map.keys().next().value);
  }

  const onMarked = (deed) => () => (marked ? deed(marked) : desk.toast("Nothing waits."));
  const ends = [
    desk.sera.on("BehaviourState", (state, { character }) => {
      states.set(character, state);
      for (const entry of state.waiting) remember(sources, entry.utterance, entry.source);
      if (character === desk.character) showSoon();
    }),
    desk.sera.on("UtteranceStarted", (started, envelope) => {
      take("UtteranceStarted", started, envelope);
      if (envelope.character !== desk.character) return;
      spoken.textContent = `Says: ${inShort(started.text, 200)}`;
      showSoon();
    }),
    desk.sera.on("Speak", (speak, envelope) => take("Speak", speak, envelope)),
    desk.sera.on("PerformUtterance", (order, envelope) => take("PerformUtterance", order, envelope)),
    desk.sera.on("OperatorDecided", (decided, envelope) => {
      take("OperatorDecided", decided, envelope);
      showSoon();
    }),
    desk.sera.on("SpeechWord", (reached, { character }) => {
      if (progress.word(reached) && character === desk.character) showSoon();
    }),
    desk.sera.on("UtteranceCancelled", ({ utterance, reason, detail }) => {
      // What somebody cancelled needs no notice; what this desk ordered in vain does.
      if (!WHY_NOT[reason] || !desk.orders.some(({ id }) => id === utterance)) return;
      desk.toast(`Not said${reason === "pre_empted" ? " to its end" : ""}: ${detail || WHY_NOT[reason]}`, "warn");
    }),
    desk.on("ordered", ({ type, id }) => { if (type === "PerformUtterance") remember(operators, id, "you"); }),
    desk.on("character", showSoon),
    desk.on("presence", showSoon),
    ...[
      { id: "queue.next", title: "Go through the lines that wait", key: "q", run: nextMark },
      { id: "queue.remove", title: "Remove the marked line", key: "x", run: onMarked(remove) },
      { id: "queue.up", title: "Move the marked line up", key: "u", run: onMarked((one) => arrange(one, "earlier")) },
      { id: "queue.first", title: "Say the marked line next", key: "i", run: onMarked((one) => arrange(one, "first")) },
      { id: "queue.hold", title: "Hold or release the marked line", key: "p", run: onMarked(toggleHold) },
      { id: "queue.cut", title: "Cut short what is being said", key: ".", run: cutShort },
    ].map((command) => desk.commands.add({ group: "Queue", ...command })),
  ];
  show();
  return () => {
    for (const end of ends) end();
  };
}
