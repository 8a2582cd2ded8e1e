/** An argument of a template. */
export interface Argument {
  /** Absent if the argument has only a number. */
  readonly name?: string;
  readonly value: string;
}

/** A template or parameter whose end has not been reached yet. */
export class Frame {
  readonly braces: 2 | 3;
  readonly #parts: { text: string; equals: number }[] = [];
  #text = '';
  /** Position of the first `=` of the part that is not inside a nested construct. */
  #equals = -1;
  /** Number of open links; a `|` within them belongs to them. */
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

  /** Ends a part. Their number is limited, so that a short input cannot produce many. */
  divide(): void {
    if (this.#parts.length >= MAX_PARTS) {
      this.#text += '|';
      return;
    }
    this.#parts.push({ text: this.#text, equals: this.#equals });
    this.#text = '';
    this.#equals = -1;
  }

  /** The text before the first `|`, and the arguments after it. */
  finish(): { name: string; rest: Argument[] } {
    this.divide();
    const [first, ...rest] = this.#parts;
    return {
      name: first?.text ?? '',
      rest: rest.map((
        { text, equals },
      ) => (equals < 0
        ? { value: text }
        : { name: text.slice(0, equals).trim(), value: text.slice(equals + 1).trim() })
      ),
    };
  }

  /** The original text, if it has no end. */
  literal(): string {
    return '{'.repeat(this.braces) + [...this.#parts.map(({ text }) => text), this.#text].join('|');
  }
}

const MAX_PARTS = 2000;

/** The arguments of a template by name and by number. */
export class Fields {
  /** Arguments without a name, as written; those whose name is a number are included. */
  readonly positional: string[] = [];
  readonly named = new Map<string, string>();

  constructor(given: readonly Argument[]) {
    for (const { name, value } of given) {
      if (name === undefined) this.positional.push(value);
      else if (/^[1-9]\d?$/.test(name)) this.positional[Number(name) - 1] = value;
      else this.named.set(name.toLowerCase(), value);
    }
    for (let i = 0; i < this.positional.length; i++) this.positional[i] ??= '';
  }

  /** The positional argument with a number from 0, trimmed. */
  at(number: number): string {
    return (this.positional[number] ?? '').trim();
  }

  /** The first of some named arguments that is not empty. */
  first(...names: readonly string[]): string {
    for (const name of names) {
      const value = this.named.get(name)?.trim() ?? '';
      if (value !== '') return value;
    }
    return '';
  }

  all(...names: readonly string[]): string[] {
    return names.map((name) => this.first(name)).filter((value) => value !== '');
  }
}
