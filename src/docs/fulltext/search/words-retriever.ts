import { OrdSet } from '../../../lib/ord-set.ts';
import { Pace } from '../../../lib/pace.ts';
import type { ReadableColumns, Scores } from '../../../search/columns/index.ts';
import type { WordsHit } from '../../../search/fusion/fuse.ts';
import { RERANKED } from '../../../search/inverted/index.ts';
import type { Mark } from '../../../search/order/index.ts';
import { gathered, Guesses, readEach, withGuesses } from '../../../search/parts/index.ts';
import { isLoose } from '../../../text/query/index.ts';
import type { Retrieved, Retriever, Wanted } from '../../search/index.ts';
import type { Expansion } from '../expansion/expansion.ts';
import { isAmong } from '../view/document-classes.ts';
import { textsOf } from '../view/document-texts.ts';
import { type Feedback, relevantHits, type RelevantText, takesFeedback } from '../view/feedback.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import { lettersOf } from '../view/letters.ts';
import type { CalledDocuments, Field, ReadableText, TextHit, TextMatches, TextQuery } from '../view/text-index.ts';
import { calledFirst } from './called-first.ts';
import type { Name, QueryPlan, Reading, WantedLeaf } from './query-plan.ts';
import type { SearchRequest } from './request.ts';
import type { SearchDeps } from './search-full-text.ts';

interface WordsDeps {
  readonly view: Pick<FullTextView, 'indexOf'>;
  readonly expansion: Pick<Expansion, 'expand'>;
}

/**
 * A request whose plan the index is ready for; for `pmisparse`, its terms are expanded by their neighbours, of which a
 * collection without documents has none. Throws `index_loading`.
 */
export async function readyWords({ view, expansion }: WordsDeps, request: SearchRequest,
  signal: AbortSignal): Promise<SearchRequest>
{
  const { collection, algorithm } = request;
  const isExpanded = algorithm === 'pmisparse' && view.indexOf(collection) !== undefined;
  const ready = isExpanded ? { ...request, plan: await expansion.expand(request, signal) } : request;
  await prepareIndex(view, collection, ready.plan);
  return ready;
}

/**
 * Words that were indexed before the first query in a language are grouped first, in slices. Throws `index_loading`.
 */
async function prepareIndex(view: WordsDeps['view'], collection: string, plan: QueryPlan): Promise<void> {
  let pace: Pace | undefined;
  // Looked up each time, because another index may replace it meanwhile.
  while (!await gathered(() => isReady(view.indexOf(collection), plan))) {
    pace ??= new Pace();
    await pace.rest();
  }
}

/** Prepares an index, if there is one, for a plan, one step at each call; true when it is ready. */
function isReady(index: Pick<ReadableText, 'prepare'> | undefined, { readings }: QueryPlan): boolean {
  return index === undefined || readings.every(({ analyzer }) => index.prepare(analyzer));
}

/** Without one, the words alone decide. */
const NOT_CALLED: CalledDocuments = { byTitle: [], byKey: [] };

/** A search, and the documents that are called like the query, which parts elsewhere are asked for at the same time. */
function searchAndCalled(index: ReadableText, query: TextQuery, name: Name | undefined): TextMatches & {
  readonly called: CalledDocuments;
} {
  return withGuesses((guess) => {
    const called = name === undefined ? NOT_CALLED : guess(() => index.called(name.forms), NOT_CALLED);
    return { ...index.search(query), called };
  });
}

/**
 * A request as an index is asked for it, among some documents or all. `factors`: by which scores are multiplied, by
 * ordinal.
 */
export function textQuery({ plan, algorithm, fieldWeights, fields }: SearchRequest, eligible: OrdSet | undefined,
  factors?: Float32Array): Omit<TextQuery, 'limit'>
{
  return {
    readings: plan.readings,
    algorithm,
    fieldWeights,
    fields,
    filter: eligible,
    factors,
  };
}

interface WordsOptions {
  /** Whether all matches are collected, to count their values. */
  readonly collect?: boolean;
  /** Whether the words decide alone, so that an order is one of all matches. */
  readonly isWhole?: boolean;
}

/**
 * Finds documents by their words, for all reads of one search; if it ranks as full-text search does, the feedback of
 * the best documents counts, too.
 */
