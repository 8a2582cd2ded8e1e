import { seeded } from '../support/corpus.ts';

/** A query with one word misspelt by one edit. */
export interface Misspelt {
  readonly right: string;
  readonly wrong: string;
}

/** Words that are misspelt: shorter ones must be correct for `fuzzy: auto`. */
const WORD = /[a-z]{4,}/gi;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const SEED = 17;

/**
 * The queries that have a word to misspell, each with one letter deleted, inserted or replaced at a random position of
 * the word. Identical on each call.
 */
export function misspell(queries: readonly string[]): Misspelt[] {
  const random = seeded(SEED);
  const pick = (below: number): number => Math.floor(random() * below);
  return queries.flatMap((right) => {
    const words = [...right.matchAll(WORD)];
    if (words.length === 0) return [];
    const word = words[pick(words.length)]!;
    const at = word.index + pick(word[0].length);
    const other = LETTERS[pick(LETTERS.length)]!;
    const edited = [right.slice(0, at) + right.slice(at + 1), right.slice(0, at) + other + right.slice(at),
      right.slice(0, at) + other + right.slice(at + 1)][pick(3)]!;
    return edited.toLowerCase() === right.toLowerCase() ? [] : [{ right, wrong: edited }];
  });
}

/** A query whose first word of four letters or more has its first two letters swapped, as one types in haste. */
export function swapped(query: string): string {
  return query.replace(/\b([a-z])([a-z])(?=[a-z]{2})/i, '$2$1');
}
