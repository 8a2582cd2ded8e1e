import type { Document, FullTextResult, Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Queries } from '../../../storage/index.ts';
import type { Curated } from '../../curation/index.ts';
import { Pace } from '../../../lib/pace.ts';
import { contextCost, keepsMeta, projectDocument, type ResultRow } from '../../search/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { Found } from './find-documents.ts';
import { type PassageDeps, type Passages, type RememberedPassages, withPassages } from './passages.ts';
import type { SearchRequest } from './request.ts';
import { readContent } from '../../search/index.ts';

/** A result with the number of text bytes that count for a token budget. */
export interface PresentedResult {
  readonly result: FullTextResult;
  readonly bytes: number;
}

interface PresentDeps extends PassageDeps {
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

/**
 * Results as they are returned: parts of documents, the terms they match, and passages around those; as many as the answer may hold.
 * `remembered`: passages that were found with the documents.
 */
export function presentResults(deps: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[], bounds: AnswerBounds, remembered?: RememberedPassages): Promise<PresentedResult[]> {
  if (request.highlight === undefined) return presentEach(deps, request, found, bounds);
  return withPassages(deps, request, request.highlight, deps.view.indexOf(request.collection), (passages) => presentEach(deps, request, found, bounds, {
    ...passages,
    known: (row) => remembered?.of(row) ?? passages.known(row),
  }));
}

/** Without `passages`, none are returned. */
async function presentEach({ sql, codec }: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[], { signal, budget }: AnswerBounds, passages?: Passages): Promise<PresentedResult[]> {
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  await codec.fetchAhead(found.map(({ row }) => row.body));
  for (let one of found) {
    signal.throwIfAborted();
    let { row } = one;
    if (row.meta === null && presented.length > 0) budget.end();
    if (budget.isSpent) break;
    if (row.meta === null && !(await readContent(sql, row, needsBodies(request)))) continue;
    const known = passages?.known(row);
    // The document is of another version than the remembered passages, for which its body was not read.
    if (needsBodies(request) && known === undefined && row.body === null) {
      // A copy, because a row may be shared.
      row = { ...row, meta: null };
      if (!(await readContent(sql, row, true))) continue;
      one = { ...one, row };
    }
    const body = row.body === null || (known !== undefined && !request.projection.body) ? NO_BODY : await bodyOf(codec, request, row.body, known === undefined && passages !== undefined);
    const { result, bytes, size } = present(request, one, body, (meta) => known ?? passages?.find(row, meta, body.utf8));
    if (!budget.take(size)) break;
    presented.push({ result, bytes });
    if (pace.isDue) await pace.rest();
  }
  return presented;
}

/** A body in the forms that results need: its text to show it, its bytes for passages. */
interface Body {
  readonly text: string;
  readonly utf8: Buffer;
}

const NONE = Buffer.alloc(0);
const NO_BODY: Body = { text: '', utf8: NONE };

async function bodyOf(codec: BodyCodec, { projection }: SearchRequest, body: Uint8Array, withBytes: boolean): Promise<Body> {
  return withBytes ? codec.bytesAsync(body, projection.body) : { text: await codec.decodeAsync(body), utf8: NONE };
}

function present({ projection }: SearchRequest, { row, score, terms, pinned }: Curated<Found>, { text }: Body, passagesBy: (meta: Record<string, string[]>) => readonly Highlight[] | undefined): PresentedResult & { readonly size: number } {
  const meta = row.meta === '{}' ? {} : JSON.parse(row.meta!) as Record<string, string[]>;
  const document = projectDocument(toDocument(row, meta, text), projection);
  const highlights = passagesBy(meta);
  const fragmentBytes = highlights === undefined ? 0 : bytesOf(highlights);
  const metaBytes = document.meta === undefined ? 0 : contextCost({ meta: document.meta });
  const body = projection.body ? row.bytes : undefined;
  const result: FullTextResult = { document, score, matchedTerms: [...terms] };
  // The list is shared with later answers, which its type cannot say.
  if (highlights !== undefined) result.highlights = highlights as Highlight[];
  if (pinned) result.pinned = pinned;
  return {
    result,
    bytes: body ?? (fragmentBytes === 0 ? metaBytes : fragmentBytes),
    size: (body ?? 0) + fragmentBytes + metaBytes,
  };
}

/** By list, because remembered passages are shown again and again. */
const sizes = new WeakMap<readonly Highlight[], number>();

function bytesOf(highlights: readonly Highlight[]): number {
  let bytes = sizes.get(highlights);
  if (bytes === undefined) sizes.set(highlights, bytes = contextCost({ fragments: highlights }));
  return bytes;
}

export function toDocument(row: ResultRow, meta: Document['meta'], contentMd: string): Document {
  const document: Document = { id: row.id, key: row.key, lang: row.lang, meta, contentMd, addedAt: row.added_at, updatedAt: row.updated_at };
  if (row.expires_at !== null) document.expiresAt = row.expires_at;
  return document;
}
