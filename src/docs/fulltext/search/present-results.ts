import type { FullTextResult, Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Queries } from '../../../storage/index.ts';
import type { Curated } from '../../curation/index.ts';
import { documentOf, keepsMeta, metaOf, presentEach, type Presented, projectDocument, type ResultRow, type Shown,
  shown } from '../../search/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { TextIndex } from '../view/text-index.ts';
import type { Found } from './find-documents.ts';
import { highlightsOf } from './highlights.ts';
import type { SearchRequest } from './request.ts';
import { WordMatchers } from './word-matcher.ts';

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
  const passagesOf = passagesFor(request, deps.view.indexOf(request.collection));
  const show = async (one: Curated<Found>, row: ResultRow): Promise<Shown<FullTextResult>> => {
    const body = row.body === null ? NO_BODY : await bodyOf(deps.codec, request, row.body);
    return present(request, one, row, body, passagesOf);
  };
  return presentEach(deps, found, { rowOf: ({ row }) => row, withBodies: needsBodies(request), show }, bounds);
}

type PassagesOf = (row: ResultRow, meta: Record<string, string[]>, contentMd: Buffer) => Highlight[] | undefined;

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

function present({ projection }: SearchRequest, { score, terms, pinned }: Curated<Found>, row: ResultRow,
  { text, utf8 }: Body, passagesOf: PassagesOf): Shown<FullTextResult>
{
  const meta = metaOf(row);
  const document = projectDocument(documentOf(row, meta, text), projection);
  const highlights = passagesOf(row, meta, utf8);
  const result: FullTextResult = { document, score, matchedTerms: [...terms] };
  if (highlights !== undefined) result.highlights = highlights;
  if (pinned) result.pinned = pinned;
  return shown(result, {
    body: projection.body ? row.bytes : undefined,
    fragments: highlights && bytesOf(highlights),
    meta: document.meta,
  });
}

function bytesOf(highlights: readonly Highlight[]): number {
  return highlights.reduce((sum, { fragment }) => sum + Buffer.byteLength(fragment), 0);
}
