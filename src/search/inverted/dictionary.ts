import { ANY_CHARACTERS, type InvertedKernel, MAX_FUZZY_WORD, ONE_CHARACTER, OPTIONAL_CHARACTER,
  Orders } from '../../kernels/inverted.ts';
import { foldDiacritics } from '../../text/folding.ts';
import { isShared } from '../../text/simplified.ts';

/** A form within an edit distance of a word. */
export interface FuzzyForm {
  readonly id: number;
  /** Insertions, deletions, substitutions and swaps of neighbours between the two, both without diacritics. */
  readonly distance: number;
}

/**
 * The forms of an index by their spelling. They are ordered by their keys, which are the forms without diacritics, so
 * patterns and distances ignore diacritics, too: `cafe*` finds `cafés`.
 */
export class Dictionary {
  readonly #kernel: InvertedKernel;

  constructor(kernel: InvertedKernel) {
    this.#kernel = kernel;
  }

  /** The form with exactly this spelling. */
  find(form: string): number | undefined {
    const { at, length } = this.#kernel.input(form);
    return this.#kernel.call.findForm(at, length) || undefined;
  }

  /** Forms that are equal to the given one except for diacritics, and for simplified characters. */
  sameKey(form: string): number[] {
    const { at, length } = this.#kernel.input(keyOf(form));
    const ids = [...this.#kernel.output(this.#kernel.call.collectKey(at, length))];
    return isShared(form) ? ids.filter((id) => this.text(id) === form) : ids;
  }

  /** Forms that start with the prefix, in order, at most `limit`. */
  prefix(prefix: string, limit: number): number[] {
    return this.#range(Orders.forward, keyOf(prefix), limit);
  }

  #range(order: number, affix: string, limit: number): number[] {
    const { at, length } = this.#kernel.input(affix);
    return Array.from(this.#kernel.output(this.#kernel.call.collectRange(order, at, length, limit)));
  }

  /**
   * Forms that match a pattern, in any order, at most `limit`. `*` matches any characters, and `?` one; a `?` at the
   * end matches one or none. Reads the forms with the same beginning as the pattern, or with the same end; if a pattern
   * starts and ends with a wildcard, it reads the forms whose signatures contain its literals, which are few for a
   * literal of three letters.
   */
  wildcard(pattern: string, limit: number): number[] {
    const folded = keyOf(pattern);
    const [prefix, suffix] = [/^[^*?]*/.exec(folded)![0], /[^*?]*$/.exec(folded)![0]];
    const backward = suffix.length > prefix.length;
    if (folded === `${prefix}*` || folded === `*${suffix}`)
      return this.#range(backward ? Orders.backward : Orders.forward, backward ? suffix : prefix, limit);
    const affix = Buffer.from(backward ? suffix : prefix);
    const wanted = [...folded.replace(/\*+/g, '*')];
    const inside = wanted.findLastIndex((c) => c !== '?');
    const codes = Uint32Array.from(wanted,
      (c,
        i) => (c === '*'
          ? ANY_CHARACTERS
          : c !== '?'
          ? c.codePointAt(0)!
          : i < inside
          ? ONE_CHARACTER
          : OPTIONAL_CHARACTER));
    const at = this.#kernel.write(0, Buffer.concat([new Uint8Array(codes.buffer), affix]));
    const found = this.#kernel.call.collectMatches(at, codes.length, at + codes.byteLength, affix.length,
      backward ? 1 : 0, limit);
    return Array.from(this.#kernel.output(found));
  }

  /**
   * Forms within `edits` (0 to 2) of a word; the word itself has distance 0. A word of more than 60 characters must
   * match exactly.
   */
  fuzzy(word: string, edits: number, limit: number): FuzzyForm[] {
    const codes = Uint32Array.from(keyOf(word), (c) => c.codePointAt(0)!);
    if (codes.length > MAX_FUZZY_WORD) return this.sameKey(word).map((id) => ({ id, distance: 0 }));
    if (edits === 0) return this.sameKey(word).slice(0, limit).map((id) => ({ id, distance: 0 }));
    // Either the first part has fewer edits than allowed, or the second part has none, and one character is between
    // them: see asm/inverted/fuzzy.ts.
    const first = Math.floor(codes.length / 2);
    const distances = new Map<number, number>();
    for (const { id, distance } of [...this.#fuzzyPart(codes, edits, first, edits - 1, false, limit),
      ...this.#fuzzyPart(codes, edits, Math.max(0, codes.length - 1 - first), 0, true, limit)])
    {
      distances.set(id, Math.min(distance, distances.get(id) ?? edits));
    }
    return [...distances].slice(0, limit).map(([id, distance]) => ({ id, distance }));
  }

  /**
   * Forms that begin with something within `edits` (1 or 2) of a word, at most `limit` in order; the first `kept`
   * characters must match. None for a word of more than 60 characters.
   */
  begunLike(word: string, edits: number, kept: number, limit: number): FuzzyForm[] {
    const codes = Uint32Array.from(keyOf(word), (c) => c.codePointAt(0)!);
    if (codes.length > MAX_FUZZY_WORD) return [];
    return this.#fuzzyPart(codes, edits, Math.min(kept, codes.length), 0, false, limit, true);
  }

  #fuzzyPart(codes: Uint32Array, edits: number, part: number, free: number, backward: boolean, limit: number,
    begins = false): FuzzyForm[]
  {
    const word = this.#kernel.inputNumbers(backward ? codes.toReversed() : codes);
    const found = this.#kernel.call.collectFuzzy(word, codes.length, edits, part, free, backward ? 1 : 0,
      begins ? 1 : 0, limit);
    const pairs = this.#kernel.output(found * 2);
    return Array.from({ length: found }, (_, i) => ({ id: pairs[2 * i]!, distance: pairs[2 * i + 1]! }));
  }

  text(id: number): string {
    return this.#kernel.text(this.#kernel.call.formBytes(id), this.#kernel.call.formLength(id));
  }

  /** Number of live documents that have a form, in any field or in one. */
  documents(id: number, field?: number): number {
    return field === undefined
      ? this.#kernel.call.liveDocuments(id)
      : this.#kernel.call.liveDocumentsInField(id, field);
  }

  /** Sets the key of a new form, if it differs from the form itself. */
  setKey(id: number, form: string): void {
    const key = keyOf(form);
    if (key === form) return;
    const { at, length } = this.#kernel.input(key);
    this.#kernel.call.setKey(id, at, length);
  }
}

/** A form without diacritics; a form that consists only of diacritics keeps them. */
export function keyOf(form: string): string {
  return foldDiacritics(form) || form;
}
