// What the page says, by language. Names of places and players come from the game.
const WORDS = {
  en: {
    title: "The dark town",
    connecting: "connecting …",
    lost: "The connection is lost; it is being restored …",
    waiting: "Light up the town: read the map together.",
    begin: "Begin",
    round: (number, of) => `Way ${number} of ${of}`,
    turn: "It is the turn of",
    start: (place) => `Start: ${place}`,
    steps: (count) => (count === 1 ? "1 step" : `${count} steps`),
    right: "Light!",
    wrong: "Not here.",
    shown: (place) => `It was here: ${place}.`,
    finished: (lit, of) => `${lit} of ${of} places are lit.`,
    directions: {
      north: "north", "north-east": "north-east", east: "east", "south-east": "south-east",
      south: "south", "south-west": "south-west", west: "west", "north-west": "north-west",
    },
    compass: ["N", "E", "S", "W"],
  },
  pt: {
    title: "A vila às escuras",
    connecting: "a ligar …",
    lost: "A ligação perdeu-se; está a ser reposta …",
    waiting: "Iluminem a vila: leiam o mapa juntos.",
    begin: "Começar",
    round: (number, of) => `Caminho ${number} de ${of}`,
    turn: "É a vez de",
    start: (place) => `Partida: ${place}`,
    steps: (count) => (count === 1 ? "1 passo" : `${count} passos`),
    right: "Luz!",
    wrong: "Aqui não.",
    shown: (place) => `Era aqui: ${place}.`,
    finished: (lit, of) => `${lit} de ${of} lugares iluminados.`,
    directions: {
      north: "norte", "north-east": "nordeste", east: "este", "south-east": "sudeste",
      south: "sul", "south-west": "sudoeste", west: "oeste", "north-west": "noroeste",
    },
    compass: ["N", "E", "S", "O"],
  },
};

export function wordsFor(language) {
  return WORDS[(language ?? "en").split("-")[0]] ?? WORDS.en;
}
