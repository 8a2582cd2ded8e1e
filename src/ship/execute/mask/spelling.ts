import { type Paths, pathsFrom, SPECIAL } from './paths.ts';

/** One way to write a character. */
export interface Way {
  readonly bytes: Buffer;
  /** The letters a to f after the first byte are hexadecimal digits, which may have either case. */
  readonly isHex: boolean;
}

export const way = (text: string): Way => ({ bytes: Buffer.from(text), isHex: false });
export const hexWay = (text: string): Way => ({ bytes: Buffer.from(text), isHex: true });

/** What may stand between two characters. */
export interface Gaps {
  readonly separators?: readonly string[];
  /** Ends of lines; the next line may be indented. None begins another one. */
  readonly breaks?: readonly string[];
}

const BLANK = 0x20;
/** Deeper indentation is so common that the search would have to look at it closely. */
const MAX_INDENT = 2;

/** All ways to write one character, as a tree of bytes; also each place in that tree. */
export class Spelling {
  readonly next = new Map<number, Spelling>();
  /** The character may end here. */
  complete = false;
  /** Number of this place in its tree; the root is 0. */
  readonly index: number;
  /** All places of the tree, by number. */
  readonly places: Spelling[];

  #shortest: number | undefined;
  #fromStart: Paths | undefined;
  #fromStartPlain: Paths | undefined;
  #fromAnywherePlain: Paths | undefined;

  constructor(places: Spelling[] = []) {
    this.index = places.push(this) - 1;
    this.places = places;
  }

  /** Each of `gaps` may stand before the character; nothing may stand there as well. */
  static of(ways: readonly Way[], { separators = [], breaks = [] }: Gaps = {}): Spelling {
    const root = new Spelling();
    for (const gap of ['', ...separators]) root.#add(ways, gap);
    if (breaks.length === 0) return root;
    const line = root.#indented(ways);
    for (const text of breaks) {
      const bytes = [...Buffer.from(text)];
      const last = bytes.pop()!;
      bytes.reduce((place, byte) => place.#follow(byte, false), root as Spelling).next.set(last, line);
    }
    return root;
  }

  /** Bytes of the shortest way. */
  shortest(): number {
    return (this.#shortest ??= this.complete
      ? 0
      : 1 + Math.min(...Array.from(this.next.values(), (place) => place.shortest())));
  }

  get fromStart(): Paths {
    return (this.#fromStart ??= pathsFrom([this]));
  }

  get fromStartPlain(): Paths {
    return (this.#fromStartPlain ??= pathsFrom([this], SPECIAL));
  }

  /** From each place of the tree, without special bytes. */
  get fromAnywherePlain(): Paths {
    return (this.#fromAnywherePlain ??= pathsFrom(this.places, SPECIAL));
  }

  #add(ways: readonly Way[], gap = ''): void {
    const start = [...Buffer.from(gap)].reduce((place, byte) => place.#follow(byte, false), this as Spelling);
    for (const { bytes, isHex } of ways)
      [...bytes].reduce((place, byte, index) => place.#follow(byte, isHex && index > 0), start).complete = true;
  }

  /** The beginning of a line: the character, after blanks. */
  #indented(ways: readonly Way[]): Spelling {
    const plain = new Spelling(this.places);
    plain.#add(ways);
    let line = plain;
    for (let blanks = 0; blanks < MAX_INDENT; blanks++) {
      const before = new Spelling(this.places);
      for (const [byte, next] of [...plain.next, [BLANK, line] as const]) before.next.set(byte, next);
      line = before;
    }
    return line;
  }

  #follow(byte: number, isHex: boolean): Spelling {
    const known = this.next.get(byte);
    if (known !== undefined) return known;
    const made = new Spelling(this.places);
    this.next.set(byte, made);
    const other = isHex ? otherCase(byte) : undefined;
    if (other !== undefined) this.next.set(other, made);
    return made;
  }
}

/** The same hexadecimal digit in the other case; undefined for anything but a letter from a to f. */
function otherCase(byte: number): number | undefined {
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? byte ^ 0x20 : undefined;
}
