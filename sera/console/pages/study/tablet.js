/** The participant's tablet: where it finds its page, whether it is there, and what it shows. */

import { h } from "../lib/dom.js";

const PATH = "/console/tablet.html";
const LOOK_MS = 3000;

/** @returns {{update: () => void, close: () => void}} */
export function showTablet(root, desk, now, form) {
  const there = h("p", { role: "status" });
  const shows = h("p", {});
  const link = h("div", { class: "stack" });
  root.append(there, shows, link);
  const titles = new Map();
  let closed = false;
  let picture = null;
  let tablets = null;

  const look = async () => {
    tablets = await desk.ask("study/tablets").then((told) => told.tablets, () => null);
    const words = tablets === null ? "It is not known whether a tablet is connected." : tablets === 0 ? "No tablet is connected." : tablets === 1 ? "A tablet is connected." : `${tablets} tablets are connected.`;
    if (closed || there.dataset.words === words) return;
    there.dataset.words = words;
    there.replaceChildren(h("span", { class: "dot", data: { kind: tablets ? "good" : "warn" }, "aria-hidden": "true" }), ` ${words}`);
  };
  const timer = setInterval(look, LOOK_MS);
  look();

  const titleOf = async (name) => {
    if (!titles.has(name)) titles.set(name, (await desk.ask(`forms/${encodeURIComponent(name)}`).catch(() => ({ title: name }))).title);
    return titles.get(name);
  };
  const update = async () => {
    const { running, formAnswered } = now();
    const offered = form()?.questionnaire;
    if (!offered) {
      shows.textContent = running && formAnswered ? "The form was handed in; the tablet asks to wait." : "No form is offered; the tablet asks to wait.";
      return;
    }
    const title = await titleOf(offered);
    if (!closed && form()?.questionnaire === offered) shows.textContent = `Form offered: ${title}${form().language ? ` (${form().language})` : ""}`;
  };

  const showLink = async () => {
    if (!desk.isWizard) {
      link.replaceChildren(h("p", { class: "quietly" }, "The link for the tablet is on the wizard's page."));
      return;
    }
    const query = new URLSearchParams({ role: "participant", path: PATH });
    const told = await desk.ask(`link?${query}`).catch(() => null);
    const url = told?.url ?? new URL(`${PATH}?role=participant`, location.href).href;
    const parts = [h("p", { class: "quietly" }, "Open this on the tablet:"), h("a", { href: url, target: "_blank", rel: "noopener" }, url)];
    if (told && !told.other_devices) {
      parts.push(h("p", { class: "quietly" }, "This address works on this computer only. For another device write ", h("code", {}, 'host = "0.0.0.0"'), " under ", h("code", {}, "[modules.gateway]"), "."));
    }
    // A code is for other devices, where this address must lead somewhere.
    const drawn = told?.other_devices ? await desk.ask(`qr?${query}`, { raw: true }).then((answer) => answer.blob(), () => null) : null;
    if (closed) return;
    if (drawn?.type.startsWith("image/svg")) {
      picture = URL.createObjectURL(drawn);
      parts.push(h("img", { class: "qr", src: picture, alt: "The tablet's address as a code to scan" }));
    }
    link.replaceChildren(...parts);
  };
  showLink();

  return {
    update,
    close() {
      closed = true;
      clearInterval(timer);
      if (picture) URL.revokeObjectURL(picture);
    },
  };
}
