import type { HybridResult } from '../../../generated/docs/sdk/types.gen.ts';
import { roundMeters, roundScore } from '../../lib/rounded.ts';
import type { AnswerBounds } from '../../operations/index.ts';
import { distanceMeters } from '../../search/geo/index.ts';
import type { Curated } from '../curation/index.ts';
import { WordMatchers } from '../fulltext/index.ts';
import { Bodies, type Body, documentOf, metaOf, passedBefore, presentEach, type Presented, projectDocument, type Shown,
  shown } from '../search/index.ts';
import type { HybridDeps } from './deps.ts';
import type { Found } from './find-results.ts';
import { type ChosenPassage, passageByWords } from './passage-by-words.ts';
import { type HybridRequest, needsBodies } from './request.ts';

/** Results as they are returned, as many as the answer may hold. */
export function presentResults(deps: HybridDeps, request: HybridRequest, found: readonly Curated<Found>[],
  bounds: AnswerBounds): Promise<Presented<HybridResult>>
{
  const { order, offset } = request;
  const matchers = new WordMatchers(request.words.plan);
  const bodies = new Bodies(deps.words.codec, found.map(({ row }) => row.ord));
  const first = 1 + offset + (order === undefined ? 0 : passedBefore(order));
  return presentEach(deps.words, found, {
    rowOf: ({ row }) => row,
    withBodies: needsBodies(request),
    show: async (one, row, place) => present(deps, request, matchers, one, await bodies.take(row), first + place),
  }, bounds);
}

function present(deps: HybridDeps, request: HybridRequest, matchers: WordMatchers, one: Curated<Found>, body: Body,
  rank: number): Shown<HybridResult>
{
  const { row, hit, terms, pinned } = one;
  const { projection, circle } = request;
  const document = documentOf(row, metaOf(row), body.text);
  const projected = projectDocument(document, projection);
  const point = circle && deps.words.geo.indexOf(request.collection)?.places.pointOf(row.ord);
  const passage = passageOf(deps, request, matchers, one, document);
  const chunkText = passage && body.bytes.toString('utf8', passage.start, passage.end);
  const result: HybridResult = {
    document: projected,
    combinedScore: roundScore(hit?.score ?? 0, 9),
    ftsScore: hit?.words?.score ?? 0,
    vectorScore: hit?.meaning?.score ?? 0,
    ...(hit?.words && { ftsRank: hit.words.rank }),
    ...(hit?.meaning && { vectorRank: hit.meaning.rank }),
    matchedTerms: [...terms],
    ...(pinned && { pinned }),
    ...(point && { distanceMeters: roundMeters(distanceMeters(circle!.middle, point)) }),
    ...(passage &&
      { chunkIndex: passage.chunk, chunkText: chunkText!, startLine: passage.startLine, endLine: passage.endLine }),
    rank,
  };
  return shown(result, {
    body: projection.body ? row.bytes : undefined,
    passage: passage && passage.end - passage.start,
    meta: projected.meta,
  });
}

function passageOf({ chunker }: HybridDeps, { mode, windowSize }: HybridRequest, matchers: WordMatchers,
  { hit, passage }: Found, document: ReturnType<typeof documentOf>): ChosenPassage | undefined
{
  if (mode === 'parent') return undefined;
  if (hit?.chunk !== undefined && passage !== undefined) return { ...passage, chunk: hit.chunk };
  return passageByWords(chunker, matchers.of(document), document, mode === 'window' ? windowSize : 0);
}
