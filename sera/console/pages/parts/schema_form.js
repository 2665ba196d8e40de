/**
 * Forms made from JSON Schema, with the words that the schema has for each field.
 *
 *     const form = makeForm(schema, definitions);
 *     root.append(form.element);
 *     if (!form.problems().length) send(form.value());
 *
 * What is left empty is left out of the value, so that the receiver's default holds. Parts that a
 * schema nests are made when somebody asks for them, so a schema may contain itself.
 */

import { h } from "../lib/dom.js";
import { makeSimple, simpleKind } from "./schema_simple.js";

/** @typedef {{element: Element, value: () => any, problems: () => string[]}} Control */

/**
 * @param {any} schema - of an object
 * @param {Object<string, any>} [definitions] - what `$ref: "#/$defs/Name"` stands for
 * @returns {Control} `value()` is an object; `problems()` are sentences, none where all is well
 */
export function makeForm(schema, definitions = {}) {
  const control = makeFields(plain(schema, definitions), definitions, "");
  return { element: h("div", { class: "schema-form" }, control.element), value: () => control.value() ?? {}, problems: control.problems };
}

/** A schema without references and without `null`; `nullable` says whether it had it. */
export function plain(schema, definitions) {
  let made = schema ?? {};
  for (let depth = 0; depth < 20; depth++) {
    const { $ref, allOf, anyOf, oneOf, ...rest } = made;
    const some = anyOf ?? oneOf;
    if ($ref) made = { ...definitions[$ref.replace("#/$defs/", "")], ...rest };
    else if (allOf?.length === 1) made = { ...allOf[0], ...rest };
    else if (some) {
      const others = some.filter((one) => one.type !== "null");
      if (others.length === some.length && others.length > 1) return made;
      made = others.length === 1 ? { ...others[0], ...rest, nullable: true } : { ...rest, anyOf: others, nullable: true };
      if (others.length > 1) return made;
    } else return made;
  }
  return made;
}

/** @returns {Control} */
function makeControl(given, definitions, name, required) {
  const schema = plain(given, definitions);
  if (simpleKind(schema)) return makeSimple(schema, name, required);
  if (schema.anyOf || schema.oneOf) return makeChoice(schema.anyOf ?? schema.oneOf, definitions, name, required);
  if (schema.type === "array") return schema.prefixItems ? makeTuple(schema, definitions, name, required) : makeList(schema, definitions, name, required);
  if (schema.properties) return makeFields(schema, definitions, name);
  if (schema.additionalProperties) return makeDictionary(schema, definitions, name, required);
  return makeSimple({ ...schema, type: "json" }, name, required);
}

/** A labelled field with its words; groups have a legend, simple ones a label. */
function described(schema, name, required, control) {
  const about = schema.description ? h("p", { class: "about quietly", id: nextId() }, schema.description.replace(/\s+/g, " ")) : null;
  const title = [name, required ? h("span", { class: "must" }, " required") : null];
  if (control.input) {
    control.input.id ||= nextId();
    if (about) control.input.setAttribute("aria-describedby", about.id);
    return h("div", { class: "schema-field" }, h("label", { for: control.input.id }, title), control.element, about);
  }
  return h("fieldset", { class: "schema-field" }, h("legend", {}, title), about, control.element);
}

let ids = 0;
const nextId = () => `schema-${++ids}`;

function makeFields(schema, definitions, path) {
  const must = new Set(schema.required ?? []);
  const controls = Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const field = plain(given, definitions);
    const required = must.has(name);
    const whole = path ? `${path}.${name}` : name;
    const nested = !simpleKind(field) && !required && (field.properties || field.anyOf || field.oneOf);
    const control = nested ? makeOptional(given, definitions, whole) : makeControl(given, definitions, whole, required);
    return { name, control, element: described(field, name, required, control) };
  });
  const ordered = [...controls.filter(({ name }) => must.has(name)), ...controls.filter(({ name }) => !must.has(name))];
  return {
    element: h("div", { class: "schema-fields" }, ordered.length ? ordered.map(({ element }) => element) : h("p", { class: "quietly" }, "It has no fields.")),
    value: () => Object.fromEntries(controls.map(({ name, control }) => [name, control.value()]).filter(([, value]) => value !== undefined)),
    problems: () => controls.flatMap(({ control }) => control.problems()),
  };
}

/** A part that may be left out: made when it is wanted. */
function makeOptional(schema, definitions, name) {
  const inner = h("div", { hidden: true });
  let control = null;
  const wanted = h("input", { type: "checkbox", onchange: () => {
    if (wanted.checked && !control) inner.append((control = makeControl(schema, definitions, name, true)).element);
    inner.hidden = !wanted.checked;
  } });
  return {
    element: h("div", { class: "optional" }, h("label", { class: "row" }, wanted, "give it"), inner),
    value: () => (wanted.checked ? control.value() : undefined),
    problems: () => (wanted.checked ? control.problems() : []),
  };
}

