import type { Operations } from '../../../../generated/docs/operations.ts';
import type { SearchAcrossCollectionsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import type { AnswerBounds, Context, Identity, InputOf } from '../../../operations/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import { costOf } from '../../search-cost.ts';
import type { SearchGate } from '../../search-gate.ts';
import { contentsFor, documentOf, type EligibilityDeps, eligibleDocuments, endPage, expressionOf, limitOf, metaOf,
  presentEach, type Presented, projectDocument, projectionOf, readRows, shown } from '../../search/index.ts';
import { filledCollections, namedCollections } from '../../stored-collections.ts';
import { toSearchVector } from '../query-vector.ts';
import type { NearestResult, QueryVector, VectorSearch } from '../vector-search.ts';
import { findSource, type SourceDeps } from './source-document.ts';

export interface CrossSearchDeps extends SourceDeps, EligibilityDeps {
  readonly search: Pick<VectorSearch, 'searchByVector' | 'modelsOf' | 'embedQuery'>;
  readonly gate: Pick<SearchGate, 'run'>;
}

type CrossSearchInput = InputOf<Operations, 'searchAcrossCollections'> & { readonly topK: number };
type Algorithm = NearestResult['algorithm'];
type Result = SearchAcrossCollectionsResponse['results'][number];

/** The input with its filters combined into one. */
type Narrowed = Omit<CrossSearchInput, 'filter' | 'filterMeta' | 'langs'> & { readonly filter: Filter | undefined };

/** The vector or text to search with. */
interface Wanted extends QueryVector {
  /** A document that must not be found. */
  readonly ord?: number;
}

interface Target {
  readonly docs: number;
}

interface Candidate {
  readonly collection: string;
  readonly ord: number;
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
  const { candidates, algorithms } = await deps.gate.run(
    () => searchTargets(deps, comparable, { ...input, filter }, wanted, signal),
    signal,
    costOf(input, documentsOf(comparable)),
  );
  const presented = await toResults(deps, candidates, input, bounds);
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

function documentsOf(targets: ReadonlyMap<string, Target>): number {
  return [...targets.values()].reduce((sum, { docs }) => sum + docs, 0);
}

/** A vector takes precedence over a document, and a document over a text. */
async function toQuery(deps: CrossSearchDeps, input: CrossSearchInput, signal: AbortSignal): Promise<Wanted> {
  const { query = '', queryVector, sourceCollection, sourceDocID, distanceMetric } = input;
  if (queryVector !== undefined) return { vector: toSearchVector(queryVector, distanceMetric) };
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
  identity: Identity): Promise<{ names: string[]; found: Map<string, Target> }>
{
  const wanted = [...new Set(named.map((name) => name.toLowerCase()))];
  const all = wanted.length > 0
    ? await namedCollections(sql, wanted)
    : (await filledCollections(sql)).filter(({ name }) => !isSystemCollection(name));
  const rows = all.filter(({ name }) => identity.may('read', name));
  return {
    names: wanted.length > 0 ? wanted : rows.map(({ name }) => name),
    found: new Map(rows.map(({ name, docs }) => [name, { docs }])),
  };
}

/**
 * The collections with comparable vectors. A vector from the client must fit at least one collection that has vectors.
 */
function comparableTargets({ search }: CrossSearchDeps, targets: ReadonlyMap<string, Target>,
  { vector, model }: Wanted): Map<string, Target>
{
  const comparable = new Map<string, Target>();
  const known = new Set<number>();
  for (const [name, target] of targets) {
    const models = search.modelsOf(name);
    for (const { dimensions } of models) known.add(dimensions);
    const fits = models.some((each) =>
      each.dimensions === vector.length &&
      (model === undefined || (each.model === model.model && each.variant === model.variant))
    );
    if (fits) comparable.set(name, target);
  }
  if (model === undefined && comparable.size === 0 && known.size > 0) {
    const expected = [...known].sort((a, b) => a - b).join(' or ');
    throw new ServiceError('invalid_argument',
      `queryVector must have ${expected} numbers, as the collections' vectors, got ${vector.length}`);
  }
  return comparable;
}

async function searchTargets(deps: CrossSearchDeps, targets: ReadonlyMap<string, Target>, input: Narrowed,
  wanted: Wanted, signal: AbortSignal): Promise<{ candidates: Candidate[]; algorithms: Set<Algorithm> }>
{
  const candidates: Candidate[] = [];
  const algorithms = new Set<Algorithm>();
  const waiting = targets.entries();
  // They share the iterator, so each takes the next collection when it has finished one.
  const searchers = Array.from({ length: AT_ONCE }, async () => {
    for (const [name] of waiting) {
      signal.throwIfAborted();
      const { hits, algorithm } = await searchTarget(deps, name, input, wanted, signal);
      for (const { ord, score } of hits) candidates.push({ collection: name, ord, score });
      algorithms.add(algorithm);
    }
  });
  await Promise.all(searchers);
  return { candidates: best(candidates, input.offset + input.topK), algorithms };
}

async function searchTarget({ columns, clock, search }: CrossSearchDeps, name: string, input: Narrowed,
  { ord, ...query }: Wanted, signal: AbortSignal): Promise<NearestResult>
{
  const { topK, offset, threshold, algorithm, distanceMetric, filter } = input;
  const isSourceHere = ord !== undefined && name === input.sourceCollection!.toLowerCase();
  const { documents: eligible } = await eligibleDocuments({ columns, clock }, name, {
    filter,
    hidden: isSourceHere ? [ord] : [],
  });
  return search.searchByVector({
    ...query,
    collection: name,
    k: offset + topK,
    metric: distanceMetric,
    algorithm,
    threshold,
    eligible,
    perDocument: true,
  }, signal);
}

/**
 * The best k, and all with the same score as the last of them, because their order depends on ids that are not known
 * yet.
 */
function best(candidates: readonly Candidate[], k: number): Candidate[] {
  const sorted = candidates.toSorted((a, b) => b.score - a.score);
  const last = sorted[k - 1]?.score ?? -Infinity;
  return sorted.filter(({ score }) => score >= last);
}

/** `flat` if some collections had to be searched that way; if other algorithms differ, the first by name. */
function usedAlgorithm(used: ReadonlySet<Algorithm>, asked: Algorithm | undefined): Algorithm {
  if (used.size === 0) return asked ?? 'flat';
  return used.has('flat') ? 'flat' : [...used].sort()[0]!;
}

/** As many results as the answer may hold. */
async function toResults({ sql, codec }: CrossSearchDeps, candidates: readonly Candidate[],
  { topK, offset, includeContent }: CrossSearchInput, bounds: AnswerBounds): Promise<Presented<Result>>
{
  const known = await readRows(sql, candidates.map(({ ord }) => ord), {
    withBodies: false,
    mostBytes: 0,
    contentsOf: [],
  });
  const ranked = candidates.flatMap((
    candidate,
  ) => (known.has(candidate.ord) ? [{ ...candidate, id: known.get(candidate.ord)!.id }] : [])).sort((a, b) =>
    b.score - a.score || compare(a.collection, b.collection) || compare(a.id, b.id)
  ).slice(offset, offset + topK);
  const rows = await readRows(sql, ranked.map(({ ord }) => ord),
    contentsFor(bounds.budget, includeContent, includeContent));
  const projection = projectionOf(undefined, includeContent);
  return presentEach({ sql, codec }, ranked, {
    rowOf: ({ ord }) => rows.get(ord),
    withBodies: includeContent,
    show: async ({ collection, score }, row, place) => {
      const document = projectDocument(
        documentOf(row, metaOf(row), row.body === null ? '' : await codec.decodeAsync(row.body)),
        projection,
      );
      return shown({ collection, document, score: roundScore(score), rank: offset + place + 1 }, {
        body: includeContent ? row.bytes : undefined,
        meta: document.meta,
      });
    },
  }, bounds);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
