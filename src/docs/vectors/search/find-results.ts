import { Pace } from '../../../lib/pace.ts';
import type { Mark } from '../../../search/order/index.ts';
import type { Algorithm } from '../../../search/vector/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { type EligibilityDeps, eligibleDocuments, ORDERED_CANDIDATES, orderResults,
  type ResultOrder } from '../../search/index.ts';
import type { NearestHit, QueryVector } from '../vector-search.ts';
import { chooseByMmr } from './mmr.ts';
import type { SearchRequest } from './request.ts';
import { type NearestDeps, searchByVector } from './search-by-vector.ts';
import { toWindows, type Window } from './windows.ts';

export type FindDeps = NearestDeps & Required<EligibilityDeps> & Pick<DocsEnvironment, 'sql'>;

/** A result before it is read. */
export interface Found extends Window {
  /** Where the next page starts; absent if results are best first and paged by offset. */
  readonly mark?: Mark;
}

export interface FoundResults {
  /** In the order of the answer. In the mode `parent` the chunks have no meaning. */
  readonly results: readonly Found[];
  readonly algorithm: Algorithm;
  /** Number of documents whose vectors could not be compared. */
  readonly incomparable: number;
}

/** Number of candidates for each result, by default (decisions section 4.3). */
const OVERSAMPLE = 3;
/** Maximum number of passages that one answer examines. */
const MAX_CANDIDATES = 10_000;
/** Maximum number of comparisons between candidates, each of which takes a fraction of a microsecond. */
const MAX_COMPARISONS = 4_000_000;
/** Maximum bytes of candidates that are compared with each other. */
const MAX_COMPARED_BYTES = 64 * 1024 * 1024;

/** The results of a request, before they are read; documents of `hidden` are left out. */
export async function findResults(deps: FindDeps, request: SearchRequest, query: QueryVector, signal: AbortSignal,
  hidden: readonly number[] = []): Promise<FoundResults>
{
  const { topK, filter, circle, mode, windowSize, lambda, metric } = request;
  const { documents: eligible } = await eligibleDocuments(deps, request.collection, { filter, circle, hidden });
  // In another order, or with a cursor, the scores are those of the vectors alone, which depend on no other document.
  const asked = request.order === undefined ? query : { ...query, text: undefined };
  const search = (k: number) =>
    searchByVector(deps, {
      ...asked,
      k,
      metric,
      eligible,
      collection: request.collection,
      algorithm: request.algorithm,
      threshold: request.threshold,
      oversample: request.oversample,
      perDocument: mode === 'parent',
      quotable: mode !== 'parent',
    }, signal);
  const finish = (hits: readonly NearestHit[],
    limit =
      topK): Window[] => (mode === 'window'
      ? toWindows(hits, windowSize, limit, (ord) => chunksOf(deps, request.collection, ord))
      : hits.slice(0, limit).map((hit) => ({ ...hit, first: hit.chunk, last: hit.chunk })));

  if (request.order !== undefined) {
    const { hits, algorithm, incomparable } = await search(ORDERED_CANDIDATES);
    return { results: await inOrder(deps, request, finish(hits, Infinity), request.order), algorithm, incomparable };
  }
  let candidates = candidatesOf(request, query.vector.length);
  for (;;) {
    const { hits, algorithm, incomparable } = await search(candidates);
    const ranked = lambda === undefined
      ? hits
      : await chooseByMmr(await withVectors(deps, request.collection, hits, query.vector.length), {
        metric,
        lambda,
        k: topK,
      });
    const results = finish(ranked);
    // Merged windows make it possible to add more.
    const isEnough = results.length === topK || hits.length < candidates || lambda !== undefined ||
      candidates === MAX_CANDIDATES;
    if (mode !== 'window' || isEnough) return { results, algorithm, incomparable };
    candidates = Math.min(MAX_CANDIDATES, candidates * 4);
  }
}

/** The results up to the end of the page, in the order of the request. */
async function inOrder({ columns }: FindDeps, { collection, mode, topK }: SearchRequest, windows: readonly Window[],
  order: ResultOrder): Promise<Found[]>
{
  // A document is one result, whichever of its passages is the best.
  const results = mode === 'parent' ? windows.map((window) => ({ ...window, chunk: 0 })) : windows;
  const ordered = await orderResults(columns, collection, results, order);
  return ordered.slice(0, topK).map(({ result, mark }) => ({ ...result, mark }));
}

function candidatesOf({ topK, oversample = OVERSAMPLE, mode, lambda }: SearchRequest, dims: number): number {
  if (mode !== 'window' && lambda === undefined) return topK;
  const wanted = Math.min(MAX_CANDIDATES, Math.ceil(topK * oversample));
  if (lambda === undefined) return wanted;
  return Math.max(topK,
    Math.min(wanted, Math.floor(MAX_COMPARISONS / topK), Math.floor(MAX_COMPARED_BYTES / (dims * 4))));
}

/** Hits whose vectors changed meanwhile are left out. */
async function withVectors(deps: FindDeps, collection: string, hits: readonly NearestHit[],
  dims: number): Promise<(NearestHit & { vector: Float32Array })[]>
{
  const byDocument = new Map<number, readonly Float32Array[]>();
  const found: (NearestHit & { vector: Float32Array })[] = [];
  const pace = new Pace();
  for (const hit of hits) {
    let vectors = byDocument.get(hit.ord);
    if (vectors === undefined)
      byDocument.set(hit.ord, vectors = deps.view.indexOf(collection)?.vectorsOf(hit.ord) ?? []);
    const vector = vectors[hit.chunk];
    if (vector?.length === dims) found.push({ ...hit, vector });
    await pace.rest();
  }
  return found;
}

function chunksOf(deps: FindDeps, collection: string, ord: number): number {
  return deps.view.indexOf(collection)?.chunkCount(ord) ?? 0;
}
