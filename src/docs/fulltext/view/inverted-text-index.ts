import { ServiceError } from '../../../errors/index.ts';
import { type FieldText, InvertedIndex, MAX_RESULTS, type IndexOptions, type ScoringAlgorithm } from '../../../search/inverted/index.ts';
import { tokenizeCode } from '../../../text/code/index.ts';
import { STEMMING_ANALYZERS } from './analyzers.ts';
import { OrdSet } from './ord-set.ts';
import { FIELD_COUNT, type Completion, type CompletionRequest, type IndexedDocument, type TermAnalyzer, type TextIndex, type TextIndexes, type TextMatches, type TextQuery } from './text-index.ts';
import { toIndexQuery } from './to-index-query.ts';

/** Deleted documents are cleared away from this share on. */
const DELETED_SHARE = 0.2;
/** Milliseconds of clearing away at a time. */
const TIDY_MS = 4;

/** Full-text indexes in WebAssembly (see src/search/inverted/README.md). `options` are for tests. */
export function invertedIndexes(options: IndexOptions = {}): TextIndexes {
  return {
    create: () => new InvertedTextIndex(new InvertedIndex(options)),
    restore: async (bytes) => new InvertedTextIndex(await InvertedIndex.load(bytes, STEMMING_ANALYZERS, options)),
  };
}

class InvertedTextIndex implements TextIndex {
  readonly #index: InvertedIndex;

  constructor(index: InvertedIndex) {
    this.#index = index;
  }

  get documents(): number {
    return this.#index.stats().documents;
  }

  put({ ord, code, analyzer, fields }: IndexedDocument): void {
    const texts = fields.flatMap((values, field) => values.map((text): FieldText => (code && field === 0 ? { field, tokens: tokenizeCode(text) } : { field, text })));
    this.#index.add(ord, texts, analyzer.stemming ? analyzer : undefined);
  }

  remove(ord: number): void {
    this.#index.remove(ord);
  }

  prepare(analyzer: TermAnalyzer): boolean {
    return !analyzer.stemming || this.#index.prepare(analyzer);
  }

  search({ root, analyzer, algorithm, fieldWeights, limit, filter, factors, collect, look }: TextQuery): TextMatches {
    const scoring = toScoring(algorithm, fieldWeights);
    const { hits, total, matches, scores } = this.#index.search(toIndexQuery(this.#index, analyzer, root), {
      algorithm: scoring,
      limit: Math.min(limit, MAX_RESULTS),
      filter: filter?.words, multipliers: factors, collect,
      scoresOf: look,
    });
    return {
      hits, total,
      looked: Array.from(scores ?? [], (score) => (score < 0 ? undefined : score)),
      ...(matches && { matches: OrdSet.fromWords(matches) }),
    };
  }

  complete({ prefix, field, scan, limit, isStopWord }: CompletionRequest): Completion[] {
    const words = this.#index.prefix(prefix, scan)
      .map((id) => ({ id, term: this.#index.textOf(id), documents: this.#index.documents(id, field) }))
      .filter(({ term, documents }) => documents > 0 && !isStopWord(term));
    words.sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1));
    return words.slice(0, limit).map(({ id, term, documents }) => ({ term, documents, field: field ?? this.#mainField(id) }));
  }

  tidy(): boolean {
    return this.#index.compact(TIDY_MS, this.#index.deletedShare > DELETED_SHARE);
  }

  /** The number that the index notes is not needed: the view has its own. */
  save(): AsyncIterable<Uint8Array> {
    return this.#index.save(0n);
  }

  /** The field in which most documents have a form. */
  #mainField(form: number): number {
    const counts = Array.from({ length: FIELD_COUNT }, (_, field) => this.#index.documents(form, field));
    return counts.indexOf(Math.max(...counts));
  }
}

function toScoring(algorithm: TextQuery['algorithm'], weights: readonly number[] = []): ScoringAlgorithm {
  switch (algorithm) {
    case 'tfidf': return { kind: 'tfidf' };
    case 'bm25': return { kind: 'bm25' };
    case 'bm25f': return { kind: 'bm25f', weights };
    case 'pmisparse': throw new ServiceError('not_implemented', 'algorithm: "pmisparse" is not implemented; use "bm25"');
  }
}
