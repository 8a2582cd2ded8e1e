import { MAX_FUZZY_WORD } from '../../../kernels/inverted.ts';
import { OrdSet } from '../../../lib/ord-set.ts';
import { type Field, MAX_RESULTS, type Query, type ScoringAlgorithm,
  type SearchableIndex } from '../../../search/inverted/index.ts';
import { readEach } from '../../../search/parts/index.ts';
import type { TermNode } from '../../../text/query/index.ts';
import { PLAIN } from './analyzers.ts';
import { exactForms, formsByEdits, type KnownSpellings } from './edits.ts';
import { type Feedback, type FeedbackRules, relevantTerms, type RelevantText, rescored } from './feedback.ts';
import { tfidfWeights, toRerankings } from './field-weights.ts';
import { waysOf } from './letters.ts';
import type { CalledDocuments, Completion, CompletionRequest, FormsLike, MatchByEdits, ReadableText, TermAnalyzer,
  TextHit, TextMatches, TextQuery, WeightedTerm } from './text-index.ts';
import { toIndexQuery } from './to-index-query.ts';
import { KEY, TITLE } from './to-indexed.ts';

/** k1 of the BM25 that `pmisparse` is based on. */
const PMISPARSE_K1 = 1.5;
/** Words of at least this many characters are still similar when they are two edits apart. */
const TWO_EDITS_FROM = 5;
/** Longer queries are not names; and maximum number of documents in each field that are found by one name. */
const MOST_WORDS_OF_NAME = 32;
const MOST_OF_A_NAME = 16;
/** Most matches that are kept for reuse. */
const MOST_SPARE = 4;

/** What is read of a full-text index, which may consist of several. */
export class ReadableTextIndex implements ReadableText {
  readonly #index: SearchableIndex;
  /**
   * Matches that are no longer needed: over a million documents, those of each search with facets would otherwise be
   * 125 KB of garbage.
   */
  readonly #spare: Uint32Array[] = [];

  constructor(index: SearchableIndex) {
    this.#index = index;
  }

  get documents(): number {
    return this.#index.size;
  }

  get bytes(): number {
    return this.#index.stats().bytes.memory;
  }

  documentsByClass(): readonly number[] {
    return this.#index.documentsByClass();
  }

  classesOf(ords: readonly number[]): (number | undefined)[] {
    return this.#index.classesOf(ords);
  }

  get fieldNames(): readonly string[] {
    return this.#index.fieldNames;
  }

  prepare(analyzer: TermAnalyzer): boolean {
    return this.#index.prepare(analyzer.stemming ? analyzer : undefined);
  }