export function wordsRetriever(deps: SearchDeps, request: SearchRequest,
  { collect = false, isWhole = false }: WordsOptions = {}): Retriever<WordsHit, number, ReadonlySet<string>>
{
  const { collection, plan, fields, rerank, totals } = request;
  const feedback = SearchFeedback.of(request, deps.view.indexOf(collection)?.documents ?? 0);
  return {
    view: deps.view,
    isWhole,
    async candidates({ eligible, factors, columns }, { limit, pinned = [], order }) {
      const index = deps.view.indexOf(collection);
      if (index === undefined) return { hits: [], total: 0 };
      const query = textQuery(request, eligible, factors);
      if (isWhole && order !== undefined)
        return gathered(() => sortMatches(index, query, columns, { limit, pinned, order }, collect));
      const look = isWhole ? pinned : [];
      const wanted = { ...query, rerank, limit: feedback?.limit(limit) ?? limit, collect, look, totals };
      const { hits, looked, matches, called, ...found } = await gathered(() =>
        searchAndCalled(index, wanted, rerank ? plan.name : undefined)
      );
      const ranked = await feedback?.improve(deps, hits, factors) ?? hits;
      const best = (await calledFirst(deps, request, { hits: ranked, called, query })).slice(0, limit);
      return isWhole
        ? { ...found, hits: [...best, ...others(best, pinned, looked, query)], matches }
        : { hits: best, matches };
    },
    async features(ords) {
      const index = deps.view.indexOf(collection);
      return index === undefined ? [] : gathered(() => matchedTerms(index, plan, ords, fields));
    },
    release: (matches) => deps.view.indexOf(collection)?.reuse(matches),
  };
}

/** Documents that match, but are not among the best; `looked` are their scores, before factors. */
function others(best: readonly WordsHit[], ords: readonly number[], looked: readonly (number | undefined)[],
  { filter, factors }: Pick<TextQuery, 'filter' | 'factors'>): WordsHit[]
{
  if (ords.length === 0) return [];
  const known = new Set(best.map(({ ord }) => ord));
  return ords.flatMap((ord, i) => {
    const score = looked[i];
    return score === undefined || known.has(ord) || filter?.has(ord) === false
      ? []
      : [{ ord, score: weighed(score, factors?.[ord]) }];
  });
}

/** In single precision, like the index. */
function weighed(score: number, factor = 1): number {
  return Math.fround(score * factor);
}

interface SortedPage extends Required<Pick<Wanted, 'limit' | 'pinned'>> {
  readonly order: NonNullable<Wanted['order']>;
}

/**
 * A page of all matches in an order, and pinned documents that match, each with the score that a search by score gives
 * it. Nothing is awaited, so that neither columns nor index change meanwhile.
 */
function sortMatches(index: ReadableText, query: Omit<TextQuery, 'limit'>, columns: ReadableColumns | undefined,
  { limit, pinned, order }: SortedPage, collect: boolean): Retrieved<WordsHit>
{
  const { total, matches } = index.search({ ...query, limit: 0, collect: true });
  const { keys, skip } = order;
  const isByScore = keys.some(({ column }) => column.kind === 'score');
  const scores = isByScore ? allScores(index, query, matches!) : undefined;
  const begun = columns && presentEnd(columns, matches!, order, scores);
  const page = columns?.sort(matches!, { keys, offset: skip, count: limit - skip, after: begun, scores }) ?? [];
  const pins = OrdSet.of(pinned.filter((ord) => matches!.has(ord)));
  const pinnedPlaces = columns?.sort(pins, { keys, offset: 0, count: pinned.length, scores }) ?? [];
  const places = new Map([...page, ...pinnedPlaces].map(({ ord, ...place }) => [ord, place]));
  const ords = [...places.keys()];
  const { looked } = index.search({ ...query, limit: 0, look: ords });
  if (!collect) index.reuse(matches!);
  return {
    hits: ords.flatMap((ord, i) => {
      const score = looked[i];
      return score === undefined ? [] : [{ ord, score: weighed(score, query.factors?.[ord]) }];
    }),
    places,
    begun,
    total,
    matches: collect ? matches : undefined,
  };
}

