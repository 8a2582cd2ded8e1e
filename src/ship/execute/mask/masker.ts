import { PatternSearch } from './pattern-search.ts';
import { secretForms } from './secret-forms.ts';

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
  readonly #search: PatternSearch;

  constructor(secrets: Iterable<string>) {
    this.#search = new PatternSearch(secretForms(secrets));
  }

  text(text: string): string {
    if (this.#search.maxLength === 0) return text;
    const stream = this.stream();
    const bytes = Buffer.from(text);
    return Buffer.concat([stream.push(bytes), stream.end()]).toString();
  }

  stream(): MaskStream {
    return this.#search.maxLength === 0 ? { push: (chunk) => chunk, end: () => NOTHING } : new Stream(this.#search);
  }
}

class Stream implements MaskStream {
  readonly #search: PatternSearch;
  /** The end of the input that may be the beginning of a secret. */
  #tail: Buffer = NOTHING;
  /** This many bytes of the tail belong to a secret that has already been replaced. */
  #masked = 0;

  constructor(search: PatternSearch) {
    this.#search = search;
  }

  push(chunk: Buffer): Buffer {
    const text = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    return this.#show(text, this.#search.unfinished(text));
  }

  end(): Buffer {
    return this.#show(this.#tail, this.#tail.length);
  }

  /**
   * Finds every position where a secret begins, also within other secrets: of the secrets "abcdef" and "defghi" nothing in "abcdefghi" may remain.
   * `keep`: the text from this position on is held back.
   */
  #show(text: Buffer, keep: number): Buffer {
    const shown: Buffer[] = [];
    let masked = this.#masked;
    for (let found = this.#search.find(text, 0); found !== undefined; found = this.#search.find(text, found.start + 1)) {
      if (found.start >= masked) {
        if (found.start >= keep) break; // found again when the bytes before it are complete
        shown.push(text.subarray(masked, found.start), MASK);
        masked = found.end;
      }
      masked = Math.max(masked, found.end);
    }
    if (masked < keep) shown.push(text.subarray(masked, keep));
    this.#masked = Math.max(0, masked - keep);
    this.#tail = keep === text.length && this.#masked === 0 ? NOTHING : Buffer.from(text.subarray(keep));
    return shown.length === 1 ? shown[0]! : Buffer.concat(shown);
  }
}
