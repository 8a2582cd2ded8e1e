import type { Operations } from '../../../../generated/docs/operations.ts';
import type { SearchAcrossCollectionsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import type { AnswerBounds, Context, Identity, InputOf } from '../../../operations/index.ts';
import { compareTexts, type Filter } from '../../../search/filter/index.ts';
import type { MeaningHit } from '../../../search/fusion/fuse.ts';
import type { Algorithm } from '../../../search/vector/index.ts';
import { costOf, type SearchGate } from '../../search-gate.ts';
import { boostFactors, candidatesOf, contentsFor, documentOf, type EligibilityDeps, eligibleDocuments, endPage,
  expressionOf, joinLists, limitOf, listLengths, metaOf, presentEach, type Presented, readRows, type Retrieved,
  shownDocument, wantedProjection } from '../../search/index.ts';
import { filledCollections, namedCollections } from '../../stored-collections.ts';
import { toComparedVector } from '../search/request.ts';
import { vectorsRetriever, type VectorsSide } from '../search/vectors-retriever.ts';
import type { QueryVector, VectorSearch } from '../vector-search.ts';
import { findSource, type SourceDeps } from './source-document.ts';

export interface CrossSearchDeps extends SourceDeps, EligibilityDeps {
  readonly search: VectorsSide & Pick<VectorSearch, 'modelsOf' | 'embedQuery'>;
  readonly gate: Pick<SearchGate, 'run'>;
}

type CrossSearchInput = InputOf<Operations, 'searchAcrossCollections'> & { readonly topK: number };
type Result = SearchAcrossCollectionsResponse['results'][number];

/** The input with its filters combined into one. */
type Narrowed = Omit<CrossSearchInput, 'filter' | 'filterMeta' | 'langs' | 'rangeMeta'> & {
  readonly filter: Filter | undefined;
};

/** The vector or text to search with. */
interface Wanted extends QueryVector {
  /** A document that must not be found. */
  readonly ord?: number;
}

/** Numbers of documents, by collection. */
type Targets = ReadonlyMap<string, number>;

interface Candidate {
  readonly collection: string;
  readonly ord: number;
  readonly id: string;
  readonly score: number;
}

const DEFAULT_TOP_K = 10;

/** Maximum number of collections that are searched at once; all searches share the same scan workers. */
const AT_ONCE = 4;

/** `POST /v1/cross-search` (decisions section 4.3). Only the scoring occupies a place in the search gate. */
export async function searchAcrossCollections(deps: CrossSearchDeps,
  given: InputOf<Operations, 'searchAcrossCollections'>,
  { identity, ...bounds }: Context): Promise<SearchAcrossCollectionsResponse>
{
  const input: CrossSearchInput = { ...given, topK: limitOf(given) ?? DEFAULT_TOP_K };
  const { signal, budget } = bounds;
  const started = performance.now();
  const filter = expressionOf(input);
  const wanted = await toQuery(deps, input, signal);
  const targets = await findTargets(deps, input.targetCollections ?? [], identity);
  const comparable = comparableTargets(deps, targets.found, wanted);
  const algorithms = new Set<Algorithm>();
  const candidates = await deps.gate.run(
    () => findBest(deps, comparable, { ...input, filter }, wanted, algorithms, signal),
    signal,
    costOf(input, documentsOf(comparable)),
  );
  const presented = await present(deps, candidates, input, bounds);
  const { results, end } = endPage(presented, { offset: input.offset, tokens: 0, order: undefined }, budget,
    () => undefined);
  const isFromDocument = wanted.ord !== undefined;
  return {
    results,
    total: results.length,
    ...end,
    targetCollections: targets.names,
    algorithm: usedAlgorithm(algorithms, input.algorithm),
    distanceMetric: input.distanceMetric,
    ...(isFromDocument && { sourceCollection: input.sourceCollection!, sourceDocID: input.sourceDocID! }),
    searchStats: { durationMs: Math.round(performance.now() - started), collectionsSearched: comparable.size },
  };
}

function documentsOf(targets: Targets): number {
  return [...targets.values()].reduce((sum, documents) => sum + documents, 0);
}

/** A vector takes precedence over a document, and a document over a text. */
async function toQuery(deps: CrossSearchDeps, input: CrossSearchInput, signal: AbortSignal): Promise<Wanted> {
  const { query = '', queryVector, sourceCollection, sourceDocID, distanceMetric } = input;
  if (queryVector !== undefined) return { vector: toComparedVector(queryVector, distanceMetric) };
  if (sourceCollection !== undefined && sourceDocID !== undefined) {
    const source = await findSource(deps, sourceCollection, sourceDocID, signal);
    return { ...source.query, ord: source.ord };
  }
  if (query.trim() !== '') return deps.search.embedQuery(query, signal);
  const missing = sourceCollection !== undefined
    ? 'sourceDocID'
    : sourceDocID !== undefined
    ? 'sourceCollection'
    : 'query, queryVector, or sourceCollection and sourceDocID';
  throw new ServiceError('missing_fields', `missing fields: ${missing}`);
}

/**
 * The named collections, on all of which the caller must have permission; otherwise all that the caller may read,
 * except system collections. A collection that does not exist has no documents.
 */
async function findTargets({ sql }: CrossSearchDeps, named: readonly string[],
  identity: Identity): Promise<{ names: string[]; found: Targets }>
{
  const wanted = [...new Set(named.map((name) => name.toLowerCase()))];
  const all = wanted.length > 0
    ? await namedCollections(sql, wanted)
    : (await filledCollections(sql)).filter(({ name }) => !isSystemCollection(name));
  const rows = all.filter(({ name }) => identity.may('read', name));
  return {
    names: wanted.length > 0 ? wanted : rows.map(({ name }) => name),
    found: new Map(rows.map(({ name, docs }) => [name, docs])),
  };
}

/**
 * The collections with comparable vectors. A vector from the client must fit at least one collection that has vectors.
 */
function comparableTargets({ search }: CrossSearchDeps, targets: Targets, { vector, model }: Wanted): Targets {
  const comparable = new Map<string, number>();
  const known = new Set<number>();
  for (const [name, documents] of targets) {
    const models = search.modelsOf(name);
    for (const { dimensions } of models) known.add(dimensions);
    const fits = models.some((each) =>
      each.dimensions === vector.length &&
      (model === undefined || (each.model === model.model && each.variant === model.variant))
    );
    if (fits) comparable.set(name, documents);
  }
  if (model === undefined && comparable.size === 0 && known.size > 0) {
    const expected = [...known].sort((a, b) => a - b).join(' or ');
    throw new ServiceError('invalid_argument',
      `queryVector must have ${expected} numbers, as the collections' vectors, got ${vector.length}`);
  }
  return comparable;
}

/** The results up to the end of the page, best first; equal ones by collection and id. */
function findBest(deps: CrossSearchDeps, targets: Targets, input: Narrowed, wanted: Wanted, algorithms: Set<Algorithm>,
  signal: AbortSignal): Promise<readonly Candidate[]>
{
  const { offset, topK, boost = {} } = input;
  // Documents that boosts raise may be farther than the nearest.
  const first = Object.keys(boost).length === 0 ? topK : candidatesOf({ limit: topK }, undefined);
  const lengths = listLengths(first, offset + topK);
  return joinLists(lengths, async (i, before: readonly Candidate[]) => {
    const known = new Set(before.map(({ ord }) => ord));
    const list = await searchTargets(deps, targets, { ...input, k: lengths[i]! }, wanted, algorithms, signal);
    return list.filter(({ ord }) => !known.has(ord));
  });
}

async function searchTargets(deps: CrossSearchDeps, targets: Targets, input: Narrowed & { readonly k: number },
  wanted: Wanted, algorithms: Set<Algorithm>, signal: AbortSignal): Promise<readonly Candidate[]>
{
  const found: Omit<Candidate, 'id'>[] = [];
  const waiting = targets.entries();
  // They share the iterator, so each takes the next collection when it has finished one.
  const searchers = Array.from({ length: AT_ONCE }, async () => {
    for (const [collection] of waiting) {
      signal.throwIfAborted();
      const { hits, algorithm } = await searchTarget(deps, collection, input, wanted, signal);
      for (const { ord, score } of hits) found.push({ collection, ord, score });
      algorithms.add(algorithm ?? 'flat');
    }
  });
  await Promise.all(searchers);
  // All with the same score as the last, because their order depends on ids that are not known yet.
  const sorted = found.sort((a, b) => b.score - a.score);
  const least = sorted[input.k - 1]?.score ?? -Infinity;
  const best = sorted.filter(({ score }) => score >= least);
  const rows = await readRows(deps.sql, best.map(({ ord }) => ord), {
    withBodies: false,
    mostBytes: 0,
    contentsOf: [],
  });
  return best.flatMap((one) => {
    const row = rows.get(one.ord);
    return row === undefined ? [] : [{ ...one, id: row.id }];
  }).sort((a, b) => b.score - a.score || compareTexts(a.collection, b.collection) || compareTexts(a.id, b.id));
}

async function searchTarget({ sql, columns, clock, search }: CrossSearchDeps, collection: string,
  { k, sourceCollection, threshold, algorithm, distanceMetric: metric, filter, boost = {} }: Narrowed & {
    readonly k: number;
  }, { ord, ...query }: Wanted, signal: AbortSignal): Promise<Retrieved<MeaningHit>>
{
  const isSourceHere = ord !== undefined && collection === sourceCollection!.toLowerCase();
  const { documents: eligible, columns: values } = await eligibleDocuments({ columns, clock }, collection, {
    filter,
    hidden: isSourceHere ? [ord] : [],
  });
  const retriever = vectorsRetriever(search, sql, {
    ...query,
    collection,
    metric,
    algorithm,
    threshold,
    perDocument: true,
  }, signal);
  return retriever.candidates({ eligible, factors: boostFactors(values, boost) }, { limit: k });
}

/** `flat` if some collections had to be searched that way; if other algorithms differ, the first by name. */
function usedAlgorithm(used: ReadonlySet<Algorithm>, asked: Algorithm | undefined): Algorithm {
  if (used.size === 0) return asked ?? 'flat';
  return used.has('flat') ? 'flat' : [...used].sort()[0]!;
}

/** The page, as many results as the answer may hold. */
async function present({ sql, codec }: CrossSearchDeps, candidates: readonly Candidate[],
  { topK, offset, ...input }: CrossSearchInput, bounds: AnswerBounds): Promise<Presented<Result>>
{
  const page = candidates.slice(offset, offset + topK);
  const projection = wantedProjection(input);
  const rows = await readRows(sql, page.map(({ ord }) => ord),
    contentsFor(bounds.budget, projection.body, projection.body));
  return presentEach({ sql, codec }, page, {
    rowOf: ({ ord }) => rows.get(ord),
    withBodies: projection.body,
    show: async ({ collection, score }, row, place) => {
      const content = row.body === null ? '' : await codec.decodeAsync(row.body);
      const { result, ...bytes } = shownDocument(documentOf(row, metaOf(row), content), projection, row.bytes);
      return {
        result: { collection, document: result, score: roundScore(score), rank: offset + place + 1 },
        ...bytes,
      };
    },
  }, bounds);
}
