const MAX_NESTED = 30;

/** An argument of a switch of EQ: its text, and whether it is set above or below the line. */
interface Part {
  readonly text: string;
  readonly raised: boolean;
}

/**
 * The text of an EQ field (ECMA-376 part 1, section 17.16.5.17) after its name. Word writes ruby with it: of texts that
 * are set over each other, such as `\o\ad(\s\up 9(とう),東)`, those that are raised are left out.
 */
export function eqText(source: string): string {
  const reader = new EqReader(source);
  let text = '';
  // A bracket that nothing opened is text.
  while (!reader.ended) text += reader.part(0).text + reader.skip();
  return text.trim();
}

class EqReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get ended(): boolean {
    return this.#at >= this.#source.length;
  }

  skip(): string {
    return this.#source[this.#at++] ?? '';
  }

  /** Text and switches up to a comma or bracket. */
  part(depth: number): Part {
    let text = '';
    let raised = false;
    while (!this.ended) {
      const character = this.#source[this.#at]!;
      if (depth > 0 && /[,;()]/.test(character)) break;
      if (character !== '\\') text += this.skip();
      else {
        this.#at += 1;
        const name = this.#word();
        if (name === '') text += this.skip();
        else if (name === '*') this.#formatting();
        else {
          const value = this.#switched(name, depth);
          raised ||= text.trim() === '' && value.raised;
          text += value.text;
        }
      }
    }
    return { text, raised };
  }

  #word(): string {
    const found = /^(?:[a-z]{1,2}|\*)/i.exec(this.#source.slice(this.#at, this.#at + 2))?.[0] ?? '';
    this.#at += found.length;
    return found.toLowerCase();
  }

  /** `\* jc2` and `\* "Font:..."` say how ruby looks. */
  #formatting(): void {
    this.#at += /^\s*(?:"[^"]*"|\S+)/.exec(this.#source.slice(this.#at, this.#at + 200))?.[0].length ?? 0;
  }

  /** A switch with its options, and what its arguments become. */
  #switched(name: string, depth: number): Part {
    const options =
      /^(?:\s|\d|-|\\(?:[a-z]{2}\\[^a-z]|[a-z]{1,2}))*/i.exec(this.#source.slice(this.#at, this.#at + 100))![0];
    this.#at += options.length;
    if (this.#source[this.#at] !== '(' || depth >= MAX_NESTED) return { text: '', raised: false };
    const parts: Part[] = [];
    do {
      this.#at += 1;
      parts.push(this.part(depth + 1));
    } while (/[,;]/.test(this.#source[this.#at] ?? ''));
    if (this.#source[this.#at] === ')') this.#at += 1;
    const texts = parts.map(({ text }) => text.trim());
    switch (name) {
      case 'f':
        return { text: texts.join('/'), raised: false };
      case 'r':
        return { text: `√(${texts.at(-1)})`, raised: false };
      case 'b':
        return { text: `(${texts.join(', ')})`, raised: false };
      case 's':
        return { text: texts.join(' '), raised: true };
      case 'o': {
        const base = parts.filter(({ raised }) => !raised);
        return { text: (base.length === 0 ? parts : base).map(({ text }) => text).join(''), raised: false };
      }
      default:
        return { text: texts.filter((text) => text !== '').join(', '), raised: false };
    }
  }
}
