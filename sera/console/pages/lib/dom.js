/**
 * Making elements. Text goes in as text, never as markup: file names, lines and messages come from
 * other people.
 */

/**
 * Make an element: `h("button", { class: "primary", onclick: go, "aria-label": "Go" }, "Go")`.
 *
 * Properties that begin with `on` are listeners, `data` and `style` take objects, `hidden`,
 * `value`, `checked` and `disabled` are set as properties, everything else is an attribute; null,
 * undefined and false leave it out.
 *
 * @param {string} tag
 * @param {Object<string, any>} [properties]
 * @param {...(Node|string|number|null|undefined|false|Array<any>)} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(made, name, value);
  made.append(...flat(children));
  return made;
}

/** The same for drawings. */
export function svg(tag, properties = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) set(made, name, value);
  made.append(...flat(children));
  return made;
}

const AS_PROPERTY = new Set(["value", "checked", "disabled", "hidden", "indeterminate", "selected", "tabIndex"]);

function set(made, name, value) {
  if (name.startsWith("on")) made.addEventListener(name.slice(2).toLowerCase(), value);
  else if (name === "data") Object.assign(made.dataset, value);
  else if (name === "style") for (const [key, one] of Object.entries(value)) made.style.setProperty(key, one);
  else if (AS_PROPERTY.has(name)) made[name] = value;
  else if (value === true) made.setAttribute(name, "");
  else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
}

function flat(children) {
  return children.flat(3).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * Show a list so that elements stay in place: focus and scrolling survive a change.
 *
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => any} make - makes the element of a new item
 * @param {(element: any, item: T) => void} [update] - brings an element up to date, also a new one
 */
export function keyed(parent, items, keyOf, make, update = () => {}) {
  const known = new Map([...parent.children].map((child) => [child.__key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = known.get(key);
    known.delete(key);
    if (!element) {
      element = make(item);
      element.__key = key;
    }
    update(element, item);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const gone of known.values()) gone.remove();
}

/** A panel with a heading: `panel("Queue", { class: "queue" }, tools, ...content)`. */
let headings = 0;
export function panel(title, properties = {}, tools = [], ...content) {
  const id = `heading-${++headings}`;
  const shown = h("section", { ...properties, class: `panel ${properties.class ?? ""}`, "aria-labelledby": id },
    h("header", {}, h("h2", { id }, title), tools), ...content);
  return shown;
}

/** A labelled field: `field("Name", input)`. */
export function field(label, control) {
  return h("label", { class: "field" }, h("span", {}, label), control);
}

/** What stands where there is nothing yet: says what to do next. */
export function empty(...words) {
  return h("p", { class: "empty" }, ...words);
}

/** How a key is shown: `kbd("Ctrl+K")`. */
export function kbd(key) {
  return h("kbd", {}, key.replaceAll("+", " "));
}

/** Call a function at most once a frame, however often it is asked for. */
export function eachFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
