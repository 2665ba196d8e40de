/** Light or dark: as the system says, unless somebody chose. */

const KEY = "sera.console.theme";
const ORDER = ["system", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Put the chosen colours on the page, and follow the system. */
export function applyTheme() {
  const chosen = localStorage.getItem(KEY) ?? "system";
  const shown = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
  document.documentElement.dataset.theme = shown;
  dispatchEvent(new CustomEvent("theme", { detail: shown }));
}

/** Go to the next choice and return its name. */
export function nextTheme() {
  const chosen = ORDER[(ORDER.indexOf(localStorage.getItem(KEY) ?? "system") + 1) % ORDER.length];
  localStorage.setItem(KEY, chosen);
  applyTheme();
  return chosen;
}

dark.addEventListener("change", applyTheme);
