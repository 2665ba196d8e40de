/** Review: looks back at recordings. `#/review` lists them, `#/review?run=NAME` opens one. */

import { showList } from "./list.js";
import { showRecording } from "./recording.js";

/** Open the page; returns a function that closes it. */
export async function open(root, desk) {
  const asked = new URLSearchParams(location.hash.split("?")[1] ?? "");
  const name = asked.get("run");
  return name ? showRecording(root, desk, name) : showList(root, desk);
}
