import { escapeText } from './escape.ts';

/**
 * Finished parts that must not be read as wikitext again are stored separately and replaced by marks. Marks are made of
 * control characters, which XML does not allow and which `cleanText` removes.
 */
export class Marks {
  readonly #pieces: Piece[] = [];

  add(piece: Piece): string {
    this.#pieces.push(piece);
    return `${OPEN}${this.#pieces.length - 1}${CLOSE}`;
  }

  get(number: string): Piece | undefined {
    return this.#pieces[Number(number)];
  }

  /** A text whose marks are replaced by their content, as plain text. */
  plain(text: string): string {
    return text.includes(OPEN) ? text.replace(MARK, (_, number: string) => this.get(number)?.plain ?? '') : text;
  }
}

/** A finished part. */
interface Piece {
  /** `line` stands within text, `block` on its own, and `note` is a footnote. */
  readonly kind: 'line' | 'block' | 'note';
  readonly markdown: string;
  readonly plain: string;
  /** Number of the footnote. */
  readonly note?: number;
}

export const OPEN = '\u0001';
export const CLOSE = '\u0002';
/** A separate line that begins or ends a quotation. */
export const QUOTE = '\u0003';
export const UNQUOTE = '\u0004';
const MARK = /\u0001(\d+)\u0002/g;
/** A line that consists of a single mark. */
export const LONE_MARK = /^\s*\u0001(\d+)\u0002\s*$/;

/** Removes the characters of which marks are made, and unifies line ends. */
export function cleanText(text: string): string {
  return /[\u0000-\u0008\r]/.test(text) ? text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008]/g, '') : text;
}

/** The open formatting, the outermost first. */
type Style = '**' | '*' | '~~';

/**
 * Writes one line of markdown or plain text. Emphasis markers must touch their text, so spaces are moved outside, and
 * empty emphasis is left out.
 */
export class LineWriter {
  readonly isPlain: boolean;
  readonly #parts: string[] = [];
  readonly #open: Style[] = [];
  /** Markers that are written with the next text. */
  #waiting: Style[] = [];
  /** Text that is not escaped yet, because the meaning of a character depends on its neighbours. */
  #text = '';

  constructor(isPlain: boolean) {
    this.isPlain = isPlain;
  }

  text(text: string): void {
    this.#text += text;
  }

  /** A finished part. */
  markdown(text: string): void {
    this.#flush();
    this.#write(text);
  }

  #flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#write(this.isPlain ? text : escapeText(text));
  }

  #write(text: string): void {
    if (this.#waiting.length > 0) {
      const start = text.length - text.trimStart().length;
      if (start > 0) this.#parts.push(text.slice(0, start));
      if (start === text.length) return;
      this.#parts.push(this.#waiting.join(''), text.slice(start));
      this.#waiting = [];
    } else {
      this.#parts.push(text);
    }
  }

  toggle(style: Style): void {
    if (this.isPlain) return;
    this.#flush();
    const at = this.#open.indexOf(style);
    if (at < 0) {
      this.#open.push(style);
      this.#waiting.push(style);
      return;
    }
    // Formatting that was opened later continues afterwards.
    const inner = this.#open.splice(at).slice(1);
    for (const each of [...inner].reverse()) this.#close(each);
    this.#close(style);
    this.#open.push(...inner);
    this.#waiting.push(...inner);
  }

  set(style: Style, isOn: boolean): void {
    if (this.#open.includes(style) !== isOn) this.toggle(style);
  }

  has(style: Style): boolean {
    return this.#open.includes(style);
  }

  #close(style: Style): void {
    if (this.#waiting.length > 0 && this.#waiting.at(-1) === style) {
      this.#waiting.pop();
      return;
    }
    let space = '';
    for (;;) {
      const last = this.#parts.pop() ?? '';
      const kept = last.trimEnd();
      space = last.slice(kept.length) + space;
      if (kept === '' && this.#parts.length > 0) continue;
      this.#parts.push(kept);
      break;
    }
    this.#parts.push(style, space);
  }

  finish(): string {
    this.#flush();
    for (const style of [...this.#open].reverse()) this.#close(style);
    this.#open.length = 0;
    this.#waiting = [];
    return this.#parts.join('');
  }
}