/**
 * Where the page before ends now: every write may change the scores of all matches, and so the place of its last match.
 * If that one is no match any more, the page goes on behind as many as were before it.
 */
function presentEnd(columns: ReadableColumns, matches: OrdSet, { keys, after, last }: NonNullable<Wanted['order']>,
  scores: Scores | undefined): Mark | undefined
{
  if (last === undefined) return after;
  const { ord, passed } = last;
  const placeAt = (among: OrdSet, offset: number): Mark | undefined => {
    const found = columns.sort(among, { keys, offset, count: 1, scores }).at(0);
    return found && { place: found.place, tie: found.tie };
  };
  if (matches.has(ord)) return placeAt(OrdSet.of([ord]), 0);
  return passed < 2 ? undefined : placeAt(matches, passed - 2) ?? after;
}

/** In arrays of numbers, because a search must not allocate an object for each match. */
function allScores(index: Pick<ReadableText, 'scoresOf'>, { factors, ...query }: Omit<TextQuery, 'limit'>,
  matches: OrdSet): Scores
{
  const ords = matches.ordinals();
  const scores = index.scoresOf(query, ords);
  if (factors !== undefined) { for (let i = 0; i < ords.length; i++) scores[i]! *= factors[ords[i]!] ?? 1; }
  return { ords, scores };
}

/** A longer document is about too many things, and takes long to read. */
const MOST_BYTES = 256 * 1024;

/**
 * Reranks the best matches of a long query: the two best documents are taken as relevant, and their characteristic
 * terms add to the scores of the others (pseudo-relevance feedback). The terms are chosen once for a search.
 */
class SearchFeedback {
  readonly #request: SearchRequest;
  readonly #readings: readonly Reading[];
  #feedback: readonly Feedback[] | undefined;

  private constructor(request: SearchRequest, readings: readonly Reading[]) {
    this.#request = request;
    this.#readings = readings;
  }

  /** Undefined if the order must not change, or the query is short or the collection small. */
  static of(request: SearchRequest, documents: number): SearchFeedback | undefined {
    if (!request.rerank || request.order !== undefined) return undefined;
    const readings = request.plan.readings.filter((reading) => takesFeedback(reading, documents));
    return readings.length === 0 ? undefined : new SearchFeedback(request, readings);
  }

  /** Number of hits that `improve` needs when `wanted` hits are returned. */
  limit(wanted: number): number {
    return Math.max(wanted, RERANKED);
  }

