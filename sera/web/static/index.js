/** The index page: the scenario's pages, who is present, and the last messages, as an observer. */

import { connect } from "/sera.js";

const SHOWN = 150;
const element = (id) => document.getElementById(id);

const modules = new Map();
let rows = [];
let paused = false;
let stale = false;
let streams = {};

function showStatus(status, why) {
  element("status").dataset.status = status;
  element("status").textContent = why && status !== "connected" ? `${status}: ${why}` : status;
}

function make(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function showPages(pages) {
  const items = pages.map((address) => {
    const link = make("a", "", decodeURIComponent(address.replace(/^\/pages\//, "")));
    link.href = address;
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  element("pages").replaceChildren(...items);
}

function showModules() {
  const items = [...modules].sort().map(([source, presence]) => {
    const item = document.createElement("li");
    item.dataset.status = presence.status;
    item.append(make("span", "name", source), make("span", "state", presence.problem ?? presence.status));
    return item;
  });
  element("modules").replaceChildren(...items);
}

function remember(data, envelope) {
  if (envelope.type === "ModulePresence") {
    modules.set(envelope.source, data);
    showModules();
  }
  if (paused) return;
  let count = 1;
  if (streams[envelope.type]?.stream) {
    // Streams would push everything else off the page: a value replaces its predecessor.
    const last = rows.findIndex((row) => row.envelope.type === envelope.type && row.envelope.source === envelope.source);
    if (last >= 0) count += rows.splice(last, 1)[0].count;
  }
  rows.unshift({ envelope, count, content: JSON.stringify(data) });
  rows.length = Math.min(rows.length, SHOWN);
  showSoon();
}

function showSoon() {
  if (stale) return;
  stale = true;
  requestAnimationFrame(() => {
    stale = false;
    showRows();
  });
}

function showRows() {
  const wanted = element("filter").value.trim().toLowerCase();
  const fitting = rows.filter(({ envelope, content }) =>
    `${envelope.type} ${envelope.source} ${envelope.character} ${content}`.toLowerCase().includes(wanted));
  element("messages").replaceChildren(...fitting.map(showRow));
  element("no-messages").hidden = fitting.length > 0;
  element("no-messages").textContent = rows.length ? "No message contains that." : "Nothing was said yet.";
}

function showRow({ envelope, count, content }) {
  const row = document.createElement("tr");
  if (envelope.type === "ModuleFault") row.dataset.severity = envelope.data.severity ?? "error";
  const type = make("td", "type", envelope.type);
  if (count > 1) type.append(make("span", "count", `×${count}`));
  row.append(
    make("td", "time", clockTime(envelope.time)),
    type,
    make("td", "source", envelope.source),
    showContent(envelope.data));
  return row;
}

/** The fields that say something: neither null nor empty. */
function showContent(data) {
  const cell = make("td", "content", "");
  for (const [name, value] of Object.entries(data)) {
    const text = readable(value);
    if (["null", "[]", "{}", ""].includes(text)) continue;
    const field = make("span", "field", "");
    field.append(make("span", "key", name), ` ${text.length > 300 ? `${text.slice(0, 300)} …` : text}`);
    cell.append(field, " ");
  }
  return cell;
}

/** A time of the run: of day where it counts from 1970, else seconds since the start. */
/** A value for people: numbers without endless decimals, tables without quotation marks. */
function readable(value) {
  if (typeof value === "number") return String(Math.round(value * 1000) / 1000);
  if (Array.isArray(value)) return value.map(readable).join(", ");
  if (value !== null && typeof value === "object") {
    return Object.entries(value).map(([key, item]) => `${key} ${readable(item)}`).join(", ");
  }
  return String(value);
}

function clockTime(time_s) {
  if (time_s < 1e8) return `${time_s.toFixed(2)} s`;
  const date = new Date(time_s * 1000);
  return `${date.toLocaleTimeString("en-GB")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

element("filter").addEventListener("input", showSoon);
element("pause").addEventListener("click", () => {
  paused = !paused;
  element("pause").setAttribute("aria-pressed", String(paused));
  element("pause").textContent = paused ? "Paused" : "Pause";
});

try {
  const sera = await connect({ role: "observer", page: "index", onStatus: showStatus });
  const begin = () => {
    modules.clear();
    modules.set(sera.hello.source, { status: "present" });
    streams = sera.hello.may_receive;
    element("run").textContent = sera.hello.run;
    document.title = `SERA · ${sera.hello.run}`;
    showPages(sera.hello.pages);
    showModules();
  };
  begin();
  sera.on("*", remember);
  sera.onStatus((status) => {
    if (status === "connected") begin();
  });
} catch (error) {
  showStatus("closed", error.message);
}
