/** What a proposed Action would do, in words for the operator. */

import { summary } from "../lib/format.js";

const WORDS = {
  __proto__: null, // types are named by other people
  PerformUtterance: ({ text, line, category, subcategory }, lines) => {
    if (text) return `Say “${text}”`;
    if (line) return lines.get(line) ? `Say “${lines.get(line)}”` : `Say the line ${line}`;
    return `Say something of ${[category, subcategory].filter(Boolean).join(", ")}`;
  },
  Speak: ({ text }) => `Say “${text}”`,
  CancelUtterance: ({ utterance }) => (utterance ? "Drop a line" : "Stop talking"),
  StopSpeaking: () => "Be silent",
  GazeAt: ({ target }) => `Look at ${target}`,
  Glance: ({ target }) => `Glance at ${target}`,
  PointAt: ({ target }) => `Point at ${target}`,
  SetGazePolicy: ({ policy }) => `Let the gaze be ${policy}`,
  PlayAnimation: ({ animation, repeats }) => `Play ${animation}${repeats > 1 ? ` ${repeats} times` : ""}`,
  StopAnimation: ({ animation }) => `End ${animation ?? "every animation"}`,
  SetPosture: ({ posture }) => `Take the posture ${posture}`,
  SetFace: ({ face }) => `Make the face ${face}`,
  SetEmotion: ({ name, pad }) => (name ? `Feel ${name}` : `Feel pleasure ${pad?.pleasure}, arousal ${pad?.arousal}, dominance ${pad?.dominance}`),
  Highlight: ({ element }) => `Highlight ${element}`,
  ActivityCommand: ({ command }) => `Tell the activity: ${command}`,
};

/**
 * Say what an Action does.
 *
 * @param {string} type
 * @param {object} action
 * @param {Map<string, string>} [lines] - what each line says, by its id
 */
export function inWords(type, action, lines = new Map()) {
  return WORDS[type]?.(action, lines) ?? `${type} ${summary(action)}`;
}

/**
 * The fields of an Action that an operator can change in a small form: text, numbers and switches,
 * and the entries of tags and words.
 *
 * @returns {{path: string[], label: string, kind: "text"|"number"|"switch", value: any}[]}
 */
export function editable(action, path = []) {
  return Object.entries(action).flatMap(([name, value]) => {
    const label = name.replaceAll("_", " ");
    const here = { path: [...path, name], label, value };
    if (typeof value === "string") return [{ ...here, kind: "text" }];
    if (typeof value === "number") return [{ ...here, kind: "number" }];
    if (typeof value === "boolean") return [{ ...here, kind: "switch" }];
    if (value && typeof value === "object" && !Array.isArray(value) && path.length < 2) return editable(value, [...path, name]);
    return [];
  });
}

/** A copy of an Action with one field changed. */
export function changed(action, [name, ...rest], value) {
  return { ...action, [name]: rest.length ? changed(action[name] ?? {}, rest, value) : value };
}
