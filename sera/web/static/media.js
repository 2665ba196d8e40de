// Shows what the media player asks for: pictures, films, and sounds that the machine cannot decode.
// Open it as /static/media.html, with ?screen=NAME for another screen than the main one.
import { connect } from "/sera.js";

const HEARTBEAT_MS = 4000;
const stage = document.getElementById("stage");
const status = document.getElementById("status");
const begin = document.getElementById("begin");
const screen = new URL(location.href).searchParams.get("screen");
/** @type {{action: string, element: HTMLElement, timer: number}|null} */
let shown = null;

const sera = await connect({
  role: "activity",
  page: "media",
  onStatus: (now, why) => { status.textContent = now === "connected" ? "" : why ?? now; },
});

// Browsers play sound only after somebody has touched the page.
begin.addEventListener("click", () => { begin.hidden = true; });

function tell(event, action, rest = {}) {
  sera.send("ActivityEvent", { event, data: { action, ...rest } }).catch(() => {});
}

function clear(completed, problem = null) {
  if (!shown) return;
  const { action, element, timer } = shown;
  shown = null;
  clearInterval(timer);
  if (element instanceof HTMLMediaElement) element.pause();
  element.remove();
  tell("media_finished", action, { completed, problem });
}

function show(data) {
  clear(shown?.element instanceof HTMLImageElement);
  const tag = { picture: "img", film: "video", sound: "audio" }[data.kind];
  if (!tag) return tell("media_finished", data.action, { completed: false, problem: `this page shows no ${data.kind}` });
  const element = document.createElement(tag);
  const { action } = data;
  const is_mine = () => shown?.action === action;
  const timer = setInterval(() => tell("media_shown", action), HEARTBEAT_MS);
  shown = { action, element, timer };
  element.addEventListener("error", () => is_mine() && clear(false, "the browser cannot show this file"));
  if (element instanceof HTMLMediaElement) {
    element.volume = data.volume;
    element.loop = data.loop;
    element.addEventListener("loadedmetadata", () => { element.currentTime = data.start_s; });
    element.addEventListener("playing", () => is_mine() && tell("media_started", action), { once: true });
    element.addEventListener("ended", () => is_mine() && clear(true));
  } else {
    element.addEventListener("load", () => is_mine() && tell("media_started", action));
  }
  element.src = data.url;
  stage.replaceChildren(element);
  if (element instanceof HTMLMediaElement) {
    element.play().catch(() => is_mine() && clear(false, "the browser plays nothing before the page was touched"));
  }
}

sera.on("ActivityCommand", ({ command, data }) => {
  if ((data.screen ?? null) !== screen) return;
  if (command === "show_media") show(data);
  if (command === "hide_media" && shown?.action === data.action) clear(false);
});
