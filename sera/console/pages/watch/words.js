/** Messages in words: what happened, for people who read a timeline. */

import { summary } from "../lib/format.js";

const quoted = (text) => (text ? `“${String(text).length > 60 ? `${String(text).slice(0, 59)}…` : text}”` : "");
const somebody = (person) => person ?? "somebody";
const spaced = (type) => type.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^./, (letter) => letter.toUpperCase()).replace(/ [A-Z]/g, (part) => part.toLowerCase());
const because = (reason) => (reason ? ` (${reason})` : "");

const WORDS = {
  PersonDetected: ({ person, name }) => `${name ?? person} came into view`,
  PersonLost: ({ person }) => `${person} went out of view`,
  PersonMoved: ({ person }) => `${person} moved`,
  HeadDirection: ({ person, looks_at }) => `${person} turned the head${looks_at ? ` to ${looks_at}` : ""}`,
  SpeechActivity: ({ person, speaking }) => `${somebody(person)} ${speaking ? "began" : "stopped"} speaking`,
  SpeechHeard: ({ person, text, final }) => `${somebody(person)} said ${quoted(text)}${final === false ? " (first guess)" : ""}`,
  Clicked: ({ person, element, point }) => `${somebody(person)} touched ${element ?? `the screen ${point?.screen ?? ""}`}`,
  KeyPressed: ({ person, key }) => `${somebody(person)} pressed ${key}`,
  MarkerSeen: ({ marker }) => `marker ${marker} came into view`,
  MarkerLost: ({ marker }) => `marker ${marker} went out of view`,
  EngagementChanged: ({ person, level, reason }) => `${person} is ${level}${because(reason)}`,
  ActivityEvent: ({ event, person }) => `activity: ${event}${person ? ` by ${person}` : ""}`,
  PeopleState: ({ people }) => `${people?.length ?? 0} people are known`,
  Suggestion: ({ action_type, reason }) => `suggests ${spaced(action_type).toLowerCase()}${because(reason)}`,
  SuggestionResolved: ({ outcome, by }) => `the suggestion was ${outcome}${by ? ` by ${by}` : ""}`,
  OperatorDecided: ({ action_type, by }) => `${by} ordered ${spaced(action_type).toLowerCase()}`,
  AutonomyChanged: ({ channel, mode, by }) => `${by} set ${channel} to ${mode}`,
  DialogueMoved: ({ previous, state }) => `dialogue moved from ${previous ?? "the start"} to ${state}`,
  PerformUtterance: ({ line, category, subcategory, text }) => `is to say ${line ?? (category ? `a line of ${category}${subcategory ? `/${subcategory}` : ""}` : quoted(text))}`,
  CancelUtterance: () => "the line was cancelled",
  UtteranceStarted: ({ text }) => `says ${quoted(text)}`,
  UtteranceFinished: () => "the line was finished",
  UtteranceCancelled: ({ reason, detail }) => `the line was broken off: ${detail ?? reason}`,
  Speak: ({ text }) => `is to speak ${quoted(text)}`,
  SpeechStarted: ({ text }) => `speaks ${quoted(text)}`,
  SpeechFinished: () => "fell silent",
  StopSpeaking: () => "is to be silent",
  QuestionAsked: ({ person }) => `asked ${person ?? "a question"}`,
  QuestionAnswered: ({ person, answered, text }) => (answered ? `${somebody(person)} answered ${quoted(text)}` : "nobody answered"),
  GazeAt: ({ target }) => `is to look at ${target}`,
  Glance: ({ target }) => `is to glance at ${target}`,
  Gaze: ({ target, reason, direction }) => `looks at ${target ?? `${Math.round(direction?.horizontal_deg ?? 0)}°, ${Math.round(direction?.vertical_deg ?? 0)}°`}${because(reason)}`,
  SetGazePolicy: ({ policy }) => `gaze policy ${policy}`,
  SetEyesLight: ({ level, reason }) => `eyes lit to ${Math.round(100 * level)} %${because(reason)}`,
  PlayAnimation: ({ animation }) => `plays ${animation}`,
  StopAnimation: ({ animation }) => `stops ${animation ?? "all animations"}`,
  AnimationFinished: ({ animation, outcome }) => `${animation} ${outcome}`,
  SetPosture: ({ posture }) => `takes the posture ${posture}`,
  SetFace: ({ face }) => `shows the face ${face}`,
  SetEmotion: ({ name, pad }) => `shows ${name ?? (pad ? `emotion ${[pad.pleasure, pad.arousal, pad.dominance].map((part) => part.toFixed(1)).join(" / ")}` : "an emotion")}`,
  Point: ({ target }) => `points${target ? ` at ${target}` : ""}`,
  PointAt: ({ target }) => `is to point at ${target}`,
  HoldJoints: ({ joints_rad }) => {
    const names = Object.keys(joints_rad ?? {});
    return names.length ? `joints held by hand: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}` : "joints let go";
  },
  SetLayer: ({ layer, active, weight }) => `layer ${layer} ${active === false ? "off" : active ? "on" : `at ${weight}`}`,
  ModuleFault: ({ module, summary: words }) => `${module}: ${words}`,
  ActionExpired: ({ action_type, reason }) => `${spaced(action_type).toLowerCase()} was not done: ${reason}`,
  EmergencyStop: ({ by }) => `emergency stop${by ? ` by ${by}` : ""}`,
  EmergencyRelease: ({ by }) => `stop released${by ? ` by ${by}` : ""}`,
  OrderConflict: ({ order, rule }) => `two modules gave ${order} at once; ${rule ?? "one stands"}`,
};

/** What a message says, without who. */
export function inWords({ type, data }) {
  try {
    return WORDS[type]?.(data ?? {}) ?? `${spaced(type)}${data && Object.keys(data).length ? `: ${summary(data, 70)}` : ""}`;
  } catch {
    return spaced(type); // somebody else's message may look otherwise
  }
}

/** With the character it is about. */
export function sentenceOf(envelope) {
  const about = envelope.character && envelope.character !== "world" ? `${envelope.character}: ` : "";
  return about + inWords(envelope);
}