  /** The best hits in their new order. `factors`: by which the hits' scores were multiplied, by ordinal. */
  async improve(deps: Pick<SearchDeps, 'sql' | 'codec' | 'view'>, hits: readonly TextHit[],
    factors: Float32Array | undefined): Promise<readonly TextHit[]>
  {
    const { collection } = this.#request;
    if (hits.length === 0) return hits;
    this.#feedback ??= await this.#learn(deps, hits);
    const index = deps.view.indexOf(collection);
    const learned = this.#feedback;
    return index === undefined || learned.length === 0
      ? hits
      : gathered(() => index.rescore(hits, learned, { ...this.#request, factors }));
  }

  async #learn({ sql, codec, view }: Pick<SearchDeps, 'sql' | 'codec' | 'view'>,
    hits: readonly TextHit[]): Promise<Feedback[]>
  {
    const index = view.indexOf(this.#request.collection);
    if (index === undefined) return [];
    const best = await gathered(() => readEach(this.#readings, (reading) => relevantHits(index, reading, hits)));
    const texts = new Map<number, string>();
    for await (const { ord, meta, contentMd } of textsOf(sql, codec, best.flat().map(({ ord }) => ord), MOST_BYTES))
      texts.set(ord, [...meta.title ?? [], contentMd].join('\n'));
    const learn = (reading: Reading, i: number): Feedback => {
      const documents = best[i]!.flatMap((
        { ord, score },
      ): RelevantText[] => (texts.has(ord) ? [{ text: texts.get(ord)!, score }] : []));
      return { classes: reading.classes, analyzer: reading.analyzer, terms: index.relevantTerms(reading, documents) };
    };
    const feedback = await gathered(() => readEach(this.#readings, learn));
    return feedback.filter(({ terms }) => terms.length > 0);
  }
}

/**
 * Sets of terms that many documents share: a set is made once for the terms that were added in the same order.
 * Documents of an answer have few different sets, so most of them cost no memory of their own.
 */
export class TermSets {
  readonly none: ReadonlySet<string> = new Set();
  /** By set and further term. */
  readonly #larger = new Map<ReadonlySet<string>, Map<string, ReadonlySet<string>>>();

  /** The set that has these terms, too. */
  with(terms: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> {
    let all = terms;
    for (const term of more) if (!all.has(term)) all = this.#withOne(all, term);
    return all;
  }

  #withOne(terms: ReadonlySet<string>, term: string): ReadonlySet<string> {
    let larger = this.#larger.get(terms);
    if (larger === undefined) this.#larger.set(terms, larger = new Map());
    let all = larger.get(term);
    if (all === undefined) larger.set(term, all = new Set(terms).add(term));
    return all;
  }
}

/**
 * Up to this many documents, each is looked up in the postings of a word; for more, a search that scores all documents
 * is faster.
 */
const FEW = 256;

/**
 * Which terms of a query each document matches, in the order of the documents, and for each in the order of the query;
 * terms that match only through their neighbours come last. Matches by edits are labelled `query~indexed`. With
 * `fields`, only those are searched. It pauses between the leaves. Parts elsewhere are asked for all leaves together,
 * as if each reading were for all documents.
 */
async function matchedTerms(index: ReadableText, { readings }: QueryPlan, ords: readonly number[],
  fields?: readonly Field[]): Promise<readonly ReadonlySet<string>[]>
{
  const sets = new TermSets();
  const pace = new Pace();
  const guesses = new Guesses();
  const found = ords.map(() => sets.none);
  const classes = guesses.guess(() => index.classesOf(ords), undefined);
  for (const reading of readings) {
    const own = placesOf(reading, ords, classes);
    const read = own.length === ords.length ? ords : own.map((place) => ords[place]!);
    for (const leaf of own.length === 0 ? [] : reading.wanted) {
      addEach(sets, found, own, guesses.guess(() =>
        namesByOrd(index, reading, leaf, { ords: read, fields }), read.map(() => NO_LABELS)));
      if (pace.isDue) await pace.rest();
    }
  }
  guesses.check();
  return found;
}

/** The places of the documents that a reading is for; of all, if their classes are not known yet. */
function placesOf({ classes }: Reading, ords: readonly number[],
  known: readonly (number | undefined)[] | undefined): number[]
{
  return [...ords.keys()].filter((place) => known === undefined || isAmong(known[place], classes));
}

/** Adds names to the terms at some places. */
function addEach(sets: TermSets, found: ReadonlySet<string>[], places: readonly number[],
  names: readonly (readonly string[])[]): void
{
  for (let i = 0; i < places.length; i++) found[places[i]!] = sets.with(found[places[i]!]!, names[i]!);
}

const NO_LABELS: readonly string[] = [];

/** The labels of a leaf for each document; empty if the document does not match. */
function namesByOrd(index: ReadableText, { classes, analyzer }: Reading, { node, labels }: WantedLeaf,
  { ords, fields }: { readonly ords: readonly number[];
    readonly fields: readonly Field[] | undefined }): (readonly string[])[]
{
  if (node.kind === 'term' && isLoose(node)) {
    return index.matchesByEdits(node, analyzer, ords, fields).map(({ itself, forms }) =>
      labels.flatMap((label) => [...(itself ? [label] : []), ...forms.map((form) => `${label}~${form}`)])
    );
  }
  if (node.kind === 'term' && fields === undefined && ords.length <= FEW
    && (node.inCompounds === true || lettersOf(node.form, analyzer).length === 0))
  {
    const found = node.inCompounds === true
      ? index.matchesCompounds(node.form, analyzer, ords)
      : index.matchesExactly(node.form, analyzer, ords);
    return found.map((isFound) => (isFound ? labels : NO_LABELS));
  }
  const { looked } = index.search({
    readings: [{ classes, root: node, analyzer }],
    algorithm: 'tfidf',
    limit: 0,
    look: ords,
    fields,
  });
  return ords.map((_, i) => (looked[i] === undefined ? NO_LABELS : labels));
}
