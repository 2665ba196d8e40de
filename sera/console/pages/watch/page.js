/**
 * Watch: the room in 3-D, what happened in the last minutes, which perception led to it, who owns
 * which channel of the body, and its joints.
 */

import { h, kbd, panel } from "../lib/dom.js";
import { openStage } from "../parts/stage3d/stage.js";
import { showBlend } from "./blend.js";
import { causePanel } from "./chain.js";
import { entryList } from "./entries.js";
import { showJoints } from "./joints.js";
import { KEPT_S, Moments } from "./moments.js";
import { Timeline } from "./timeline.js";

const TABS = [
  { name: "cause", title: "Cause", key: "w c" },
  { name: "blend", title: "Blend", key: "w b" },
  { name: "joints", title: "Joints", key: "w j" },
];

/** Open the page. */
export async function open(root, desk) {
  const ends = [];
  const moments = new Moments(desk.sera.hello.may_receive);
  const movedBy = new Map();
  const stagePlace = h("div", { class: "watch-stage" });
  const tabs = tabbed(desk, ends);
  const choose = (envelope) => {
    const ids = cause.show(envelope);
    timeline.mark(envelope, ids);
    list.mark(envelope);
    tabs.open("cause");
  };
  const cause = causePanel(moments, choose);
  const list = entryList(moments, choose);
  const follow = h("button", { type: "button", class: "small", "aria-pressed": "true", onclick: () => timeline.follow() }, "Live");
  const timeline = new Timeline(moments, () => desk.now(), choose, () => follow.setAttribute("aria-pressed", String(timeline.end_s === null)));
  tabs.panels.cause.append(cause.element);
  root.append(
    h("h1", { class: "unseen" }, "Watch"),
    panel("Room", { class: "watch-room" }, [characterChoice(desk, ends)], stagePlace),
    panel("What happened", { class: "watch-time" }, timeTools(desk, timeline, list, follow, ends), h("div", { class: "watch-lines" }, timeline.element, list.element)),
    tabs.element);
  list.element.hidden = true;

  ends.push(hear(desk, moments, movedBy, timeline));
  const stage = await openStage(stagePlace, desk, {});
  window.seraStage = stage; // for people who look into the page, and for tests
  stage.onPick(({ target }) => {
    if (!target) return;
    if (desk.facts.characters[target]) {
      desk.character = target;
      const envelope = moments.find(movedBy.get(target));
      if (envelope) choose(envelope);
      else desk.toast(`Nothing has moved ${target} in the last minutes but its own idle motion.`);
    } else {
      const newest = moments.entries.findLast(({ envelope, row }) => row && (envelope.data.person === target || envelope.data.target === target));
      if (newest) choose(newest.envelope);
    }
  });
  ends.push(showBlend(tabs.panels.blend, desk), showJoints(tabs.panels.joints, desk, stage));
  return () => {
    for (const end of ends) end();
    timeline.close();
    list.close();
    stage.close();
  };
}

/** Fill the moments: first with what was, then with what comes. */
function hear(desk, moments, movedBy, timeline) {
  const early = [];
  let filled = false;
  const take = (envelope) => {
    if (envelope.type === "JointFrame") {
      if (envelope.cause) movedBy.set(envelope.character, envelope.cause);
    } else if (filled) {
      moments.take(envelope);
      timeline.draw();
    } else early.push(envelope);
  };
  const ends = [...moments.heard, "JointFrame"].map((type) => desk.sera.on(type, (_data, envelope) => take(envelope)));
  ends.push(desk.on("ordered", ({ id, type, data, character }) => {
    if (id) take({ id, type, data, character: character ?? "world", time: desk.now(), source: desk.sera.hello.source, cause: null });
  }));
  desk.ask(`history?seconds=${KEPT_S}`).then(({ messages }) => messages, () => []).then((messages) => {
    for (const envelope of messages) moments.take(envelope);
    filled = true;
    for (const envelope of early.splice(0)) moments.take(envelope);
    timeline.draw();
  });
  return () => { for (const end of ends) end(); };
}

