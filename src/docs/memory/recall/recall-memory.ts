import type { MessageRole, RecallMemoryResponse, RecallStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import { fuse, type FusedHit, type MeaningHit, reorder, REORDERED } from '../../../search/fusion/index.ts';
import type { Mark } from '../../../search/order/index.ts';
import { scoreByEncoder } from '../../embeddings/index.ts';
import { type TextHit, type WordsQuery } from '../../fulltext/index.ts';
import { costOf } from '../../search-cost.ts';
import { contentsFor, documentOf, type EligibilityDeps, eligibleDocuments, endPage, joinLists, listLengths, metaOf,
  orderResults, passedBefore, presentEach, projectDocument, readRows, type ResultRow, type Shown,
  shown } from '../../search/index.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers } from '../deps.ts';
import { type RecallRequest, resolveRecall } from './request.ts';
import type { Gate, MeaningSide, QueryVector, WordsSide } from './sides.ts';

export interface RecallDeps extends MemoryDeps, EligibilityDeps {
  readonly words: WordsSide;
  /** Absent: nothing can be found by vectors. */
  readonly meaning: MeaningSide | undefined;
  readonly gate: Gate;
}

/** A document that was found, and by which sides. */
interface RecallHit extends TextHit {
  /** Its best passage, if it was found by its vectors. */
  readonly chunk: number | undefined;
  readonly by: RecallStrategy;
  /** Where the next page starts; absent if the request has no order. */
  readonly mark?: Mark;
}

/** The parameters of a recall besides its request. */
interface Scope {
  readonly vector: QueryVector | undefined;
  readonly signal: AbortSignal;
}

type Result = RecallMemoryResponse['results'][number];

/** `POST /v1/memory/recall` (decisions section 4.7). Only the scoring occupies a place in the search gate. */
export function recallMemory(deps: RecallDeps): MemoryHandlers['recallMemory'] {
  return async (input, context) => {
    const { signal } = context;
    const request = withinReach(deps, resolveRecall(input, deps.collections.configOf(MEMORY)?.retrieval));
    const isBlank = request.query.trim() === '';
    const vector = !isBlank && byMeaning(request)
      ? await deps.meaning!.embedQuery(request.query, signal, MEMORY)
      : undefined;
    const documents = isBlank ? undefined : deps.columns.indexOf(MEMORY)?.documents;
    const isReranked = !isBlank && deps.meaning?.encoder.isWanted(request.rerank) === true &&
      request.order === undefined;
    const wanted = isReranked ? { ...request, topK: Math.max(request.topK, REORDERED) } : request;
    const hits = documents === undefined
      ? []
      : await deps.gate.run(() => findHits(deps, wanted, { vector, signal }), signal, costOf(input, documents));
    const encoderScores = isReranked
      ? await scoreByEncoder(deps.meaning!.encoder, request.query, hits, true, signal)
      : undefined;
    const ordered = encoderScores === undefined ? hits : reorder(hits, encoderScores.of);
    const response = await toResponse(deps, request, ordered.slice(request.offset, request.topK), context);
    return { ...response, ...(encoderScores && { reranked: encoderScores.count }) };
  };
}

/** Without a provider only the lexical side is searched, if the request allows it. */
function withinReach({ meaning }: RecallDeps, request: RecallRequest): RecallRequest {
  if (request.strategy === 'keyword' || meaning?.isConfigured()) return request;
  if (request.strategy === 'semantic') throw new ServiceError('invalid_argument', 'embedding provider not configured');
  return { ...request, strategy: 'keyword' };
}

/** A side with weight 0 is not searched. */
function byWords({ strategy, fusion }: RecallRequest): boolean {
  return strategy === 'keyword' || (strategy === 'hybrid' && !(fusion.strategy === 'alpha' && fusion.alpha === 1));
}

function byMeaning({ strategy, fusion }: RecallRequest): boolean {
  return strategy === 'semantic' || (strategy === 'hybrid' && !(fusion.strategy === 'alpha' && fusion.alpha === 0));
}

/** In the order of the request, from the start of the page. */
async function findHits(deps: RecallDeps, request: RecallRequest, scope: Scope): Promise<readonly RecallHit[]> {
  const { order } = request;
  const hits = await findBest(deps, request, scope);
  if (order === undefined) return hits;
  // A document is one result, whichever of its passages is the best.
  const ordered = await orderResults(deps.columns, MEMORY, hits.map((hit) => ({ ...hit, chunk: undefined })), order);
  return ordered.map(({ result, mark }) => ({ ...result, mark }));
}

/** Best first. */
async function findBest(deps: RecallDeps, request: RecallRequest,
  { vector, signal }: Scope): Promise<readonly RecallHit[]>
{
  const { query, strategy, fusion, candidates, topK, threshold, filter, order } = request;
  const { documents: eligible } = await eligibleDocuments(deps, MEMORY, { filter });
  const bySides = async (limit: number) =>
    Promise.all([byWords(request) ? deps.words.rankByWords({ collection: MEMORY, text: query, eligible, limit }) : [],
      vector === undefined
        ? []
        : nearest(deps.meaning!, order === undefined ? vector : { ...vector, text: undefined }, {
          eligible,
          limit,
          threshold,
        }, signal)]);
  if (strategy === 'hybrid') {
    const lengths = listLengths(candidates, order === undefined ? topK : 0);
    return joinLists(lengths, async (i, before: readonly RecallHit[]) => {
      const shown = new Set(before.map(({ ord }) => ord));
      return fuse(...await bySides(lengths[i]!), fusion).filter(({ ord }) => !shown.has(ord)).map(toRecallHit);
    });
  }
  const [words, meaning] = await bySides(order === undefined ? topK : candidates);
  return strategy === 'keyword'
    ? words.map(({ ord, score }) => ({ ord, score, chunk: undefined, by: strategy }))
    : meaning.map(({ ord, score, chunk }) => ({ ord, score, chunk, by: strategy }));
}

function toRecallHit({ ord, chunk, score, words, meaning }: FusedHit): RecallHit {
  return { ord, chunk, score, by: words === undefined ? 'semantic' : meaning === undefined ? 'keyword' : 'hybrid' };
}

/** The query of the vector side. */
interface NearestQuery extends Pick<WordsQuery, 'eligible' | 'limit'> {
  /** Minimum similarity; undefined for any. */
  readonly threshold: number | undefined;
}

/** Documents, each by its best passage. */
async function nearest(meaning: MeaningSide, vector: QueryVector, { eligible, limit, threshold }: NearestQuery,
  signal: AbortSignal): Promise<readonly MeaningHit[]>
{
  const least = threshold === undefined ? {} : { threshold };
  return (await meaning.searchByVector({
    ...vector,
    ...least,
    collection: MEMORY,
    eligible,
    k: limit,
    perDocument: true,
  }, signal)).hits;
}

async function toResponse(deps: RecallDeps,
  { query, strategy, includeContent, budget: tokens, offset, order }: RecallRequest, hits: readonly RecallHit[],
  bounds: AnswerBounds): Promise<RecallMemoryResponse>
{
  const rows = await readRows(deps.sql, hits.map(({ ord }) => ord),
    contentsFor(bounds.budget, includeContent, includeContent));
  const first = 1 + offset + (order === undefined ? 0 : passedBefore(order));
  const presented = await presentEach(deps, hits, {
    rowOf: ({ ord }) => rows.get(ord),
    withBodies: includeContent,
    show: async (hit, row, place) =>
      present(hit, row, row.body === null ? '' : await deps.codec.decodeAsync(row.body), includeContent, first + place),
  }, bounds);
  const { results, end } = endPage(presented, { offset, tokens, order }, bounds.budget, (at) => hits[at]?.mark);
  return { results, total: results.length, strategy, query, ...end };
}

function present({ score, by }: RecallHit, row: ResultRow, contentMd: string, includeContent: boolean,
  rank: number): Shown<Result>
{
  const meta = metaOf(row);
  const result: Result = {
    document: projectDocument(documentOf(row, meta, contentMd), { fields: undefined, body: includeContent }),
    rank,
    score: roundScore(score),
    sessionId: meta['session_id']![0]!,
    role: (meta['role']?.[0] ?? '') as
      | MessageRole
      | '', // a summary is nobody's
    matchStrategy: by,
  };
  return shown(result, { body: includeContent ? row.bytes : undefined, meta });
}
