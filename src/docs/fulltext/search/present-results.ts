import type { FullTextResult, Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Queries } from '../../../storage/index.ts';
import type { Curated } from '../../curation/index.ts';
import { documentOf, keepsMeta, metaOf, presentEach, type Presented, projectDocument, readContent, type ResultRow,
  type Shown, shown } from '../../search/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { Found } from './find-documents.ts';
import { type PassageDeps, type Passages, type RememberedPassages, withPassages } from './passages.ts';
import type { SearchRequest } from './request.ts';

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
 * Results as they are returned: parts of documents, the terms they match, and passages around those; as many as the
 * answer may hold. `remembered`: passages that were found with the documents.
 */
export function presentResults(deps: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[],
  bounds: AnswerBounds, remembered?: RememberedPassages): Promise<Presented<FullTextResult>>
{
  if (request.highlight === undefined) return presentWith(deps, request, found, bounds);
  return withPassages(deps, request, request.highlight, deps.view.indexOf(request.collection),
    (passages) =>
      presentWith(deps, request, found, bounds, {
        ...passages,
        known: (row) => remembered?.of(row) ?? passages.known(row),
      }));
}

/** Without `passages`, none are returned. */
function presentWith(deps: PresentDeps, request: SearchRequest, found: readonly Curated<Found>[], bounds: AnswerBounds,
  passages?: Passages): Promise<Presented<FullTextResult>>
{
  const { sql, codec } = deps;
  const withBodies = needsBodies(request);
  const show = async (one: Curated<Found>, given: ResultRow): Promise<Shown<FullTextResult> | undefined> => {
    const known = passages?.known(given);
    // The document is of another version than the remembered passages, for which its body was not read.
    const row = withBodies && known === undefined && given.body === null ? await withBody(sql, given) : given;
    if (row === undefined) return undefined;
    const isShown = request.projection.body;
    const body = row.body === null || (known !== undefined && !isShown)
      ? NO_BODY
      : await bodyOf(codec, row.body, isShown, known === undefined && passages !== undefined);
    return present(request, one, row, body, (meta) => known ?? passages?.find(row, meta, body.utf8));
  };
  return presentEach(deps, found, { rowOf: ({ row }) => row, withBodies, show }, bounds);
}

/** A copy of a row with its body, because rows may be shared; undefined if the document was deleted. */
async function withBody(sql: Queries, shared: ResultRow): Promise<ResultRow | undefined> {
  const row = { ...shared, meta: null };
  return await readContent(sql, row, true) ? row : undefined;
}

/** A body in the forms that results need: its text to show it, its bytes for passages. */
interface Body {
  readonly text: string;
  readonly utf8: Buffer;
}

const NONE = Buffer.alloc(0);
const NO_BODY: Body = { text: '', utf8: NONE };

async function bodyOf(codec: BodyCodec, body: Uint8Array, withText: boolean, withBytes: boolean): Promise<Body> {
  return withBytes ? codec.bytesAsync(body, withText) : { text: await codec.decodeAsync(body), utf8: NONE };
}

function present({ projection }: SearchRequest, { score, terms, pinned }: Curated<Found>, row: ResultRow,
  { text }: Body,
  passagesBy: (meta: Record<string, string[]>) => readonly Highlight[] | undefined): Shown<FullTextResult>
{
  const meta = metaOf(row);
  const document = projectDocument(documentOf(row, meta, text), projection);
  const highlights = passagesBy(meta);
  const result: FullTextResult = { document, score, matchedTerms: [...terms] };
  // The list is shared with later answers, which its type cannot say.
  if (highlights !== undefined) result.highlights = highlights as Highlight[];
  if (pinned) result.pinned = pinned;
  return shown(result, {
    body: projection.body ? row.bytes : undefined,
    fragments: highlights && bytesOf(highlights),
    meta: document.meta,
  });
}

/** By list, because remembered passages are shown again and again. */
const sizes = new WeakMap<readonly Highlight[], number>();

function bytesOf(highlights: readonly Highlight[]): number {
  let bytes = sizes.get(highlights);
  if (bytes === undefined)
    sizes.set(highlights, bytes = highlights.reduce((sum, { fragment }) => sum + Buffer.byteLength(fragment), 0));
  return bytes;
}