function characterChoice(desk, ends) {
  const names = Object.keys(desk.facts.characters);
  if (names.length < 2) return h("span", { class: "quietly push" }, names[0] ?? "");
  const group = h("div", { class: "segments push", role: "radiogroup", "aria-label": "Whose body" }, names.map((name) =>
    h("button", { type: "button", role: "radio", class: "small", "aria-checked": String(name === desk.character), data: { name }, onclick: () => { desk.character = name; } }, name)));
  ends.push(desk.on("character", (chosen) => { for (const button of group.children) button.setAttribute("aria-checked", String(button.dataset.name === chosen)); }));
  return group;
}

function timeTools(desk, timeline, list, follow, ends) {
  const asList = h("button", { type: "button", class: "small", "aria-pressed": "false", onclick: () => swap() }, "List ", kbd("w i"));
  const swap = () => {
    const shows = list.element.hidden;
    list.element.hidden = !shows;
    timeline.element.hidden = shows;
    asList.setAttribute("aria-pressed", String(shows));
    if (shows) list.show();
    else timeline.draw();
  };
  const commands = [
    { id: "watch.list", title: "Timeline as a list", key: "w i", run: swap },
    { id: "watch.nearer", title: "Timeline: shorter span", key: "w +", run: () => timeline.zoom(0.6) },
    { id: "watch.farther", title: "Timeline: longer span", key: "w -", run: () => timeline.zoom(1 / 0.6) },
    { id: "watch.back", title: "Timeline: back", key: "w ArrowLeft", run: () => timeline.pan(-timeline.span_s / 2) },
    { id: "watch.forth", title: "Timeline: forward", key: "w ArrowRight", run: () => timeline.pan(timeline.span_s / 2) },
    { id: "watch.live", title: "Timeline: follow the run", key: "w n", run: () => timeline.follow() },
  ];
  for (const command of commands) ends.push(desk.commands.add({ group: "Watch", ...command }));
  follow.append(" ", kbd("w n"));
  const button = (label, words, run) => h("button", { type: "button", class: "small", "aria-label": words, title: words, onclick: run }, label);
  return [h("div", { class: "row push" }, button("◀", "Back", commands[3].run), button("▶", "Forward", commands[4].run), button("−", "Longer span", commands[2].run), button("+", "Shorter span", commands[1].run), follow, asList)];
}

/** The panels at the side, one of which is shown. */
function tabbed(desk, ends) {
  const panels = Object.fromEntries(TABS.map(({ name, title }) => [name, h("div", { class: "tab-panel scroll", role: "tabpanel", id: `watch-${name}`, "aria-label": title, tabindex: "0", hidden: true })]));
  panels.blend.classList.add("inside", "stack");
  panels.joints.classList.add("inside", "stack");
  const buttons = TABS.map(({ name, title, key }) => h("button", { type: "button", role: "tab", id: `watch-tab-${name}`, "aria-controls": `watch-${name}`, onclick: () => show(name) }, title, " ", kbd(key)));
  const show = (name) => TABS.forEach((tab, place) => {
    const chosen = tab.name === name;
    buttons[place].setAttribute("aria-selected", String(chosen));
    buttons[place].tabIndex = chosen ? 0 : -1;
    panels[tab.name].hidden = !chosen;
  });
  const row = h("div", { class: "tabs", role: "tablist", "aria-label": "Details" }, buttons);
  row.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const place = buttons.indexOf(document.activeElement);
    if (!step || place < 0) return;
    const next = (place + step + TABS.length) % TABS.length;
    show(TABS[next].name);
    buttons[next].focus();
    event.preventDefault();
  });
  for (const { name, title, key } of TABS) ends.push(desk.commands.add({ id: `watch.${name}`, title: `Show ${title.toLowerCase()}`, group: "Watch", key, run: () => show(name) }));
  show("cause");
  const element = h("section", { class: "panel watch-side", "aria-label": "Details" }, row, Object.values(panels));
  return { element, panels, open: show };
}
