import type { Operations } from '../../../../generated/docs/operations.ts';
import type { SearchAcrossCollectionsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import type { AnswerBounds, Context, Identity, InputOf } from '../../../operations/index.ts';
import { compareTexts, type Filter } from '../../../search/filter/index.ts';
import type { MeaningHit } from '../../../search/fusion/fuse.ts';
import { gathered, readEach } from '../../../search/parts/index.ts';
import type { Algorithm, Metric } from '../../../search/vector/index.ts';
import { type Collections, isSupplied, spaceOfField } from '../../collections/index.ts';
import type { ModelIdentity } from '../../embeddings/index.ts';
import { costOf, type SearchGate } from '../../search-gate.ts';
import { boostFactors, candidatesOf, contentsFor, documentOf, type EligibilityDeps, eligibleDocuments, endPage,
  expressionOf, joinLists, limitOf, listLengths, metaOf, presentEach, type Presented, readRows, type Retrieved,
  shownDocument, wantedProjection } from '../../search/index.ts';
import { filledCollections, namedCollections } from '../../stored-collections.ts';
import { toComparedVector } from '../search/request.ts';
import { vectorsRetriever, type VectorsSide } from '../search/vectors-retriever.ts';
import type { QueryVector, VectorSearch } from '../vector-search.ts';
import { findSource, type SourceDeps } from './source-document.ts';

export interface CrossSearchDeps extends Omit<SourceDeps, 'embeddings'>, EligibilityDeps {
  readonly embeddings: { of(collection: string, field?: string): SourceDeps['embeddings'] };
  readonly collections: Pick<Collections, 'configOf'>;
  readonly vectors: {
    of(collection: string, field?: string): VectorsSide & Pick<VectorSearch,
      'space' | 'modelsOf' | 'embedQuery' | 'fields'>;
    readonly view: { intoMemory(collections: readonly string[], signal: AbortSignal): Promise<void> };
  };
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

/** A collection whose vectors can be compared with the query. */
interface Target {
  readonly documents: number;
  readonly side: VectorsSide;
  readonly wanted: Wanted;
  readonly metric: Metric;
}

/** By collection. */
type Comparable = ReadonlyMap<string, Target>;

/** What the vectors of a collection are compared with: a text is embedded once for each space. '' is no collection. */
type QueryOf = (collection: string) => Promise<Wanted>;

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
  const queryOf = await toQuery(deps, input, signal);
  const targets = await findTargets(deps, input.targetCollections ?? [], identity);
  await deps.vectors.view.intoMemory([...targets.found.keys()], signal);
  const comparable = await comparableTargets(deps, input, targets.found, queryOf);
  const algorithms = new Set<Algorithm>();
  const candidates = await deps.gate.run(() => findBest(deps, comparable, { ...input, filter }, algorithms, signal),
    signal, costOf(input, documentsOf(comparable)));
  const presented = await present(deps, candidates, input, bounds);
  const { results, end } = endPage(presented, { offset: input.offset, tokens: 0, order: undefined }, budget,
    () => undefined);
  const isFromDocument = input.queryVector === undefined && input.sourceDocID !== undefined;
  return {
    results,
    total: results.length,
    ...end,
    targetCollections: targets.names,
    algorithm: usedAlgorithm(algorithms, input.algorithm),
    distanceMetric: metricOf(comparable) ?? input.distanceMetric,
    ...(isFromDocument && { sourceCollection: input.sourceCollection!, sourceDocID: input.sourceDocID! }),
    searchStats: { durationMs: Math.round(performance.now() - started), collectionsSearched: comparable.size },
  };
}

function documentsOf(targets: Comparable): number {
  return [...targets.values()].reduce((sum, { documents }) => sum + documents, 0);
}

/** A vector takes precedence over a document, and a document over a text. */
async function toQuery(deps: CrossSearchDeps, input: CrossSearchInput, signal: AbortSignal): Promise<QueryOf> {
  const { query = '', queryVector, sourceCollection, sourceDocID, distanceMetric, vectorField } = input;
  if (queryVector !== undefined) {
    const vector = toComparedVector(queryVector, distanceMetric);
    return () => Promise.resolve({ vector });
  }
  if (sourceCollection !== undefined && sourceDocID !== undefined) {
    const declared = deps.collections.configOf(sourceCollection)?.vectors;
    const embeddings = deps.embeddings.of(sourceCollection, vectorField);
    const { ord, query: found } = await findSource({ ...deps, embeddings }, sourceCollection, sourceDocID, signal,
      isSupplied(declared, vectorField) ? { name: vectorField, declared } : undefined);
    return () => Promise.resolve({ ...found, ord });
  }
  if (query.trim() !== '') {
    const bySpace = new Map<string, Promise<Wanted>>();
    return (collection) => {
      const { space, embedQuery } = deps.vectors.of(collection, collection === '' ? undefined : vectorField);
      let wanted = bySpace.get(space);
      if (wanted === undefined) bySpace.set(space, wanted = embedQuery(query, signal));
      return wanted;
    };
  }
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
 * The collections with comparable vectors, of those that have the field if one is named. A vector from the client must
 * fit at least one collection that has vectors.
 */
async function comparableTargets(deps: CrossSearchDeps, input: CrossSearchInput, targets: Targets,
  queryOf: QueryOf): Promise<Comparable>
{
  const comparable = new Map<string, Target>();
  const known = new Set<number>();
  const filled = await gathered(() =>
    readEach([...targets], ([name, documents]) => {
      const compared = comparedIn(deps, name, input);
      return compared === undefined || compared.models.length === 0 ? [] : [{ name, documents, ...compared }];
    }).flat()
  );
  // Without anything to compare, a request that cannot be embedded is refused all the same.
  if (filled.length === 0) await queryOf('');
  for (const { name, documents, models, metric, sideOf } of filled) {
    const wanted = await queryOf(name);
    const { vector, model } = wanted;
    if (model === undefined) { for (const { dimensions } of models) known.add(dimensions); }
    const fits = models.some((each) =>
      each.dimensions === vector.length &&
      (model === undefined || (each.model === model.model && each.variant === model.variant))
    );
    if (fits) comparable.set(name, { documents, wanted, metric, side: sideOf(vector) });
  }
  if (comparable.size === 0 && known.size > 0) {
    const expected = [...known].sort((a, b) => a - b).join(' or ');
    const { vector: { length } } = await queryOf('');
    throw new ServiceError('invalid_argument',
      `queryVector must have ${expected} numbers, as the collections' vectors, got ${length}`);
  }
  requireOneMetric(comparable);
  return comparable;
}

/** What a collection has to compare; undefined if it does not declare the field. */
interface Compared {
  readonly models: readonly ModelIdentity[];
  readonly metric: Metric;
  readonly sideOf: (vector: Float32Array) => VectorsSide;
}

function comparedIn({ collections, vectors }: CrossSearchDeps, name: string,
  { vectorField, distanceMetric, queryVector, sourceDocID }: CrossSearchInput): Compared | undefined
{
  const config = collections.configOf(name);
  if (!isSupplied(config?.vectors, vectorField)) {
    if (vectorField !== undefined && spaceOfField(config, vectorField) === undefined) return undefined;
    const search = vectors.of(name, vectorField);
    return { models: search.modelsOf(name), metric: distanceMetric, sideOf: () => search };
  }
  const field = config!.vectors![vectorField]!;
  const fields = vectors.of(name).fields!;
  if (field.kind !== 'dense')
    throw new ServiceError('invalid_argument',
      `vectorField must be of the kind dense, and ${vectorField} of ${name} is ${field.kind}`);
  if (queryVector === undefined && sourceDocID === undefined)
    throw new ServiceError('missing_fields',
      `missing fields: queryVector, because the vectors of ${vectorField} in ${name} are supplied`);
  const hasAny = (fields.statsOf(name)?.[vectorField]?.vectors ?? 0) > 0;
  // Supplied vectors are of no model that is known.
  const models = hasAny ? [{ model: '', variant: '', dimensions: field.dimensions }] : [];
  return {
    models,
    metric: field.metric,
    sideOf: (vector) => fields.sideOf([{ name: vectorField, field, vectors: [vector], weight: 1 }]),
  };
}

/** Scores of different measures have no order. Throws `invalid_argument`. */
function requireOneMetric(targets: Comparable): void {
  const [first, other] = Map.groupBy(targets, ([, { metric }]) => metric).values();
  if (first === undefined || other === undefined) return;
  const [[a, { metric }], [b, { metric: different }]] = [first[0]!, other[0]!];
  throw new ServiceError('invalid_argument',
    `vectorField must have the same metric in all collections: it is ${metric} in ${a} and ${different} in ${b}`);
}

function metricOf(targets: Comparable): Metric | undefined {
  return targets.values().next().value?.metric;
}

/** The results up to the end of the page, best first; equal ones by collection and id. */
function findBest(deps: CrossSearchDeps, targets: Comparable, input: Narrowed, algorithms: Set<Algorithm>,
  signal: AbortSignal): Promise<readonly Candidate[]>
{
  const { offset, topK, boost = {} } = input;
  // Documents that boosts raise may be farther than the nearest.
  const first = Object.keys(boost).length === 0 ? topK : candidatesOf({ limit: topK }, undefined);
  const lengths = listLengths(first, offset + topK);
  return joinLists(lengths, async (i, before: readonly Candidate[]) => {
    const known = new Set(before.map(({ ord }) => ord));
    const list = await searchTargets(deps, targets, { ...input, k: lengths[i]! }, algorithms, signal);
    return list.filter(({ ord }) => !known.has(ord));
  });
}

async function searchTargets(deps: CrossSearchDeps, targets: Comparable, input: Narrowed & { readonly k: number },
  algorithms: Set<Algorithm>, signal: AbortSignal): Promise<readonly Candidate[]>
{
  const found: Omit<Candidate, 'id'>[] = [];
  const waiting = targets.entries();
  // They share the iterator, so each takes the next collection when it has finished one.
  const searchers = Array.from({ length: AT_ONCE }, async () => {
    for (const [collection, target] of waiting) {
      signal.throwIfAborted();
      const { hits, algorithm } = await searchTarget(deps, collection, input, target, signal);
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

async function searchTarget({ sql, columns, clock }: CrossSearchDeps, collection: string,
  { k, sourceCollection, threshold, algorithm, filter, boost = {} }: Narrowed & {
    readonly k: number;
  }, { side, metric, wanted: { ord, ...query } }: Target, signal: AbortSignal): Promise<Retrieved<MeaningHit>>
{
  const isSourceHere = ord !== undefined && collection === sourceCollection!.toLowerCase();
  const { documents: eligible, columns: values } = await eligibleDocuments({ columns, clock }, collection, {
    filter,
    hidden: isSourceHere ? [ord] : [],
  });
  const retriever = vectorsRetriever(side, sql, {
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
