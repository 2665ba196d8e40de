/** How often each line was said: what the server remembers, and what is said while the page is open. */

export class Uses {
  /** False until the server has told. */ known = false;
  /** Why it is not known. */ why = "how often lines were said is not known yet";
  #counts = new Map();
  #desk;
  #off;
  #turn = 0;
  #changed;

  /** @param {any} desk @param {() => void} changed */
  constructor(desk, changed) {
    this.#desk = desk;
    this.#changed = changed;
    this.#off = desk.sera.on("UtteranceStarted", ({ line }, { character }) => {
      if (!line || character !== desk.character) return;
      this.#counts.set(line, (this.#counts.get(line) ?? 0) + 1);
      changed();
    });
  }

  /** Ask again, such as for another character. */
  async load() {
    const turn = ++this.#turn;
    try {
      const { uses } = await this.#desk.ask(`library?character=${encodeURIComponent(this.#desk.character ?? "")}`);
      if (turn !== this.#turn) return;
      this.#counts = new Map(Object.entries(uses ?? {}));
      this.known = true;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.known = false;
      this.why = `how often lines were said is not known: ${error.message}`;
    }
    this.#changed();
  }

  /** How often a row was said. */
  of(row) { return this.#counts.get(row.id) ?? 0; }

  close() {
    this.#turn++;
    this.#off();
  }
}
