import type { Document, FullTextResult, Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../../lib/pace.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Queries } from '../../../storage/index.ts';
import type { Curated } from '../../curation/index.ts';
import { contextCost, keepsMeta, projectDocument, type ResultRow } from '../../documents/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { TextIndex } from '../view/text-index.ts';
import type { Found } from './find-documents.ts';
import { highlightsOf } from './highlights.ts';
import type { SearchRequest } from './request.ts';
import { readContent } from './result-rows.ts';
import { WordMatchers } from './word-matcher.ts';

/** A result with the number of text bytes that count for a token budget. */
export interface PresentedResult {
  readonly result: FullTextResult;
  readonly bytes: number;
}

interface PresentDeps {
  readonly sql: Queries;
  readonly codec: BodyCodec;
  readonly view: Pick<FullTextView, 'indexOf'>;
}

/** Whether results need their bodies, even if only for passages. */
export function needsBodies({ projection, highlight: options }: SearchRequest): boolean {
  return projection.body || options !== undefined;
}

/** Whether results need their metadata: to show them, or for passages. */
export function needsMeta({ projection, highlight: options }: SearchRequest): boolean {
  return keepsMeta(projection) || options !== undefined;
}

type Meta = Document['meta'];

/**
 * Results as they are returned: parts of documents, the terms they match, and passages around those; as many as the
 * answer may hold.
 */
export async function presentResults({ sql, codec, view }: PresentDeps, request: SearchRequest,
  found: readonly Curated<Found>[], { signal, budget }: AnswerBounds): Promise<PresentedResult[]>
{
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  const passagesOf = passagesFor(request, view.indexOf(request.collection));
  await codec.fetchAhead(found.map(({ row }) => row.body));
  for (const one of found) {
    signal.throwIfAborted();
    const { row } = one;
    if (row.meta === null && presented.length > 0) budget.end();
    if (budget.isSpent) break;
    if (row.meta === null && !(await readContent(sql, row, needsBodies(request)))) continue;
    const body = row.body === null ? NO_BODY : await bodyOf(codec, request, row.body);
    const { result, bytes, size } = present(request, one, body, passagesOf);
    if (!budget.take(size)) break;
    presented.push({ result, bytes });
    if (pace.isDue) await pace.rest();
  }
  return presented;
}

type PassagesOf = (row: ResultRow, meta: Meta, contentMd: Buffer) => Highlight[] | undefined;

/** Returns the passages of a document, or undefined if none are requested. */
function passagesFor(request: SearchRequest, index: TextIndex | undefined): PassagesOf {
  const { highlight, plan } = request;
  if (highlight === undefined) return () => undefined;
  const matchers = new WordMatchers(plan, index);
  return ({ key, lang }, meta, contentMd) => {
    const matcher = matchers.of({ key, lang, meta });
    return matcher === undefined ? [] : highlightsOf(request, highlight, matcher, { key, meta, contentMd });
  };
}

/** A body in the forms that results need: its text to show it, its bytes for passages. */
interface Body {
  readonly text: string;
  readonly utf8: Buffer;
}

const NONE = Buffer.alloc(0);
const NO_BODY: Body = { text: '', utf8: NONE };

async function bodyOf(codec: BodyCodec, { projection, highlight }: SearchRequest, body: Uint8Array): Promise<Body> {
  return highlight === undefined
    ? { text: await codec.decodeAsync(body), utf8: NONE }
    : codec.bytesAsync(body, projection.body);
}

function present({ projection }: SearchRequest, { row, score, terms, pinned }: Curated<Found>, { text, utf8 }: Body,
  passagesOf: PassagesOf): PresentedResult & { readonly size: number }
{
  const meta = row.meta === '{}' ? {} : JSON.parse(row.meta!) as Meta;
  const document = projectDocument(toDocument(row, meta, text), projection);
  const highlights = passagesOf(row, meta, utf8);
  const fragmentBytes = highlights === undefined ? 0 : contextCost({ fragments: highlights });
  const metaBytes = document.meta === undefined ? 0 : contextCost({ meta: document.meta });
  const body = projection.body ? row.bytes : undefined;
  const result: FullTextResult = { document, score, matchedTerms: [...terms] };
  if (highlights !== undefined) result.highlights = highlights;
  if (pinned) result.pinned = pinned;
  return {
    result,
    bytes: body ?? (fragmentBytes === 0 ? metaBytes : fragmentBytes),
    size: (body ?? 0) + fragmentBytes + metaBytes,
  };
}

export function toDocument(row: ResultRow, meta: Document['meta'], contentMd: string): Document {
  const document: Document = {
    id: row.id,
    key: row.key,
    lang: row.lang,
    meta,
    contentMd,
    addedAt: row.added_at,
    updatedAt: row.updated_at,
  };
  if (row.expires_at !== null) document.expiresAt = row.expires_at;
  return document;
}
