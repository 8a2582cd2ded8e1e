import type { Highlight, ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { roundMeters } from '../../lib/rounded.ts';
import type { AnswerBounds } from '../../operations/index.ts';
import { type FusedHit, reorder, REORDERED } from '../../search/fusion/fuse.ts';
import { gathered } from '../../search/parts/index.ts';
import type { BodyCodec } from '../../storage/index.ts';
import type { Curated } from '../curation/index.ts';
import type { Encoder } from '../embeddings/index.ts';
import type { Cost, SearchGate } from '../search-gate.ts';
import { diversify, type StoredVectors } from './diversify.ts';
import { type Counted, countFacets, type ShownFacets, shownFacets } from './facets.ts';
import { bestHits, type FindDeps, findResults, type FindScope, type Found, type FoundResults } from './find.ts';
import { passedBefore } from './order.ts';
import { addVectors, documentOf, endPage, keepsMeta, metaOf, type PageEnd, presentEach, type Presented, projectDocument,
  type Shown, shown } from './present.ts';
import { Bodies, type Body, contentsFor } from './read-rows.ts';
import type { RankedRequest } from './request.ts';
import { type EncoderScores, scoreByEncoder } from './rerank.ts';
import { distancesOf } from './retrieve.ts';
import { isWhole, type Passage } from './retriever.ts';

export interface RankedDeps extends FindDeps {
  readonly codec: BodyCodec;
  /** Only scoring occupies a place. Absent if the call itself has one. */
  readonly gate?: Pick<SearchGate, 'run'> | undefined;
  /** Absent: nothing is reranked by it. */
  readonly encoder?: Pick<Encoder, 'isWanted' | 'similarities' | 'known'> | undefined;
  /** With which results are compared. Absent: there are none. */
  readonly vectors?: StoredVectors | undefined;
}

/** A passage with the chunk that represents it. */
export interface ChosenPassage extends Omit<Passage, 'crc' | 'bytes'> {
  readonly chunk: number;
}

/** A document in which passages are looked for. */
export interface MatchedDocument<Content> {
  readonly key: string;
  readonly lang: string;
  readonly meta: Record<string, string[]>;
  readonly contentMd: Content;
}

/** What a result has in every search. */
export interface ResultParts {
  readonly document: ProjectedDocument;
  /** From 1. Of the further fields, a result has those that its request asks for. */
  readonly rank: number;
  readonly chunkIndex?: number;
  readonly chunkText?: string;
  readonly startLine?: number;
  readonly endLine?: number;
  readonly distanceMeters?: number;
  readonly highlights?: Highlight[];
}

/** A search by words, by vectors or by both. */
export interface RankedSearch<R> extends Omit<FindScope, 'signal' | 'rerank'> {
  readonly request: RankedRequest;
  /** Undefined if there is nothing that could be found: then nothing is searched. */
  readonly cost: Cost | undefined;
  /** How much a document has a rare word of the query, from 0 to 1, for the encoder. */
  readonly rareWord?: ((hits: readonly FusedHit[]) => ((ord: number) => number) | undefined) | undefined;
  /**
   * The passage of a document that the vector side did not find, in the modes `chunk` and `window`; undefined leaves it
   * out.
   */
  readonly passageOf?: (document: MatchedDocument<string>) => ChosenPassage | undefined;
  /** The marked passages of a document, whose body is UTF-8; absent if none are requested. */
  readonly highlightsOf?: ((document: MatchedDocument<Buffer>) => Promise<Highlight[]>) | undefined;
  readonly show: (found: Curated<Found>, parts: ResultParts) => R;
}

/** The fields that the answers of all searches have. */
export type AnswerFields<R> = ShownFacets & PageEnd<R>['end'] & {
  readonly results: R[];
  /** Number of these results. */
  readonly total: number;
  /** Number of results that the encoder has scored; absent if it was not asked. */
  readonly reranked?: number;
};

export interface RankedAnswer<R> extends Pick<FoundResults, 'isLowerBound' | 'algorithm' | 'incomparable' | 'alpha'> {
  readonly answer: AnswerFields<R>;
  /** Number of all matches; undefined if they were not counted. */
  readonly matches: number | undefined;
  /** What the request asked for and could not have. */
  readonly warnings: readonly string[];
}

/** The result for a collection in which there is nothing to find. */
const NOTHING: FoundResults = {
  results: [],
  all: undefined,
  total: undefined,
  isLowerBound: false,
  algorithm: undefined,
  incomparable: 0,
  alpha: undefined,
};

/** Finds and presents a page of results. Only the scoring occupies a place in the search gate. */
export async function searchRanked<R>(deps: RankedDeps, search: RankedSearch<R>,
  bounds: AnswerBounds): Promise<RankedAnswer<R>>
{
  const { signal, budget } = bounds;
  const isReranked = isEncoderWanted(deps, search);
  const request = isReranked ? withEnough(search.request) : search.request;
  const warnings = new Set<string>();
  const scores = isReranked ? await scoresOf(deps, request, search, warnings, signal) : undefined;
  const { found, counted } = await findAndCount(deps, request, {
    ...search,
    signal,
    rerank: scores === undefined
      ? diversifier(deps, request, warnings)
      : (hits: readonly FusedHit[]) => reorder(hits, scores.of),
  }, budget);
  const { facetBy, offset, order } = request;
  const facets = shownFacets(facetBy, counted?.facets, budget);
  const presented = await present(deps, search, found.results, bounds);
  const { results, end } = endPage(presented, { offset, tokens: request.budget, order }, budget,
    (at) => found.results[at]?.mark);
  const { total, isLowerBound, algorithm, incomparable, alpha } = found;
  return {
    answer: { results, total: results.length, ...facets, ...end, ...(scores && { reranked: scores.count }) },
    matches: counted?.documents ?? total,
    isLowerBound,
    algorithm,
    incomparable,
    alpha,
    warnings: [...warnings],
  };
}

const NOT_DIVERSE = 'mmr: none of the results has vectors, so they are in the order of their scores';

/** Chooses hits for diversity; undefined if the request does not want that. */
function diversifier({ vectors }: RankedDeps,
  { collection, diversity, mode, offset, limit, passagesPerDocument }: RankedRequest,
  warnings: Set<string>): FindScope['rerank']
{
  if (diversity === undefined) return undefined;
  return async (hits) => {
    // Where windows merge, or passages are left out, it is not known how many are needed.
    const isOpen = mode === 'window' || passagesPerDocument !== undefined;
    const count = isOpen ? hits.length : Math.min(offset + limit, hits.length);
    const chosen = vectors && await diversify(vectors, collection, diversity, hits, count);
    if (hits.length > 0 && (chosen?.compared ?? 0) === 0) warnings.add(NOT_DIVERSE);
    return chosen?.hits ?? hits;
  };
}

interface FoundAndCounted {
  readonly found: FoundResults;
  readonly counted: Counted | undefined;
}

/**
 * The results of a page, and the facets of all matches. Facets come from the columns; only a result that is deleted
 * before they are counted is counted by its metadata. So those are read for facets only after that has happened, in a
 * second search: reading rows takes longer than counting.
 */
async function findAndCount<R>(deps: RankedDeps, request: RankedRequest, search: RankedSearch<R> & FindScope,
  budget: AnswerBounds['budget']): Promise<FoundAndCounted>
{
  const { projection, collection, facetBy: fields = [], facetMaxValues: max } = request;
  const { sides, cost } = search;
  const withBodies = needsBodies(search);
  const content = contentsFor(budget, withBodies, projection.body);
  if (cost === undefined) return { found: NOTHING, counted: undefined };
  // Metadata also show whether a document is source code, whose passages are different.
  for (let withMeta = keepsMeta(projection) || withBodies;; withMeta = true) {
    const found = await scored(deps, search, () => findResults(deps, request, search, { ...content, withMeta }));
    const { all, results } = found;
    if (all === undefined) return { found, counted: undefined };
    const counted = await countFacets(deps.columns, collection, all, { fields, max, isMetaUnread: !withMeta },
      results.map(({ row }) => row));
    if (isWhole(sides)) sides.words!.release?.(all);
    if (counted !== undefined) return { found, counted };
  }
}

/** Runs in a place of the search gate. */
function scored<T>({ gate }: RankedDeps,
  { cost, signal }: Pick<RankedSearch<never>, 'cost'> & Pick<FindScope, 'signal'>, work: () => Promise<T>): Promise<T>
{
  return gate === undefined ? work() : gate.run(work, signal, cost);
}

/** Whether results need their bodies, even if only for passages. */
function needsBodies<R>({ request: { projection, mode }, highlightsOf }: RankedSearch<R>): boolean {
  return projection.body || mode !== 'parent' || highlightsOf !== undefined;
}

/** An order of the request, or of its own, is kept. Throws `invalid_argument` if no encoder is installed. */
function isEncoderWanted<R>({ encoder }: RankedDeps, { request }: RankedSearch<R>): boolean {
  return encoder?.isWanted(request.rerank) === true && request.order === undefined &&
    request.diversity === undefined &&
    request.query.trim() !== '';
}

/** The request with as many candidates as the encoder puts in order. */
function withEnough(request: RankedRequest): RankedRequest {
  return { ...request, candidates: Math.max(request.candidates, REORDERED) };
}

/** The encoder's scores of the best hits; it is called without a place in the search gate. */
async function scoresOf<R>(deps: RankedDeps, request: RankedRequest, { cost, rareWord, ...scope }: RankedSearch<R>,
  warnings: Set<string>, signal: AbortSignal): Promise<EncoderScores>
{
  const hits = cost === undefined
    ? []
    : await scored(deps, { cost, signal }, () => bestHits(deps, request, { ...scope, signal }));
  const first = hits.slice(0, REORDERED);
  const known = await deps.encoder!.known(request.query, [...new Set(first.map(({ ord }) => ord))]);
  const rated = known.isText ? first.filter(({ ord }) => known.ords.has(ord)) : [];
  if (!known.isText && first.length > 0) warnings.add(UNKNOWN_QUERY);
  else if (rated.length < first.length) warnings.add(unknownResults(first.length - rated.length));
  const rare = await gathered(() => rareWord?.(hits));
  return scoreByEncoder(deps.encoder!, request.query, rated, request.mode === 'parent', signal, rare);
}

const UNKNOWN_QUERY =
  'rerank: the encoder knows English only, and the query seems to be in another language: nothing was reranked';

function unknownResults(count: number): string {
  const results = count === 1 ? '1 result in another language' : `${count} results in other languages`;
  return `rerank: the encoder knows English only: ${results} kept ${count === 1 ? 'its place' : 'their places'}`;
}

/** Results as they are returned, as many as the answer may hold. */
async function present<R>(deps: RankedDeps, search: RankedSearch<R>, found: readonly Curated<Found>[],
  bounds: AnswerBounds): Promise<Presented<R>>
{
  const { order, offset } = search.request;
  const ords = found.map(({ row }) => row.ord);
  const bodies = new Bodies(deps.codec, ords);
  const distances = await distancesOf(deps, search.request, ords);
  const first = 1 + offset + (order === undefined ? 0 : passedBefore(order));
  return presentEach(deps, found, {
    rowOf: ({ row }) => row,
    withBodies: needsBodies(search),
    show: async (one, row, place) =>
      presentOne(deps, search, one, await bodies.take(row), { rank: first + place, distance: distances.get(row.ord) }),
  }, bounds);
}

/** Undefined if a passage is wanted, and nothing finds one. */
async function presentOne<R>({ sql }: RankedDeps, { request, passageOf, highlightsOf, show }: RankedSearch<R>,
  one: Curated<Found>, body: Body,
  { rank, distance }: { readonly rank: number; readonly distance: number | undefined }): Promise<Shown<R> | undefined>
{
  const { projection, mode } = request;
  const { row, hit, passage: known } = one;
  const { key, lang } = row;
  const meta = metaOf(row);
  const document = projectDocument(documentOf(row, meta, projection.body ? body.text : ''), projection);
  const highlights = await highlightsOf?.({ key, lang, meta, contentMd: body.bytes });
  const vectors = projection.vectors === undefined ? 0 : await addVectors(sql, document, row.ord, projection);
  const texts = { body: projection.body ? row.bytes : undefined, highlights, vectors, meta: document.meta };
  const parts: { -readonly [Name in keyof ResultParts]: ResultParts[Name] } = { document, rank };
  if (highlights !== undefined) parts.highlights = highlights;
  if (distance !== undefined) parts.distanceMeters = roundMeters(distance);
  if (mode === 'parent') return shown(show(one, parts), texts);
  // If the body was changed after its passages were read, their places are invalid.
  const isPlaced = known !== undefined && known.bytes === body.bytes.length && known.crc === body.crc;
  const passage = isPlaced ? { ...known, chunk: hit!.chunk! } : passageOf?.({ key, lang, meta, contentMd: body.text });
  if (passage === undefined && passageOf === undefined) return undefined;
  if (passage !== undefined) {
    const { chunk, start, end, startLine, endLine } = passage;
    Object.assign(parts, { chunkIndex: chunk, chunkText: body.bytes.toString('utf8', start, end), startLine, endLine });
  }
  return shown(show(one, parts), { ...texts, passage: passage && passage.end - passage.start });
}
