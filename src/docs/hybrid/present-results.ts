import type { HybridResult } from '../../../generated/docs/sdk/types.gen.ts';
import { distanceMeters, pointOf } from '../../search/geo/index.ts';
import type { Curated } from '../curation/index.ts';
import { Pace, projectDocument } from '../documents/index.ts';
import { toDocument, WordMatcher } from '../fulltext/index.ts';
import type { HybridDeps } from './deps.ts';
import type { Found } from './find-results.ts';
import { passageByWords, type ChosenPassage } from './passage-by-words.ts';
import type { HybridRequest } from './request.ts';

/** A result with the bytes of text that it carries, which a token budget counts. */
export interface PresentedResult {
  readonly result: Omit<HybridResult, 'rank'>;
  readonly bytes: number;
}

/** Results as they are answered. */
export async function presentResults(deps: HybridDeps, request: HybridRequest, found: readonly Curated<Found>[]): Promise<PresentedResult[]> {
  const matcher = new WordMatcher(request.words.plan);
  const bodies = new Map<number, Body>();
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  for (const one of found) {
    const { ord, body } = one.row;
    const known = bodies.get(ord) ?? toBody(body === null ? '' : await deps.words.codec.decodeAsync(body));
    // Several passages may be of one document.
    if (request.mode !== 'parent') bodies.set(ord, known);
    presented.push(present(deps, request, matcher, one, known));
    await pace.rest();
  }
  return presented;
}

interface Body {
  readonly contentMd: string;
  /** Its UTF-8, made when a passage of it is shown. */
  readonly bytes: () => Buffer;
}

function toBody(contentMd: string): Body {
  let bytes: Buffer | undefined;
  return { contentMd, bytes: () => (bytes ??= Buffer.from(contentMd)) };
}

function present(deps: HybridDeps, request: HybridRequest, matcher: WordMatcher, one: Curated<Found>, { contentMd, bytes }: Body): PresentedResult {
  const { row, hit, terms, pinned } = one;
  const { projection, circle } = request;
  const document = toDocument(row, JSON.parse(row.meta) as Record<string, string[]>, contentMd);
  const point = circle && pointOf(document.meta);
  const passage = passageOf(deps, request, matcher, one, document);
  const chunkText = passage && bytes().toString('utf8', passage.start, passage.end);
  return {
    result: {
      document: projectDocument(document, projection),
      combinedScore: round(hit?.score ?? 0),
      ftsScore: hit?.words?.score ?? 0,
      vectorScore: hit?.meaning?.score ?? 0,
      ...(hit?.words && { ftsRank: hit.words.rank }),
      ...(hit?.meaning && { vectorRank: hit.meaning.rank }),
      matchedTerms: [...terms],
      ...(pinned && { pinned }),
      ...(point && { distanceMeters: toCentimetres(distanceMeters(circle!.middle, point)) }),
      ...(passage && { chunkIndex: passage.chunk, chunkText: chunkText!, startLine: passage.startLine, endLine: passage.endLine }),
    },
    bytes: projection.body ? row.bytes : passage === undefined ? 0 : passage.end - passage.start,
  };
}

function passageOf(
  { chunker }: HybridDeps, { mode, windowSize }: HybridRequest, matcher: WordMatcher, { hit, passage }: Found, document: ReturnType<typeof toDocument>,
): ChosenPassage | undefined {
  if (mode === 'parent') return undefined;
  if (hit?.chunk !== undefined && passage !== undefined) return { ...passage, chunk: hit.chunk };
  return passageByWords(chunker, matcher, document, mode === 'window' ? windowSize : 0);
}

/** More digits than the sides' single precision has would be noise. */
function round(score: number): number {
  return Number(score.toPrecision(9));
}

function toCentimetres(meters: number): number {
  return Math.round(meters * 100) / 100;
}
