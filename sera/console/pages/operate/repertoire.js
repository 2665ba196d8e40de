/** What the character can do and look at, asked once for each character. */

const NOTHING = { postures: [], animations: [], faces: [], gaze_policies: [], targets: [], verbs: [], languages: [] };
const known = new WeakMap();

/**
 * The repertoire of the desk's character; an empty one where the server does not know it.
 * @returns {Promise<typeof NOTHING>}
 */
export async function readRepertoire(desk, { fresh = false } = {}) {
  const { character } = desk;
  const asked = known.get(desk) ?? new Map();
  known.set(desk, asked);
  if (fresh || !asked.has(character)) {
    asked.set(character, desk.ask(`repertoire?character=${encodeURIComponent(character ?? "")}`).then(
      (found) => ({ ...NOTHING, ...found }),
      () => {
        asked.delete(character);
        return NOTHING;
      }));
  }
  return asked.get(character);
}
