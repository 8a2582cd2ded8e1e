import type { FullTextResult } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Queries } from '../../../storage/index.ts';
import type { Curated } from '../../curation/index.ts';
import { documentOf, keepsMeta, metaOf, presentEach, type Presented, projectDocument, type ResultRow, type Shown,
  shown } from '../../search/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { Found } from './find-documents.ts';
import { type Highlighter, highlighterOf } from './highlights.ts';
import type { SearchRequest } from './request.ts';

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

/**
 * Results as they are returned: parts of documents, the terms they match, and passages around those; as many as the
 * answer may hold.
 */
export function presentResults(deps: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[],
  bounds: AnswerBounds): Promise<Presented<FullTextResult>>
{
  const highlighter = highlighterOf(request, deps.view.indexOf(request.collection));
  const show = async (one: Curated<Found>, row: ResultRow): Promise<Shown<FullTextResult>> => {
    const body = row.body === null ? NO_BODY : await bodyOf(deps.codec, request, row.body);
    return present(request, one, row, body, highlighter);
  };
  return presentEach(deps, found, { rowOf: ({ row }) => row, withBodies: needsBodies(request), show }, bounds);
}

/** A body in the forms that results need: its text to show it, its bytes for passages. */
interface Body {
  readonly text: string;
  readonly utf8: Buffer;
}

const NONE = Buffer.alloc(0);
const NO_BODY: Body = { text: '', utf8: NONE };

async function bodyOf(codec: BodyCodec, { projection, highlight }: SearchRequest, body: Uint8Array): Promise<Body> {
  if (highlight === undefined) return { text: await codec.decodeAsync(body), utf8: NONE };
  const utf8 = await codec.bytesAsync(body);
  return { text: projection.body ? utf8.toString('utf8') : '', utf8 };
}

function present({ projection }: SearchRequest, { score, terms, pinned }: Curated<Found>, row: ResultRow,
  { text, utf8 }: Body, highlighter: Highlighter | undefined): Shown<FullTextResult>
{
  const meta = metaOf(row);
  const document = projectDocument(documentOf(row, meta, text), projection);
  const highlights = highlighter?.({ key: row.key, lang: row.lang, meta, contentMd: utf8 });
  const result: FullTextResult = { document, score, matchedTerms: [...terms] };
  if (highlights !== undefined) result.highlights = highlights;
  if (pinned) result.pinned = pinned;
  return shown(result, {
    body: projection.body ? row.bytes : undefined,
    highlights,
    meta: document.meta,
  });
}
