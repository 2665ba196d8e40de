/** Fields of a form that hold one value: choices, numbers with limits, yes or no, words, JSON. */

import { h } from "../lib/dom.js";

/** What sort of simple field a schema asks for; null: it is nested. */
export function simpleKind(schema) {
  if (schema.enum || schema.const !== undefined) return "choice";
  if (["string", "number", "integer", "boolean", "json"].includes(schema.type)) return schema.type;
  const nested = schema.properties || schema.additionalProperties || schema.anyOf || schema.oneOf || schema.type === "array";
  return nested ? null : "json";
}

/**
 * @param {any} schema - without references
 * @param {string} name - for sentences
 * @param {boolean} required
 * @returns {import("./schema_form.js").Control & {input: HTMLElement}}
 */
export function makeSimple(schema, name, required) {
  const kind = simpleKind(schema) ?? "json";
  const input = { choice: choiceOf, boolean: yesOrNo, number: numberOf, integer: numberOf, string: wordsOf, json: jsonOf }[kind](schema, required);
  if (required) input.setAttribute("aria-required", "true");
  const read = () => (kind === "choice" || kind === "boolean" ? JSON.parse(input.value || "null") ?? undefined : input.value === "" ? undefined : input.value);

  function value() {
    const given = read();
    if (given === undefined) return undefined;
    if (kind === "number" || kind === "integer") return Number(given);
    if (kind === "json") return parsed(given).value;
    return given;
  }

  function problems() {
    const given = read();
    const found = input.validity?.badInput ? [`${name} is no number`] : given === undefined ? (required ? [`${name} is required`] : []) : wrong(schema, kind, name, given);
    input.setAttribute("aria-invalid", String(found.length > 0));
    return found;
  }
  return { element: input, input, value, problems };
}

function wrong(schema, kind, name, given) {
  if (kind === "json") return parsed(given).why ? [`${name} is not JSON: ${parsed(given).why}`] : [];
  if (kind === "string") {
    const text = given.trim();
    if (text.length < (schema.minLength ?? 0)) return [`${name} is too short`];
    if (text.length > (schema.maxLength ?? Infinity)) return [`${name} is longer than ${schema.maxLength} characters`];
    return [];
  }
  if (kind !== "number" && kind !== "integer") return [];
  const number = Number(given);
  if (!Number.isFinite(number)) return [`${name} is no number`];
  if (kind === "integer" && !Number.isInteger(number)) return [`${name} is a whole number`];
  if (number < (schema.minimum ?? -Infinity)) return [`${name} is at least ${schema.minimum}`];
  if (number > (schema.maximum ?? Infinity)) return [`${name} is at most ${schema.maximum}`];
  if (number <= (schema.exclusiveMinimum ?? -Infinity)) return [`${name} is more than ${schema.exclusiveMinimum}`];
  if (number >= (schema.exclusiveMaximum ?? Infinity)) return [`${name} is less than ${schema.exclusiveMaximum}`];
  return [];
}

function parsed(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { why: error.message };
  }
}

/** What holds where nothing is given, for the empty field. */
function untouched(schema, required) {
  if (required) return "choose";
  const { default: usual } = schema;
  return usual === undefined || usual === null ? "not given" : `usual: ${typeof usual === "object" ? JSON.stringify(usual) : usual}`;
}

function choiceOf(schema, required) {
  const choices = schema.enum ?? [schema.const];
  return h("select", {}, h("option", { value: "" }, untouched(schema, required)), choices.map((one) => h("option", { value: JSON.stringify(one) }, String(one))));
}

function yesOrNo(schema, required) {
  return h("select", {}, h("option", { value: "" }, untouched(schema, required)), h("option", { value: "true" }, "yes"), h("option", { value: "false" }, "no"));
}

function numberOf(schema, required) {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const [low, high] = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum];
  const limits = low !== undefined && high !== undefined ? `${low} to ${high}` : low !== undefined ? `from ${low}` : high !== undefined ? `up to ${high}` : "";
  const usual = required ? "" : untouched(schema, required);
  return h("input", { type: "number", step: schema.type === "integer" ? "1" : "any", min: low, max: high, placeholder: [usual, limits].filter(Boolean).join(", ") });
}

function wordsOf(schema, required) {
  const long = schema.personal === "text" || (schema.maxLength ?? 0) > 200;
  const properties = { placeholder: required ? "" : untouched(schema, required), maxlength: schema.maxLength, autocomplete: "off", spellcheck: "false" };
  return long ? h("textarea", { ...properties, rows: 2 }) : h("input", { type: "text", ...properties });
}

function jsonOf() {
  return h("textarea", { rows: 2, placeholder: 'JSON, such as {"card": 3}', spellcheck: "false", class: "mono" });
}
