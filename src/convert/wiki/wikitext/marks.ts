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
export interface Piece {
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
