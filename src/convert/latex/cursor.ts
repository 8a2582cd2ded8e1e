/** A bracket that is not closed within this many characters is plain text. */
const MAX_OPTION = 10_000;

/** A position in LaTeX source, with methods that read the arguments of macros. */
export class Cursor {
  readonly text: string;
  at = 0;
  /**
   * The positions from which on a text does not occur: without them, each of many beginnings that do not end would be
   * searched to the end of the file.
   */
  readonly #missing = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** Matches a sticky expression at this position and moves past the match. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text);
    if (match === null) return undefined;
    this.at = expression.lastIndex;
    return match[0];
  }

  /** Skips white space and comments, but not the end of a paragraph. */
  skipBlank(): void {
    for (;;) {
      this.take(/[ \t]*/y);
      const line = this.text[this.at] === '\n' ? this.at : -1;
      if (line >= 0) this.take(/\n[ \t]*/y);
      if (line >= 0 && this.text[this.at] === '\n') {
        this.at = line;
        return;
      }
      if (this.text[this.at] !== '%') return;
      this.skipComment();
    }
  }

  /** Skips a comment, its line end and the white space at the beginning of the next line. */
  skipComment(): void {
    this.take(/%[^\n]*(?:\n[ \t]*)?/y);
  }

  /** Whether an asterisk follows; if so, moves past it. */
  star(): boolean {
    return this.take(/\*/y) !== undefined;
  }

  /** The source between brackets, or undefined if none follow. */
  optional(): string | undefined {
    const start = this.at;
    this.take(/[ \t]*\n?[ \t]*/y);
    if (this.text[this.at] !== '[') {
      this.at = start;
      return undefined;
    }
    const end = this.#closing(this.at + 1, ']', MAX_OPTION);
    if (end < 0) {
      this.at = start;
      return undefined;
    }
    const content = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return content;
  }

  /** The source of an argument: a group without its braces, a macro, or one character; '' at the end. */
  argument(): string {
    this.skipBlank();
    const first = this.text[this.at];
    if (first === undefined || first === '}') return '';
    if (first === '{') {
      const end = this.#closing(this.at + 1, '}');
      const content = this.text.slice(this.at + 1, end < 0 ? undefined : end);
      this.at = end < 0 ? this.text.length : end + 1;
      return content;
    }
    if (first === '\\') return this.take(/\\(?:[a-zA-Z@]+|[^])?/y)!;
    const character = String.fromCodePoint(this.text.codePointAt(this.at)!);
    this.at += character.length;
    return character;
  }

  /** Position of a closing character outside groups, from an offset on; -1 if it is missing. */
  #closing(from: number, close: string, most = Infinity): number {
    let depth = 0;
    const end = Math.min(this.text.length, from + most);
    for (let at = from; at < end; at += 1) {
      const character = this.text[at]!;
      if (character === '\\') at += 1;
      else if (character === '%') {
        const line = this.text.indexOf('\n', at);
        if (line < 0) return -1;
        at = line;
      } else if (depth === 0 && character === close) return at;
      else if (character === '{') depth += 1;
      else if (character === '}') {
        if (depth === 0) return -1;
        depth -= 1;
      }
    }
    return -1;
  }

  /**
   * Returns the source up to a given text and moves past that text; if it does not occur, returns undefined and does
   * not move.
   */
  until(end: string): string | undefined {
    const found = this.at >= (this.#missing.get(end) ?? Infinity) ? -1 : this.text.indexOf(end, this.at);
    if (found < 0) {
      this.#missing.set(end, Math.min(this.at, this.#missing.get(end) ?? Infinity));
      return undefined;
    }
    const content = this.text.slice(this.at, found);
    this.at = found + end.length;
    return content;
  }

  /** The source up to a given text, or all the rest, without moving. */
  following(end: string): string {
    const at = this.at;
    const content = this.until(end);
    this.at = at;
    return content ?? this.text.slice(at);
  }

  /** The source of an environment up to its own end, after its beginning was read; all the rest if it does not end. */
  environment(name: string): string {
    const begin = `\\begin{${name}}`;
    const end = `\\end{${name}}`;
    let depth = 1;
    let from = this.at;
    for (;;) {
      const close = this.text.indexOf(end, from);
      if (close < 0) {
        const rest = this.text.slice(this.at);
        this.at = this.text.length;
        return rest;
      }
      for (let open = this.text.indexOf(begin, from); open >= 0 && open < close;
        open = this.text.indexOf(begin, open + 1)) depth += 1;
      depth -= 1;
      from = close + end.length;
      if (depth > 0) continue;
      const content = this.text.slice(this.at, close);
      this.at = from;
      return content;
    }
  }
}
