import { secretPatterns } from './secret-patterns.ts';
import { SecretScan, SecretSearch } from './secret-search.ts';

const MASK = Buffer.from('***');
const NOTHING = Buffer.alloc(0);

/** A stream of bytes in which secrets are replaced. */
export interface MaskStream {
  /** Returns what can be shown now: everything except an end that may be the beginning of a secret. */
  push(chunk: Buffer): Buffer;
  /** Returns the rest. */
  end(): Buffer;
}

/** Replaces secrets by `***` (decisions, section 5, "Masking"). Overlapping secrets become one. */
export class Masker {
  /** Undefined if there are no secrets. */
  readonly #search: SecretSearch | undefined;

  /** `names`: names of secrets, which are never masked. */
  constructor(secrets: Iterable<string>, names: readonly string[] = []) {
    const patterns = secretPatterns(secrets, names);
    this.#search = patterns.length === 0 ? undefined : new SecretSearch(patterns);
  }

  text(text: string): string {
    if (this.#search === undefined) return text;
    const stream = this.stream();
    return Buffer.concat([stream.push(Buffer.from(text)), stream.end()]).toString();
  }

  stream(): MaskStream {
    return this.#search === undefined ? { push: (chunk) => chunk, end: () => NOTHING } : new Stream(this.#search);
  }
}

/** A part of the text to be replaced. */
interface Place {
  start: number;
  end: number;
  /** The mask for it has been returned. */
  shown: boolean;
}

class Stream implements MaskStream {
  readonly #scan: SecretScan;
  /** The end of the input that may be the beginning of a secret. It has been read. */
  #tail: Buffer = NOTHING;
  /** Places in the tail, in order; they do not overlap. */
  #places: Place[] = [];

  constructor(search: SecretSearch) {
    this.#scan = new SecretScan(search);
  }

  push(chunk: Buffer): Buffer {
    const text = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#scan.read(text, this.#tail.length, this.#found);
    return this.#show(text, this.#scan.unfinished ?? text.length);
  }

  end(): Buffer {
    return this.#show(this.#tail, this.#tail.length);
  }

  /**
   * A place takes in those that it overlaps: of the secrets "abcdef" and "defghi" nothing in "abcdefghi" may remain.
   */
  readonly #found = (start: number, end: number): void => {
    const place = { start, end, shown: false };
    for (let last = this.#places.at(-1); last !== undefined && last.end > start; last = this.#places.at(-1)) {
      place.start = Math.min(place.start, last.start);
      place.shown ||= last.shown;
      this.#places.pop();
    }
    this.#places.push(place);
  };

  /** Returns what comes before `keep`, and holds the rest back. */
  #show(text: Buffer, keep: number): Buffer {
    if (this.#places.length === 0 && this.#tail.length === 0 && keep === text.length) return text;
    const shown: Buffer[] = [];
    let from = 0;
    for (const place of this.#places) {
      if (place.start >= keep && !place.shown) break;
      if (place.start > from) shown.push(text.subarray(from, place.start));
      if (!place.shown) shown.push(MASK);
      place.shown = true;
      from = Math.min(place.end, keep);
    }
    if (from < keep) shown.push(text.subarray(from, keep));
    this.#places = this.#places.filter(({ end }) => end > keep).map(({ start, end, shown: isShown }) => ({
      start: Math.max(0, start - keep),
      end: end - keep,
      shown: isShown,
    }));
    this.#tail = keep === text.length ? NOTHING : Buffer.from(text.subarray(keep));
    this.#scan.cut(keep);
    return shown.length === 1 ? shown[0]! : Buffer.concat(shown);
  }
}
