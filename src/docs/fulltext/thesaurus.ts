import { ServiceError } from '../../errors/index.ts';
import { formsOf } from '../../text/tokenize.ts';

interface Entry {
  readonly synonyms: readonly string[];
  /** Forms are kept beside the words, so that a change of one entry tokenizes no other. */
  readonly form: string;
  readonly synonymForms: readonly string[];
}

/** The synonyms of one collection, in memory. */
export class Thesaurus {
  readonly #entries = new Map<string, Entry>();
  /** By form, in both directions; undefined from a change to the next query. */
  #neighbours: Map<string, Set<string>> | undefined;
  #lookup: ((term: string) => string[]) | undefined;

  /** `undefined` removes. Both terms are normalized. */
  set(term: string, synonyms: readonly string[] | undefined): void {
    if (synonyms === undefined) this.#entries.delete(term);
    else this.#entries.set(term, { synonyms, form: toForm(term), synonymForms: synonyms.map(toForm) });
    this.#neighbours = undefined;
    this.#lookup = undefined;
  }

  /** `neighbours` as a function; each change creates a new function. */
  get lookup(): (term: string) => string[] {
    return this.#lookup ??= (term) => this.neighbours(term);
  }

  /** Terms with their synonyms in the order in which they were added. */
  entries(): [term: string, synonyms: string[]][] {
    return [...this.#entries].map(([term, { synonyms }]) => [term, [...synonyms]]);
  }

  /**
   * Other forms for a query term: its synonyms and the terms that it is a synonym of, but not the synonyms of those
   * (both directions, one step).
   */
  neighbours(term: string): string[] {
    this.#neighbours ??= bothWays(this.#entries.values());
    return [...(this.#neighbours.get(toForm(term)) ?? [])];
  }
}

function bothWays(entries: Iterable<Entry>): Map<string, Set<string>> {
  const neighbours = new Map<string, Set<string>>();
  const link = (from: string, to: string): void => {
    const known = neighbours.get(from);
    if (known === undefined) neighbours.set(from, new Set([to]));
    else known.add(to);
  };
  for (const { form, synonymForms } of entries) {
    for (const other of synonymForms.filter((synonym) => synonym !== form)) {
      link(form, other);
      link(other, form);
    }
  }
  return neighbours;
}

/** A word or phrase of a dictionary as it is stored and shown: one text for all its Unicode representations. */
export function normalizeWord(word: string): string {
  return word.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** The indexed form of a word, or several forms with spaces between them; empty when it has no letter and no digit. */
export function toForm(word: string): string {
  return formsOf(word).join(' ');
}

/** Throws `invalid_argument` for a word that no text can contain. `field` names it in the message. */
export function requireToken(word: string, field: string): void {
  if (toForm(word) === '') throw new ServiceError('invalid_argument', `${field} must contain a letter or a digit`);
}
