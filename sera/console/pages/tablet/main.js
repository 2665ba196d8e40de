/**
 * The participant's tablet: shows the form that is offered, keeps the answers until the server has
 * them, thanks, and waits for the next one. It knows nothing of the run but the form.
 */

import { connect } from "/sera.js";
import { ask } from "../lib/desk.js";
import { h } from "../lib/dom.js";
import { applyTheme } from "../lib/theme.js";
import { showForm } from "./form.js";
import { HandIn } from "./hand_in.js";
import { forgetOldDrafts, keyOf, loadDone, loadOutbox, putIntoOutbox, saveDone, takeFromOutbox } from "./store.js";
import { wordsFor } from "./words.js";

const sheet = document.getElementById("sheet");
const lost = document.getElementById("lost");
const TRY_AGAIN_MS = 3000;

let sera = null;
let status = "connecting";
let handIn = null;
let offer = null;
let shown = "";
let thanked = false;

const words = () => wordsFor(offer?.language ?? document.documentElement.lang);

/** Show a page with a few words, once. */
function say(name, title, more, kind = "", ...further) {
  if (shown === name) return;
  shown = name;
  sheet.replaceChildren(h("div", { class: "message", data: { kind } }, h("h1", { tabindex: "-1" }, title), h("p", {}, more), ...further));
  sheet.querySelector("h1").focus();
}

/** Show what fits: the form, or a word on what becomes of the answers. */
function show() {
  const connected = status === "connected";
  document.documentElement.dataset.status = status;
  const key = offer?.questionnaire ? keyOf(offer) : null;
  const waiting = loadOutbox();
  const ours = key === null ? waiting.length > 0 : waiting.some((one) => one.key === key);
  if (ours) {
    if (handIn?.refusal && connected) say("refused", words().refused, words().refusedMore, "bad", rescue());
    else if (connected) say("sending", words().sending, words().sendingMore);
    else say("waiting", words().waiting, words().waitingMore, "warn");
  } else if (key === null || key === loadDone()) {
    if (thanked || key !== null) say("thanks", words().thanks, words().thanksMore, "good");
    else say("wait", words().wait, words().waitMore);
  } else if (shown !== `form ${key}`) openForm(key, offer);
  // Where the page itself says that answers wait for the connection, that is enough.
  lost.textContent = shown === "waiting" ? "" : { closed: words().closed, waiting: words().lost }[status] ?? "";
}

/** For the person in charge: answers that nobody takes are saved as a file, and leave the tablet. */
function rescue() {
  const save = () => {
    const waiting = loadOutbox();
    const url = URL.createObjectURL(new Blob([JSON.stringify(waiting.map((one) => one.sheet), null, 2)], { type: "application/json" }));
    h("a", { href: url, download: "answers.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), TRY_AGAIN_MS);
    for (const { key } of waiting) takeFromOutbox(key);
    show();
  };
  return h("details", {}, h("summary", {}, words().inCharge), h("p", {}, handIn.refusal), h("button", { type: "button", onclick: save }, words().save));
}

async function openForm(key, asked) {
  shown = `form ${key}`;
  thanked = false;
  const query = asked.language ? `?language=${encodeURIComponent(asked.language)}` : "";
  let form;
  try {
    form = await ask(sera, `forms/${encodeURIComponent(asked.questionnaire)}${query}`);
  } catch {
    if (shown !== `form ${key}`) return;
    say("failed", words().form, "", "bad");
    setTimeout(() => { if (shown === "failed") { shown = ""; show(); } }, TRY_AGAIN_MS);
    return;
  }
  if (shown !== `form ${key}`) return;
  showForm(sheet, form, key, (filled) => {
    putIntoOutbox(key, { questionnaire: asked.questionnaire, participant: asked.participant, session: asked.session, ...filled });
    show();
    handIn.tryNow();
  });
}

async function begin() {
  applyTheme();
  forgetOldDrafts();
  document.documentElement.lang = loadOutbox()[0]?.sheet.language ?? "en";
  say("wait", words().wait, words().waitMore);
  sera = await connect({ role: "participant", page: "tablet", onStatus: (now) => {
    status = now;
    queueMicrotask(show);
  } });
  handIn = new HandIn(sera, show, (key) => {
    thanked = true;
    // Whoever offers the form may not have heard yet that it was answered.
    if (offer === null || (offer.questionnaire && keyOf(offer) === key)) saveDone(key);
    show();
  });
  sera.on("FormOffered", (message) => {
    offer = message;
    const key = message.questionnaire ? keyOf(message) : null;
    if (key !== loadDone()) saveDone(null);
    if (message.language) document.documentElement.lang = message.language;
    show();
    handIn.tryNow();
  });
  // Another tab may have handed in what waits here.
  addEventListener("storage", show);
  handIn.deliver();
}

begin().catch((error) => {
  say("closed", words().closed, error.message, "bad");
  document.documentElement.dataset.status = "closed";
});
