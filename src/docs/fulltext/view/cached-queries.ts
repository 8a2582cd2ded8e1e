import type { InvertedIndex, Query, Reranking } from '../../../search/inverted/index.ts';
import type { TextReading } from './text-index.ts';
import { toIndexQuery } from './to-index-query.ts';
import { toRerankings } from './to-rerankings.ts';

/** Queries with more forms, such as those with patterns, are not remembered, because they take much memory. */
const MAX_FORMS = 256;

interface Remembered {
  readonly revision: number;
  readonly query: Query;
  rerankings?: readonly Reranking[];
}

/**
 * Queries in the words of an index, remembered by the object of their readings as long as the index does not change:
 * `QueryPlans` reuses these.
 */
export class CachedQueries {
  readonly #index: InvertedIndex;
  readonly #known = new WeakMap<readonly TextReading[], Remembered>();

  constructor(index: InvertedIndex) {
    this.#index = index;
  }

  /** Throws as `toIndexQuery` does. */
  queryOf(readings: readonly TextReading[]): Query {
    const known = this.#find(readings);
    if (known !== undefined) return known.query;
    const query = toIndexQuery(this.#index, readings);
    // Looking up words may have grouped forms, which changes the revision.
    if (formsIn(query) <= MAX_FORMS) this.#known.set(readings, { revision: this.#index.revision, query });
    return query;
  }

  rerankingsOf(readings: readonly TextReading[]): readonly Reranking[] {
    const known = this.#find(readings);
    return known === undefined
      ? toRerankings(this.#index, readings)
      : (known.rerankings ??= toRerankings(this.#index, readings));
  }

  #find(readings: readonly TextReading[]): Remembered | undefined {
    const known = this.#known.get(readings);
    return known?.revision === this.#index.revision ? known : undefined;
  }
}

function formsIn(query: Query): number {
  switch (query.kind) {
    case 'term':
      return query.forms.length;
    case 'phrase':
      return query.words.reduce((sum, { forms }) => sum + forms.length, 0);
    case 'not':
      return formsIn(query.of);
    case 'and':
    case 'or':
    case 'best':
    case 'some':
      return query.of.reduce((sum, operand) => sum + formsIn(operand), 0);
    case 'all':
    case 'none':
      return 0;
  }
}
