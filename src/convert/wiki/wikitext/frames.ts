/** An argument of a template. */
export interface Argument {
  /** Absent where the argument has a number only. */
  readonly name?: string;
  readonly value: string;
}

/** A template or parameter whose end has not been seen yet. */
export class Frame {
  readonly braces: 2 | 3;
  readonly #parts: { text: string; equals: number }[] = [];
  #text = '';
  /** Where the first `=` of the part stands that is no part of something inside. */
  #equals = -1;
  /** Links that are open, whose `|` is theirs. */
  links = 0;

  constructor(braces: 2 | 3) {
    this.braces = braces;
  }

  add(text: string): void {
    this.#text += text;
  }

  equals(): void {
    if (this.#equals < 0) this.#equals = this.#text.length;
    this.#text += '=';
  }

  /** Ends a part; one without a limit to its parts would make many out of little. */
  divide(): void {
    if (this.#parts.length >= MAX_PARTS) {
      this.#text += '|';
      return;
    }
    this.#parts.push({ text: this.#text, equals: this.#equals });
    this.#text = '';
    this.#equals = -1;
  }

  /** What stands before the first `|`, and the arguments behind it. */
  finish(): { name: string; rest: Argument[] } {
    this.divide();
    const [first, ...rest] = this.#parts;
    return { name: first?.text ?? '', rest: rest.map(({ text, equals }) => (equals < 0 ? { value: text } : { name: text.slice(0, equals).trim(), value: text.slice(equals + 1).trim() })) };
  }

  /** As it was written, where it has no end. */
  literal(): string {
    return '{'.repeat(this.braces) + [...this.#parts.map(({ text }) => text), this.#text].join('|');
  }
}

const MAX_PARTS = 2000;
