import type { MessageRole, RecallMemoryResponse, RecallStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { Pace } from '../../../lib/pace.ts';
import { type AnswerBounds, truncationOf } from '../../../operations/index.ts';
import { fuse, type FusedHit, type MeaningHit, reorder, REORDERED } from '../../../search/fusion/index.ts';
import type { Mark } from '../../../search/order/index.ts';
import type { BodyCodec } from '../../../storage/index.ts';
import { cursorBehind, orderResults, passedBefore } from '../../columns/index.ts';
import { contentsFor, contextCost, countWithinBudget, projectDocument, type ResultRow } from '../../documents/index.ts';
import { scoreByEncoder } from '../../embeddings/index.ts';
import { type EligibilityDeps, eligibleDocuments, readContent, readRows, type TextHit,
  type WordsQuery } from '../../fulltext/index.ts';
import { costOf } from '../../search-cost.ts';
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
  const limit = strategy === 'hybrid' || order !== undefined ? candidates : topK;
  const [words, meaning] = await Promise.all([
    byWords(request) ? deps.words.rankByWords({ collection: MEMORY, text: query, eligible, limit }) : [],
    vector === undefined ? [] : nearest(deps.meaning!, order === undefined ? vector : { ...vector, text: undefined }, {
      eligible,
      limit,
      threshold,
    }, signal),
  ]);
  if (strategy === 'hybrid') return fuse(words, meaning, fusion).map(toRecallHit);
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

async function toResponse({ sql, codec }: RecallDeps,
  { query, strategy, includeContent, budget, offset, order }: RecallRequest, hits: readonly RecallHit[],
  { signal, budget: room }: AnswerBounds): Promise<RecallMemoryResponse>
{
  const rows = await readRows(sql, hits.map(({ ord }) => ord), contentsFor(room, includeContent, includeContent));
  const pace = new Pace();
  const results: Result[] = [];
  const bytes: number[] = [];
  /** Position of each result among the hits. */
  const at: number[] = [];
  const before = offset + (order === undefined ? 0 : passedBefore(order));
  let next = 0;
  for (const hit of hits) {
    signal.throwIfAborted();
    const row = rows.get(hit.ord);
    if (row?.meta === null && results.length > 0) room.end();
    if (room.isSpent) break;
    next += 1;
    // deleted meanwhile
    if (row === undefined || (row.meta === null && !(await readContent(sql, row, includeContent)))) continue;
    const result = await present(codec, hit, row, before + results.length + 1);
    const body = includeContent ? row.bytes : undefined;
    const { meta } = result.document;
    if (!room.take((body ?? 0) + contextCost({ meta }))) {
      next -= 1;
      break;
    }
    results.push(result);
    at.push(next - 1);
    bytes.push(contextCost({ body, meta }));
    await pace.rest();
  }
  const fitting = countWithinBudget(bytes, budget);
  const contextTruncated = fitting < results.length;
  const nextCursor = order && cursorBehind(order, hits[contextTruncated ? at[fitting - 1]! : next - 1]?.mark);
  return {
    results: results.slice(0, fitting),
    total: fitting,
    strategy,
    query,
    ...(contextTruncated && { contextTruncated }),
    ...(order?.cursor === undefined && truncationOf(room.isSpent && !contextTruncated, offset + next)),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

async function present(codec: BodyCodec, { score, by }: RecallHit, row: ResultRow, rank: number): Promise<Result> {
  const meta = JSON.parse(row.meta!) as Record<string, string[]>;
  const document = projectDocument({
    id: row.id,
    key: row.key,
    lang: row.lang,
    meta,
    contentMd: row.body === null ? '' : await codec.decodeAsync(row.body),
    addedAt: row.added_at,
    updatedAt: row.updated_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  }, { fields: undefined, body: row.body !== null });
  return {
    document,
    rank,
    score: Number(score.toPrecision(8)), // sides score in single precision: further digits would be noise
    sessionId: meta['session_id']![0]!,
    role: (meta['role']?.[0] ?? '') as
      | MessageRole
      | '', // a summary is nobody's
    matchStrategy: by,
  };
}
