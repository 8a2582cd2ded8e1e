import type { HybridResult } from '../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../lib/pace.ts';
import type { AnswerBounds } from '../../operations/index.ts';
import { distanceMeters } from '../../search/geo/index.ts';
import type { Curated } from '../curation/index.ts';
import { contextCost, projectDocument } from '../documents/index.ts';
import { readContent, toDocument, WordMatchers } from '../fulltext/index.ts';
import type { HybridDeps } from './deps.ts';
import type { Found } from './find-results.ts';
import { type ChosenPassage, passageByWords } from './passage-by-words.ts';
import { type HybridRequest, needsBodies } from './request.ts';

/** A result with the number of text bytes that count for a token budget. */
export interface PresentedResult {
  readonly result: Omit<HybridResult, 'rank'>;
  /** Its position among the results that were found. */
  readonly at: number;
  readonly bytes: number;
}

/**
 * Results as they are returned, as many as the answer may hold; `next` is the position of the first one that did not
 * fit.
 */
export async function presentResults(deps: HybridDeps, request: HybridRequest, found: readonly Curated<Found>[],
  { signal, budget }: AnswerBounds): Promise<{ presented: PresentedResult[]; next: number }>
{
  const matchers = new WordMatchers(request.words.plan);
  const bodies = new Map<number, Body>();
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  await deps.words.codec.fetchAhead(found.map(({ row }) => row.body));
  for (const [i, one] of found.entries()) {
    signal.throwIfAborted();
    const { row } = one;
    if (row.meta === null && presented.length > 0) budget.end();
    if (budget.isSpent) return { presented, next: i };
    if (row.meta === null && !(await readContent(deps.words.sql, row, needsBodies(request)))) continue;
    const known = bodies.get(row.ord) ?? toBody(row.body === null ? '' : await deps.words.codec.decodeAsync(row.body));
    // Several passages may belong to one document.
    if (request.mode !== 'parent') bodies.set(row.ord, known);
    const { size, ...result } = present(deps, request, matchers, one, known);
    if (!budget.take(size)) return { presented, next: i };
    presented.push({ ...result, at: i });
    await pace.rest();
  }
  return { presented, next: found.length };
}

interface Body {
  readonly contentMd: string;
  /** Its UTF-8, encoded when a passage of it is shown. */
  readonly bytes: () => Buffer;
}

function toBody(contentMd: string): Body {
  let bytes: Buffer | undefined;
  return { contentMd, bytes: () => (bytes ??= Buffer.from(contentMd)) };
}

function present(deps: HybridDeps, request: HybridRequest, matchers: WordMatchers, one: Curated<Found>,
  { contentMd, bytes }: Body): Omit<PresentedResult, 'at'> & { readonly size: number }
{
  const { row, hit, terms, pinned } = one;
  const { projection, circle } = request;
  const document = toDocument(row, JSON.parse(row.meta!) as Record<string, string[]>, contentMd);
  const shown = projectDocument(document, projection);
  const point = circle && deps.words.geo.indexOf(request.collection)?.places.pointOf(row.ord);
  const passage = passageOf(deps, request, matchers, one, document);
  const body = projection.body ? row.bytes : undefined;
  const chunkText = passage && bytes().toString('utf8', passage.start, passage.end);
  return {
    result: {
      document: shown,
      combinedScore: round(hit?.score ?? 0),
      ftsScore: hit?.words?.score ?? 0,
      vectorScore: hit?.meaning?.score ?? 0,
      ...(hit?.words && { ftsRank: hit.words.rank }),
      ...(hit?.meaning && { vectorRank: hit.meaning.rank }),
      matchedTerms: [...terms],
      ...(pinned && { pinned }),
      ...(point && { distanceMeters: toCentimetres(distanceMeters(circle!.middle, point)) }),
      ...(passage &&
        { chunkIndex: passage.chunk, chunkText: chunkText!, startLine: passage.startLine, endLine: passage.endLine }),
    },
    bytes: contextCost({ body, passage: passage && passage.end - passage.start, meta: shown.meta }),
    size: (body ?? 0) + Buffer.byteLength(chunkText ?? '') + contextCost({ meta: shown.meta }),
  };
}

function passageOf({ chunker }: HybridDeps, { mode, windowSize }: HybridRequest, matchers: WordMatchers,
  { hit, passage }: Found, document: ReturnType<typeof toDocument>): ChosenPassage | undefined
{
  if (mode === 'parent') return undefined;
  if (hit?.chunk !== undefined && passage !== undefined) return { ...passage, chunk: hit.chunk };
  return passageByWords(chunker, matchers.of(document), document, mode === 'window' ? windowSize : 0);
}

/** The sides have single precision, so further digits would have no meaning. */
function round(score: number): number {
  return Number(score.toPrecision(9));
}

function toCentimetres(meters: number): number {
  return Math.round(meters * 100) / 100;
}
