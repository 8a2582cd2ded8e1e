import type { Document, FullTextResult } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Queries } from '../../../storage/index.ts';
import type { Curated } from '../../curation/index.ts';
import { Pace } from '../../../lib/pace.ts';
import { contextCost, keepsMeta, projectDocument, type ResultRow } from '../../documents/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { Found } from './find-documents.ts';
import { highlightsOf } from './highlights.ts';
import type { RememberedHighlights } from './remembered-highlights.ts';
import type { RememberedMatchers } from './remembered-matchers.ts';
import type { SearchRequest } from './request.ts';
import { readContent } from './result-rows.ts';
import type { WordMatchers } from './word-matcher.ts';

/** A result with the bytes of text that a token budget counts. */
export interface PresentedResult {
  readonly result: FullTextResult;
  readonly bytes: number;
}

interface PresentDeps {
  readonly sql: Queries;
  readonly codec: BodyCodec;
  readonly view: Pick<FullTextView, 'indexOf'>;
  readonly matchers: RememberedMatchers;
  readonly highlights: RememberedHighlights;
}

/** Whether results need their bodies, if only for passages of them. */
export function needsBodies({ projection, highlight: options }: SearchRequest): boolean {
  return projection.body || options !== undefined;
}

/** Whether results need their metadata: to be shown, for passages of them, or to be counted. */
export function needsMeta({ projection, highlight: options, facetBy }: SearchRequest): boolean {
  return keepsMeta(projection) || options !== undefined || facetBy !== undefined;
}

/**
 * Results as they are answered: documents in part, the terms they match, and passages around those; as many as the
 * answer may hold.
 */
export function presentResults(deps: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[], bounds: AnswerBounds): Promise<PresentedResult[]> {
  if (request.highlight === undefined) return presentEach(deps, request, found, bounds);
  return deps.matchers.use(request.plan, deps.view.indexOf(request.collection), (matchers) => presentEach(deps, request, found, bounds, matchers));
}

/** Without matchers, no passages are wanted. */
async function presentEach({ sql, codec, highlights }: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[], { signal, budget }: AnswerBounds, matchers?: WordMatchers): Promise<PresentedResult[]> {
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  await codec.fetchAhead(found.map(({ row }) => row.body));
  for (const one of found) {
    signal.throwIfAborted();
    const { row } = one;
    if (row.meta === null && presented.length > 0) budget.end();
    if (budget.isSpent) break;
    if (row.meta === null && !(await readContent(sql, row, needsBodies(request)))) continue;
    const { result, bytes, size } = present(request, { matchers, highlights }, one, row.body === null ? NO_BODY : await bodyOf(codec, request, row.body));
    if (!budget.take(size)) break;
    presented.push({ result, bytes });
    if (pace.isDue) await pace.rest();
  }
  return presented;
}

/** A body in the forms that results need it in: its text to be shown, its bytes for passages of it. */
interface Body {
  readonly text: string;
  readonly utf8: Buffer;
}

const NONE = Buffer.alloc(0);
const NO_BODY: Body = { text: '', utf8: NONE };

async function bodyOf(codec: BodyCodec, { projection, highlight }: SearchRequest, body: Uint8Array): Promise<Body> {
  return highlight === undefined ? { text: await codec.decodeAsync(body), utf8: NONE } : codec.bytesAsync(body, projection.body);
}

/** What passages are found by. */
interface Marking {
  readonly matchers: WordMatchers | undefined;
  readonly highlights: RememberedHighlights;
}

function present(request: SearchRequest, { matchers, highlights: remembered }: Marking, { row, score, terms, pinned }: Curated<Found>, { text, utf8 }: Body): PresentedResult & { readonly size: number } {
  const { projection, highlight: options } = request;
  const meta = JSON.parse(row.meta!) as Record<string, string[]>;
  const document = projectDocument(toDocument(row, meta, text), projection);
  const matcher = matchers?.of({ key: row.key, lang: row.lang, meta });
  const highlights = options && (matcher === undefined ? [] : highlightsOf(request, options, matcher, { key: row.key, meta, contentMd: utf8 }, remembered));
  const body = projection.body ? row.bytes : undefined;
  return {
    result: { document, score, matchedTerms: [...terms], ...(highlights && { highlights }), ...(pinned && { pinned }) },
    bytes: contextCost({ body, fragments: highlights, meta: document.meta }),
    size: (body ?? 0) + contextCost({ fragments: highlights }) + contextCost({ meta: document.meta }),
  };
}

export function toDocument(row: ResultRow, meta: Document['meta'], contentMd: string): Document {
  return {
    id: row.id, key: row.key, lang: row.lang, meta, contentMd, addedAt: row.added_at, updatedAt: row.updated_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  };
}
