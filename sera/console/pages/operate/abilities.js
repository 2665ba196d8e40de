/** What the selected character can do, asked once for each character. */

const NOTHING = { postures: [], animations: [], faces: [], gaze_policies: [], targets: [], emotions: [] };

/**
 * Follow what the selected character can do.
 *
 * @param {import("../lib/desk.js").Desk} desk
 * @param {(able: typeof NOTHING, problem: string|null) => void} told - at once, and after every change of character
 * @returns {() => void} ends it
 */
export function followAbilities(desk, told) {
  let ended = false;
  const ask = async () => {
    const { character } = desk;
    if (!character) return told(NOTHING, null);
    try {
      const answer = await abilitiesOf(desk, character);
      if (!ended && character === desk.character) told({ ...NOTHING, ...answer }, null);
    } catch (error) {
      if (!ended && character === desk.character) told(NOTHING, error.message);
    }
    return undefined;
  };
  ask();
  const off = desk.on("character", ask);
  return () => {
    ended = true;
    off();
  };
}

const asked = new WeakMap();

function abilitiesOf(desk, character) {
  const known = asked.get(desk) ?? new Map();
  asked.set(desk, known);
  if (!known.has(character)) {
    const answer = desk.ask(`repertoire?character=${encodeURIComponent(character)}`);
    known.set(character, answer);
    answer.catch(() => known.delete(character)); // asked again the next time
  }
  return known.get(character);
}