  search(
    { readings, algorithm, fieldWeights, fields, rerank, limit, totals, filter, factors, collect, look }: TextQuery,
  ): TextMatches {
    const scoring = toScoring(algorithm, fieldWeights, fields);
    const spellings: KnownSpellings = new Map();
    const { hits, total, isLowerBound = false, matches, scores } = this.#index.search(
      toIndexQuery(this.#index, readings, spellings),
      {
        algorithm: scoring,
        limit: Math.min(limit, MAX_RESULTS),
        filter: filter?.words,
        multipliers: factors,
        collect,
        spare: collect === true ? this.#spare.pop() : undefined,
        totals,
        // Without documents nothing is looked up; the lookup would need the scores of all matches.
        scoresOf: look?.length === 0 ? undefined : look,
        rerank: rerank === true ? toRerankings(this.#index, readings, spellings) : undefined,
      },
    );
    return {
      hits,
      total,
      isLowerBound,
      looked: Array.from(scores ?? [], (score) => (score < 0 ? undefined : score)),
      matches: matches && OrdSet.fromWords(matches),
    };
  }

  reuse({ words }: OrdSet): void {
    if (this.#spare.length < MOST_SPARE) this.#spare.push(words);
  }

  relevantTerms(rules: FeedbackRules, documents: readonly RelevantText[]): readonly WeightedTerm[] {
    return relevantTerms(this.#index, rules, documents);
  }

  rescore(hits: readonly TextHit[], feedback: readonly Feedback[],
    { algorithm, fieldWeights, fields, factors }: Pick<TextQuery,
      'algorithm' | 'fieldWeights' | 'fields' | 'factors'>): readonly TextHit[]
  {
    return rescored(this.#index, hits, feedback, toScoring(algorithm, fieldWeights, fields), factors);
  }

  called(name: readonly string[]): CalledDocuments {
    const forms = name.length > MOST_WORDS_OF_NAME ? [] : name.map((form) => this.#index.form(form));
    const isKnown = forms.length > 0 && forms.every((form) => form !== undefined);
    const [byTitle = [], byKey = []] = isKnown
      ? readEach([TITLE, KEY], (field) => this.#index.consistingOf(forms, field, MOST_OF_A_NAME))
      : [];
    return { byTitle, byKey };
  }

  scoresOf(
    { readings, algorithm, fieldWeights, fields }: Pick<TextQuery,
      'readings' | 'algorithm' | 'fieldWeights' | 'fields'>,
    ords: Uint32Array,
  ): Float32Array {
    return this.#index.search(toIndexQuery(this.#index, readings), {
      algorithm: toScoring(algorithm, fieldWeights, fields),
      limit: 0,
      scoresOf: ords,
    }).scores!;
  }

  documentsOf(form: string, analyzer: TermAnalyzer): number {
    return this.#index.countForms(exactForms(this.#index, analyzer, form)).reduce((sum, count) => sum + count, 0);
  }

  prepareCompounds(form: string, analyzer: TermAnalyzer): boolean {
    return this.#index.prepareCompounds(analyzer, form);
  }

  knowsCompounds(form: string, analyzer: TermAnalyzer): boolean {
    return this.#index.knowsCompounds(analyzer, form);
  }

  hasCompounds(form: string, analyzer: TermAnalyzer): boolean {
    return this.#index.compounds(analyzer, form).length > 0;
  }

  matchesCompounds(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[] {
    return this.#index.haveAny(this.#index.compounds(analyzer, form), ords);
  }

  matchesExactly(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[] {
    return this.#index.haveAny(exactForms(this.#index, analyzer, form), ords);
  }

  matchesByEdits(term: TermNode, analyzer: TermAnalyzer, ords: readonly number[],
    fields?: readonly Field[]): MatchByEdits[]
  {
    const { exact, near } = formsByEdits(this.#index, analyzer, term);
    const [itself, ...containing] = readEach([exact, ...near.map(({ id }) => [id])],
      (forms) => this.#containing(forms, ords, fields));
    const others = near.map(({ id }, i) => ({ text: this.#index.textOf(id), containing: containing[i]! }));
    return ords.map((ord) => ({
      itself: itself!.has(ord),
      forms: others.filter(({ containing }) => containing.has(ord)).map(({ text }) => text),
    }));
  }

  /** Those of some documents that contain one of some forms. */
  #containing(ids: readonly number[], ords: readonly number[],
    fields: readonly Field[] | undefined): ReadonlySet<number>
  {
    if (fields === undefined) {
      const have = this.#index.haveAny(ids, ords);
      return new Set(ords.filter((_, i) => have[i]));
    }
    return this.#matching({ kind: 'term', forms: ids.map((id) => ({ id })) }, ords, fields);
  }

  #matching(query: Query, ords: readonly number[], fields: readonly Field[] | undefined): ReadonlySet<number> {
    if (ords.length === 0) return new Set();
    const { scores } = this.#index.search(query, {
      algorithm: { kind: 'bm25', ...(fields && { fields }) },
      limit: 0,
      scoresOf: ords,
    });
    return new Set(ords.filter((_, i) => scores![i]! >= 0));
  }

  spelledLike(form: string, limit: number): readonly string[] {
    const { near } = formsByEdits(this.#index, PLAIN, {
      form,
      fuzzy: [...form].length < TWO_EDITS_FROM ? 1 : 2,
      keepsFirst: true,
    });
    const documents = this.#index.countForms(near.map(({ id }) => id));
    return near.filter((_, i) => documents[i]! > 0).slice(0, limit).map(({ id }) => this.#index.textOf(id));
  }

  get version(): string {
    return this.#index.version;
  }

  get revision(): number {
    return this.#index.revision;
  }

  documentsWith(form: string): number {
    const id = this.#index.form(form);
    return id === undefined ? 0 : this.#index.countForms([id])[0]!;
  }

  words(from: number, count: number): ReturnType<ReadableText['words']> {
    const end = Math.min(from + count, this.#index.formEnd);
    const ids = Array.from({ length: Math.max(0, end - from) },
      (_, i) => (this.#index.hasForm(from + i) ? from + i : 0));
    const documents = this.#index.countForms(ids);
    const words = ids.flatMap((id, i) =>
      documents[i] === 0 ? [] : [{ word: this.#index.textOf(id), documents: documents[i]! }]
    );
    return { words, next: end < this.#index.formEnd ? end : undefined };
  }

  formsLike(like: FormsLike, limit: number): string[] | undefined {
    const ids = this.#idsLike(like, limit + 1);
    return ids === undefined || ids.length > limit ? undefined : ids.map((id) => this.#index.textOf(id));
  }

  #idsLike(like: FormsLike, limit: number): readonly number[] | undefined {
    switch (like.by) {
      case 'term':
        return exactForms(this.#index, like.analyzer, like.form);
      case 'compounds':
        return this.#index.compounds(like.analyzer, like.form);
      case 'pattern':
        return this.#index.wildcard(like.pattern, limit);
      case 'letters':
        return [...new Set(waysOf(this.#index, like.letters).flat(2).map(({ id }) => id))];
      // The index accepts a longer word without edits.
      case 'edits':
        return [...like.form].length > MAX_FUZZY_WORD ? undefined : this.#idsByEdits(like, limit);
    }
  }

  #idsByEdits({ form, edits, keepsFirst, begins, analyzer }: FormsLike & { by: 'edits' },
    limit: number): readonly number[]
  {
    if (!keepsFirst) return this.#index.fuzzy(form, edits, limit).map(({ id }) => id);
    const { near } = formsByEdits(this.#index, analyzer, { form, fuzzy: edits as 0 | 1 | 2, keepsFirst, begins });
    return near.map(({ id }) => id);
  }

  complete({ prefixes, field, scan, limit, isStopWord }: CompletionRequest): Completion[] {
    const ids = [...new Set(prefixes.flatMap((prefix) => this.#index.prefix(prefix, scan)))].slice(0, scan);
    const counts = this.#index.countForms(ids, field);
    const words = ids.map((id, i) => ({ id, term: this.#index.textOf(id), documents: counts[i]! })).filter((
      { term, documents },
    ) => documents > 0 && !isStopWord(term));
    words.sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1));
    const best = words.slice(0, limit);
    const fields = field === undefined ? this.#index.mainFields(best.map(({ id }) => id)) : [];
    return best.map(({ term, documents }, i) => ({ term, documents, field: field ?? fields[i]! }));
  }
}

export function toScoring(algorithm: TextQuery['algorithm'], weights: ReadonlyMap<Field, number> = new Map(),
  fields?: readonly Field[]): ScoringAlgorithm
{
  const only = fields && { fields };
  switch (algorithm) {
    case 'tfidf':
      return { kind: 'tfidf', weights: tfidfWeights(fields) };
    case 'bm25':
      return { kind: 'bm25', ...only };
    case 'bm25f':
      return { kind: 'bm25f', weights };
    case 'pmisparse':
      return { kind: 'bm25', k1: PMISPARSE_K1, ...only };
  }
}
