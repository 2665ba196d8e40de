/**
 * The utterance library of the character that orders go to, shared by all that need it: lines,
 * palette and fillers ask the server once. It is read again when the robot has read its files
 * again, when another character is chosen, and when a lost connection is back.
 */

const shared = new WeakMap();

/**
 * @typedef {object} Line
 * @property {string} id
 * @property {string|null} category
 * @property {string|null} subcategory
 * @property {string} text - with its markup, as written
 * @property {string} shown - the words
 * @property {boolean} question
 * @property {string[]} tags
 * @property {Object<string, string>} metadata
 * @property {string} place - file, sheet and row
 */

class Library {
  /** `loading`, `ready` or `failed`. */ status = "loading";
  /** Why there are no lines, in one sentence. */ why = "";
  name = "";
  /** @type {string[]} */ files = [];
  /** @type {Line[]} */ lines = [];
  /** @type {{name: string, subcategories: string[]}[]} */ categories = [];
  /** How often each line was used, by id. @type {Map<string, number>} */ uses = new Map();
  users = 0;
  #desk;
  #listeners = new Set();
  #ends = [];
  #turn = 0;
  #character = null;

  constructor(desk) {
    this.#desk = desk;
    let lost = false;
    this.#ends = [
      desk.on("character", () => this.read()),
      desk.sera.on("LibraryLoaded", (loaded, { character }) => {
        if (character === desk.character && loaded.replaced !== false) this.read();
      }),
      desk.sera.on("UtteranceStarted", (started, { character }) => {
        // While an answer is under way the server counts for us.
        if (character !== desk.character || !started.line || this.status !== "ready") return;
        this.uses.set(started.line, (this.uses.get(started.line) ?? 0) + 1);
        this.#tell("uses");
      }),
      desk.sera.onStatus((status) => {
        if (status === "connected" && lost) this.read();
        lost = status !== "connected";
      }),
    ];
    this.read();
  }

  /** Ask the server for everything. */
  async read() {
    const turn = ++this.#turn;
    const { character } = this.#desk;
    this.status = "loading";
    const another = character !== this.#character;
    if (another) {
      // The lines of one robot are never offered for another.
      this.#character = character;
      this.lines = [];
      this.categories = [];
      this.uses = new Map();
    }
    this.#tell(another ? "lines" : "status");
    try {
      if (!character) throw new Error("this run has no character");
      const found = await this.#desk.ask(`library?character=${encodeURIComponent(character)}`);
      if (turn !== this.#turn) return;
      this.name = found.library ?? "";
      this.files = found.files ?? [];
      this.lines = found.lines ?? [];
      this.categories = found.categories ?? [];
      this.uses = new Map(Object.entries(found.uses ?? {}));
      this.status = "ready";
      this.why = "";
    } catch (error) {
      if (turn !== this.#turn) return;
      this.lines = [];
      this.categories = [];
      this.status = "failed";
      this.why = error.message;
    }
    this.#tell("lines");
  }

  /** Called with `lines` (all is new), `uses` or `status`; returns a function that ends it. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Nobody looks at it any longer. */
  end() {
    this.#turn++;
    for (const end of this.#ends) end();
    this.#listeners.clear();
  }

  #tell(what) {
    for (const listener of [...this.#listeners]) listener(what);
  }
}

/**
 * The library of the desk's character; call `close` when done with it.
 * @returns {{library: Library, close: () => void}}
 */
export function openLibrary(desk) {
  const library = shared.get(desk) ?? new Library(desk);
  shared.set(desk, library);
  library.users++;
  let open = true;
  return {
    library,
    close() {
      if (!open) return;
      open = false;
      if (--library.users) return;
      library.end();
      shared.delete(desk);
    },
  };
}
