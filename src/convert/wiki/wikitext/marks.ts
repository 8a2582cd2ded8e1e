/**
 * What is not to be read as wikitext again, put aside: a mark stands for it. Marks are made of control characters, which XML
 * does not allow and `cleanText` removes.
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

  /** A text whose marks are what they stand for, as plain text. */
  plain(text: string): string {
    return text.includes(OPEN) ? text.replace(MARK, (_, number: string) => this.get(number)?.plain ?? '') : text;
  }
}

/** Something finished. */
export interface Piece {
  /** `line` stands within text, `block` alone, `note` for a footnote. */
  readonly kind: 'line' | 'block' | 'note';
  readonly markdown: string;
  readonly plain: string;
  /** Of the footnote. */
  readonly note?: number;
}

export const OPEN = '\u0001';
export const CLOSE = '\u0002';
/** A line of its own that begins or ends a quotation. */
export const QUOTE = '\u0003';
export const UNQUOTE = '\u0004';
const MARK = /\u0001(\d+)\u0002/g;
/** A line that is nothing but a mark. */
export const LONE_MARK = /^\s*\u0001(\d+)\u0002\s*$/;

/** Without the characters that marks are made of, and with one kind of line ends. */
export function cleanText(text: string): string {
  return /[\u0000-\u0008\r]/.test(text) ? text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008]/g, '') : text;
}
