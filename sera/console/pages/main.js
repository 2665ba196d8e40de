/** The console: connects as wizard (or observer), shows the bar with the stops, and opens pages. */

import { connect } from "/sera.js";
import { Commands } from "./lib/commands.js";
import { ask, Desk } from "./lib/desk.js";
import { h, kbd } from "./lib/dom.js";
import { openKeys, openPalette } from "./lib/palette.js";
import { showSession } from "./lib/session_bar.js";
import { showStops } from "./lib/stops.js";
import { applyTheme, nextTheme } from "./lib/theme.js";

const PAGES = [
  { name: "operate", title: "Operate", key: "g o" },
  { name: "watch", title: "Watch", key: "g w" },
  { name: "lines", title: "Lines", key: "g l" },
  { name: "bus", title: "Bus", key: "g b" },
  { name: "study", title: "Study", key: "g s" },
  { name: "review", title: "Review", key: "g r" },
];

const element = (id) => document.getElementById(id);
let close = () => {};
let opening = 0;

function showConnection(status, why) {
  const shown = element("connection");
  shown.dataset.status = status;
  shown.textContent = { connected: "connected", waiting: "connection lost, trying again", closed: why || "closed" }[status] ?? status;
}

async function openPage(desk) {
  const name = location.hash.replace(/^#\/?/, "").split("?")[0] || "operate";
  const page = PAGES.find((one) => one.name === name) ?? PAGES[0];
  const turn = ++opening;
  for (const link of element("pages").children) {
    if (link.dataset.page === page.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${page.title} · SERA console`;
  const root = h("div", { class: `page-${page.name}` });
  try {
    desk.undress(true);
    const [module] = await Promise.all([import(`./${page.name}/page.js`), desk.style(page.name)]);
    if (turn !== opening) return;
    close();
    close = () => {};
    desk.undress();
    element("page").replaceChildren(root);
    const ended = (await module.open(root, desk)) ?? (() => {});
    if (turn === opening) close = ended;
    else ended();
    document.documentElement.dataset.page = page.name;
  } catch (error) {
    reportError(error);
    element("page").replaceChildren(h("p", { class: "empty", role: "alert" }, `The page ${page.title} could not be opened: ${error.message}`));
  }
}

function addCommands(desk) {
  const { commands } = desk;
  for (const { name, title, key } of PAGES) {
    commands.add({ id: `page.${name}`, title: `Go to ${title}`, group: "Pages", key, run: () => { location.hash = `#/${name}`; } });
  }
  commands.add({ id: "find", title: "Find anything", group: "Console", key: "Ctrl+K", run: () => openPalette(commands), hidden: true });
  commands.add({ id: "keys", title: "Show all keys", group: "Console", key: "?", run: () => openKeys(commands) });
  commands.add({ id: "theme", title: "Light, dark or as the system", group: "Console", key: "g t", run: () => desk.toast(`Colours: ${nextTheme()}`) });
  for (const [place, character] of Object.keys(desk.facts.characters).entries()) {
    commands.add({ id: `character.${character}`, title: `Orders go to ${character}`, group: "Characters", key: place < 9 ? `g ${place + 1}` : undefined, run: () => { desk.character = character; } });
  }
}

async function begin() {
  applyTheme();
  const asked = new URL(location.href).searchParams;
  const role = asked.get("role") ?? sessionStorage.getItem("sera.console.role") ?? "wizard";
  sessionStorage.setItem("sera.console.role", role);
  const deskName = asked.get("desk") ?? sessionStorage.getItem("sera.console.desk");
  if (deskName) sessionStorage.setItem("sera.console.desk", deskName);
  const sera = await connect({ role, page: "console", desk: deskName ?? undefined, onStatus: showConnection });
  const commands = new Commands();
  const facts = await ask(sera, "facts");
  const desk = new Desk(sera, commands, facts);
  window.seraDesk = desk; // for people who look into the page, and for tests
  element("pages").replaceChildren(...PAGES.map(({ name, title, key }) =>
    h("a", { href: `#/${name}`, data: { page: name }, title: `Key: ${key}` }, title)));
  addCommands(desk);
  showStops(desk);
  showSession(element("session"), desk);
  element("find").addEventListener("click", () => openPalette(commands));
  addEventListener("hashchange", () => openPage(desk));
  await openPage(desk);
}

begin().catch((error) => {
  showConnection("closed", error.message);
  element("page").replaceChildren(
    h("div", { class: "panel", role: "alert" }, h("div", { class: "inside stack" },
      h("h1", {}, "The console could not be opened"), h("p", {}, error.message),
      h("p", { class: "quietly" }, "Open the address that the run printed, or start one with ", h("code", {}, "sera run hello --console"), "."))));
});