/** One of several kinds of value. */
function makeChoice(kinds, definitions, name, required) {
  const shapes = kinds.map((kind) => plain(kind, definitions));
  const titles = shapes.map((shape, place) => shape.title ?? ({ boolean: "yes or no", number: "number", integer: "whole number", string: "text", array: "list", object: "names and values" }[shape.type] ?? `kind ${place + 1}`));
  const select = h("select", { "aria-label": `Kind of ${name}` }, required ? null : h("option", { value: "" }, "not given"), titles.map((title, place) => h("option", { value: place }, title)));
  const inner = h("div");
  let control = null;
  const show = () => {
    control = select.value === "" ? null : makeControl(kinds[Number(select.value)], definitions, name, true);
    control?.input?.setAttribute("aria-label", name);
    inner.replaceChildren(...(control ? [control.element] : []));
  };
  select.addEventListener("change", show);
  show();
  return { element: h("div", { class: "schema-choice" }, select, inner), value: () => control?.value(), problems: () => control?.problems() ?? [] };
}

/** Rows that are added and taken away. */
function makeRows(name, add, makeRow) {
  const rows = new Set();
  const place = h("div", { class: "schema-rows" });
  const more = h("button", { type: "button", class: "small", onclick: () => addRow()?.focus() }, add);
  function addRow() {
    const row = makeRow();
    const shown = h("div", { class: "schema-row" }, row.element, h("button", { type: "button", class: "small quiet", "aria-label": `Take this entry of ${name} away`, onclick: () => {
      rows.delete(row);
      shown.remove();
      more.focus();
    } }, "×"));
    rows.add(row);
    place.append(shown);
    return shown.querySelector("input, select, textarea, button");
  }
  return { element: h("div", {}, place, more), rows, addRow };
}

function makeList(schema, definitions, name, required) {
  const made = makeRows(name, "Add", () => {
    const row = makeControl(schema.items ?? {}, definitions, name, true);
    row.input?.setAttribute("aria-label", `Entry of ${name}`);
    return row;
  });
  for (let count = 0; count < (schema.minItems ?? 0); count++) made.addRow();
  return {
    element: made.element,
    value: () => (made.rows.size || required ? [...made.rows].map((row) => row.value() ?? null) : undefined),
    problems: () => [
      ...(made.rows.size < (required ? schema.minItems ?? 0 : 0) ? [`${name} needs at least ${schema.minItems}`] : []),
      ...(made.rows.size > (schema.maxItems ?? Infinity) ? [`${name} takes at most ${schema.maxItems}`] : []),
      ...[...made.rows].flatMap((row) => row.problems())],
  };
}

/** So many values in a fixed order. */
function makeTuple(schema, definitions, name, required) {
  const controls = schema.prefixItems.map((item, place) => {
    const control = makeControl(item, definitions, `${name} ${place + 1}`, required);
    control.input?.setAttribute("aria-label", `${name} ${place + 1}`);
    return control;
  });
  const given = () => controls.some((control) => control.value() !== undefined);
  return {
    element: h("div", { class: "row" }, controls.map(({ element }) => element)),
    value: () => (given() ? controls.map((control) => control.value() ?? null) : undefined),
    problems: () => (given() && controls.some((control) => control.value() === undefined) ? [`${name} needs ${controls.length} values or none`] : controls.flatMap((control) => control.problems())),
  };
}

/** Names of one's own, each with a value. */
function makeDictionary(schema, definitions, name, required) {
  const values = schema.additionalProperties === true ? {} : schema.additionalProperties;
  const names = schema.propertyNames ? plain(schema.propertyNames, definitions) : {};
  const made = makeRows(name, "Add a name", () => {
    const key = names.enum ? h("select", {}, names.enum.map((one) => h("option", {}, one))) : h("input", { type: "text", placeholder: "name", size: 12 });
    key.setAttribute("aria-label", `Name in ${name}`);
    const control = makeControl(values, definitions, name, true);
    control.input?.setAttribute("aria-label", `Value in ${name}`);
    return { key, control, element: h("div", { class: "row" }, key, control.element) };
  });
  return {
    element: made.element,
    value: () => (made.rows.size || required ? Object.fromEntries([...made.rows].map(({ key, control }) => [key.value.trim(), control.value() ?? null])) : undefined),
    problems: () => {
      const keys = [...made.rows].map(({ key }) => key.value.trim());
      const twice = keys.find((key, place) => key && keys.indexOf(key) !== place);
      return [...(keys.includes("") ? [`an entry of ${name} has no name`] : []), ...(twice ? [`${name} has ${twice} twice`] : []), ...[...made.rows].flatMap(({ control }) => control.problems())];
    },
  };
}
