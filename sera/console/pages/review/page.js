/** The page review. */

import { empty } from "../lib/dom.js";

export async function open(root, desk) {
  root.replaceChildren(empty("This page is being built."));
}
