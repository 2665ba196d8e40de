/** Bus: modules with their health and rates, who speaks to whom, live messages, and sending any. */

import { h } from "../lib/dom.js";
import { showGraph } from "./graph.js";
import { showMessages } from "./messages.js";
import { showModules } from "./modules.js";
import { showSend } from "./send.js";
import { Traffic } from "./traffic.js";

/** Open the page; returns a function that closes it. */
export async function open(root, desk) {
  const traffic = new Traffic(desk);
  const parts = [showModules(desk, traffic), showGraph(desk, traffic), showMessages(desk, traffic)];
  if (desk.isWizard) parts.push(showSend(desk));
  const [modules, graph, messages, send] = parts;
  root.replaceChildren(h("h1", { class: "unseen" }, "Bus"),
    h("div", { class: "bus" }, modules.element, graph.element, messages.element, send?.element));
  return () => {
    traffic.close();
    for (const part of parts) part.close();
  };
}
