// What the pages say themselves, beside what the game tells them to show; in the game's language.
const WORDS = {
  en: {
    sound: "Sound", found: "Notes found", piano: "Piano", title: "Floor piano",
    help: "Touch a key, or press the small letter on it.", screen: "The screen is on the page ",
    key: (name, letter) => `${name}, key ${letter}`,
    connecting: "connecting …", lost: "connection lost; waiting …",
  },
  pt: {
    sound: "Som", found: "Notas descobertas", piano: "Piano", title: "Piano de chão",
    help: "Toca numa tecla, ou carrega na letra pequena que está nela.", screen: "O ecrã está na página ",
    key: (name, letter) => `${name}, tecla ${letter}`,
    connecting: "a ligar …", lost: "a ligação perdeu-se; à espera …",
  },
};

/** @param {unknown} language tag, such as `pt`; English where the pages do not speak it */
export const wordsFor = (language) => (Object.hasOwn(WORDS, language) ? WORDS[language] : WORDS.en);

/** What is to be said of the connection; nothing while it stands. @param {string} status */
export function connectionWords(status, words) {
  if (status === "connected") return "";
  return status === "connecting" ? words.connecting : words.lost;
}
