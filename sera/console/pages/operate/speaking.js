/** What all that speak share: the order's name, and why nothing would be said. */

export const PERFORM = "PerformUtterance";

/** Why a line would not be said now; null: it would. */
export function whyNotSaid(desk) {
  if (desk.forbidden(PERFORM)) return desk.forbidden(PERFORM);
  // While the connection is lost nobody knows who is there; the order is held back anyway.
  return desk.connected ? desk.unhandled(PERFORM) : null;
}

/** A short form of what is said, for notices. */
export function inShort(text, longest = 60) {
  const one = String(text ?? "").replace(/\s+/g, " ").trim();
  return one.length > longest ? `${one.slice(0, longest - 1)}…` : one;
}

/** Whether keys that belong to lists may act: nothing else that needs them has the focus. */
export function keysAreFree(own) {
  const focused = document.activeElement;
  if (!focused || focused === document.body || focused.id === "page" || focused === own) return true;
  if (focused.closest("dialog")) return true; // the palette is asking
  return !focused.closest("button, a, input, select, textarea, summary, canvas, audio, video, [tabindex], [contenteditable]");
}
