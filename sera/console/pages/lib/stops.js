/**
 * What must always be in reach: stop speaking, stop everything, and what the bar says about a lost
 * connection. The stop is the only order that is sent by itself when a connection comes back.
 */

import { h } from "./dom.js";

/** Wire the stops and the banners. */
export function showStops(desk) {
  const banners = document.getElementById("banners");
  const stopButton = document.getElementById("stop");
  const hushButton = document.getElementById("hush");
  const stopped = new Map();

  const stop = () => {
    if (desk.forbidden("EmergencyStop")) desk.toast("an observer cannot stop the robot: call the wizard", "bad");
    else desk.order("EmergencyStop", { reason: "console" }, { character: "world" });
  };
  const hush = () => {
    for (const character of Object.keys(desk.facts.characters)) {
      desk.order("CancelUtterance", { politely: false }, { character, quiet: true });
      desk.order("StopSpeaking", {}, { character, quiet: true });
    }
  };
  const release = () => desk.order("EmergencyRelease", {}, { character: "world" });
  stopButton.addEventListener("click", stop);
  hushButton.addEventListener("click", hush);
  desk.commands.add({ id: "stop", title: "Stop everything", group: "Stop", key: "F9", run: stop, first: true });
  desk.commands.add({ id: "hush", title: "Stop speaking", group: "Stop", key: "F8", run: hush, first: true });
  desk.commands.add({ id: "release", title: "Let the robot move again after a stop", group: "Stop", run: release, blocked: () => (stopped.size ? null : "nothing is stopped") });
  if (!desk.isWizard) for (const button of [stopButton, hushButton]) button.hidden = true;

  const show = () => {
    const parts = [];
    if (stopped.size) {
      parts.push(h("div", { class: "banner", role: "alert", data: { kind: "bad" } },
        h("strong", {}, "Stopped"), h("span", {}, [...stopped.values()].join("; ") || "nothing moves or speaks until it is released"),
        desk.isWizard && h("button", { type: "button", onclick: release }, "Let it move again")));
    }
    if (!desk.connected) {
      parts.push(h("div", { class: "banner", role: "alert", data: { kind: "lost" } },
        h("strong", {}, "The connection is lost."),
        h("span", {}, desk.held.length ? `${desk.held.length} order${desk.held.length > 1 ? "s are" : " is"} held back.` : "What you order now is held back.")));
    } else if (desk.held.length) {
      parts.push(h("div", { class: "banner", role: "alert", data: { kind: "held" } },
        h("span", {}, `Connected again. Held back: ${desk.held.map(({ type }) => type).join(", ")}.`),
        h("button", { type: "button", onclick: () => desk.release(true) }, "Send now"),
        h("button", { type: "button", onclick: () => desk.release(false) }, "Forget")));
    }
    banners.replaceChildren(...parts);
  };
  desk.sera.on("EmergencyStop", (order, { character }) => {
    stopped.set(character, order.by ? `by ${order.by}` : "");
    show();
  });
  desk.sera.on("EmergencyRelease", (_order, { character }) => {
    if (character === "world") stopped.clear();
    else stopped.delete(character);
    show();
  });
  desk.sera.on("BodyState", (body, { character }) => {
    const was = stopped.has(character);
    if (body.health === "stopped" && !was && !stopped.has("world")) stopped.set(character, `${character} stands still`);
    else if (body.health !== "stopped" && was) stopped.delete(character);
    else return;
    show();
  });
  desk.on("held", show);
  desk.on("ordered", ({ type, character }) => {
    // The gateway does not send a page its own words.
    if (type === "EmergencyStop") stopped.set(character, `by ${desk.operator}`);
    else if (type === "EmergencyRelease") stopped.clear();
    else return;
    show();
  });
  desk.sera.onStatus(show);
}
