/**
 * What the tablet keeps through a lost connection, a reload and a closed tab: answers that are
 * being given, and sheets that wait to be handed in. A browser that keeps nothing (a private
 * window, a full disk) still works as long as the page is open.
 */

const PREFIX = "sera.tablet.";
const OUTBOX = `${PREFIX}outbox`;
const DONE = `${PREFIX}done`;
const DRAFT = `${PREFIX}draft.`;
const DRAFT_KEPT_MS = 24 * 3600 * 1000;
const memory = new Map();

/** The name of a form in a session. */
export const keyOf = ({ session, questionnaire }) => JSON.stringify([session ?? null, questionnaire]);

function read(name) {
  try {
    const text = localStorage.getItem(name) ?? memory.get(name);
    return text ? JSON.parse(text) : null;
  } catch {
    return memory.has(name) ? JSON.parse(memory.get(name)) : null;
  }
}

function write(name, value) {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    localStorage.setItem(name, text);
  } catch {
    // It is in memory.
  }
}

function remove(name) {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // It was in memory only.
  }
}

/** Answers that are being given: `{ answers, order, place, opened_ms }`, or null. */
export const loadDraft = (key) => read(DRAFT + key);

export const saveDraft = (key, draft) => write(DRAFT + key, draft);

/** Sheets that wait to be handed in, the oldest first: `{ key, sheet, tried }`. */
export const loadOutbox = () => read(OUTBOX) ?? [];

/** A form is filled in: from now on its sheet waits, and the draft is gone. */
export function putIntoOutbox(key, sheet) {
  write(OUTBOX, [...loadOutbox().filter((one) => one.key !== key), { key, sheet, tried: false }]);
  remove(DRAFT + key);
}

/** Somebody tries to hand it in: it may have arrived from now on. */
export function markTried(key) {
  write(OUTBOX, loadOutbox().map((one) => (one.key === key ? { ...one, tried: true } : one)));
}

/** The server has it. */
export function takeFromOutbox(key) {
  write(OUTBOX, loadOutbox().filter((one) => one.key !== key));
}

/** The form that was handed in and is still offered, since whoever offers it was not yet told. */
export const loadDone = () => read(DONE);
export const saveDone = (key) => (key === null ? remove(DONE) : write(DONE, key));

/** Answers of people who left without handing them in do not stay on the tablet for ever. */
export function forgetOldDrafts(now_ms = Date.now()) {
  let names = [];
  try {
    names = Object.keys(localStorage).filter((name) => name.startsWith(DRAFT));
  } catch {
    return;
  }
  for (const name of names) {
    if (now_ms - (read(name)?.opened_ms ?? 0) > DRAFT_KEPT_MS) remove(name);
  }
}

/** One tab at a time hands in; the others leave it to that one. */
export function holdLease(who, for_ms, now_ms = Date.now()) {
  const lease = read(`${PREFIX}lease`);
  if (lease && lease.who !== who && lease.until_ms > now_ms) return false;
  write(`${PREFIX}lease`, { who, until_ms: now_ms + for_ms });
  return true;
}
