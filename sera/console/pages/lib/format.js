/** How times, numbers and messages are written for people. */

/** Seconds as `1:05`, above an hour as `1:00:05`. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** The time of day of a moment on the run's clock (seconds since 1970). */
export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
}

/** How long ago, in words. */
export function ago(seconds) {
  if (seconds < 1.5) return "now";
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  return `${Math.round(seconds / 60)} min ago`;
}

/** A number with so many digits, without zeros at its end. */
export function number(value, digits = 2) {
  return Number.isFinite(value) ? String(Number(value.toFixed(digits))) : "–";
}

/** The fields of a message in one line, long ones shortened. */
export function summary(data, longest = 160) {
  const parts = Object.entries(data)
    .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length))
    .map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  const text = parts.join(" · ");
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
