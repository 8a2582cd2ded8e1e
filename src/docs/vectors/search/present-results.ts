import type { VectorResult } from '../../../../generated/docs/sdk/types.gen.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Sql } from '../../../storage/index.ts';
import { Bodies, type Body, contentsFor, documentOf, metaOf, passedBefore, presentEach, type Presented, projectDocument,
  readRows, type ResultRow, type Shown, shown } from '../../search/index.ts';
import { type PlacedPassage, readPassages } from './passages.ts';
import type { SearchRequest } from './request.ts';
import type { Window } from './windows.ts';

interface Presenting {
  readonly sql: Sql;
  readonly codec: BodyCodec;
}

type Request = Pick<SearchRequest, 'mode' | 'projection' | 'offset' | 'order'>;

/** A result with its passage, which is read for all modes except `parent`. */
interface WithPassage {
  readonly window: Window;
  readonly passage: PlacedPassage | undefined;
}

/**
 * Results as the client receives them, as many as the answer may hold; one whose document was deleted or changed since
 * is left out.
 */
export async function presentResults(deps: Presenting, windows: readonly Window[], request: Request,
  bounds: AnswerBounds): Promise<Presented<VectorResult>>
{
  const { mode, projection, offset, order } = request;
  const withPassages = mode !== 'parent';
  const ords = windows.map(({ ord }) => ord);
  const passages = withPassages ? await readPassages(deps.sql, windows) : [];
  const withBodies = withPassages || projection.body;
  const rows = await readRows(deps.sql, [...new Set(ords)], contentsFor(bounds.budget, withBodies, projection.body));
  const bodies = new Bodies(deps.codec, ords);
  const first = 1 + offset + (order === undefined ? 0 : passedBefore(order));
  return presentEach(deps, windows.map((window, i): WithPassage => ({ window, passage: passages[i] })), {
    rowOf: ({ window }) => rows.get(window.ord),
    withBodies,
    show: async (one, row, place) => present(one, row, await bodies.take(row), request, first + place),
  }, bounds);
}

/** Undefined if the body was changed after its passages were read: then their positions are invalid. */
function present({ window: { score, chunk }, passage }: WithPassage, row: ResultRow, body: Body,
  { mode, projection }: Request, rank: number): Shown<VectorResult> | undefined
{
  const document = projectDocument(documentOf(row, metaOf(row), projection.body ? body.text : ''), projection);
  const texts = { body: projection.body ? row.bytes : undefined, meta: document.meta };
  if (mode === 'parent') return shown({ document, score: roundScore(score), rank }, texts);
  if (passage === undefined || passage.bytes !== body.bytes.length || passage.crc !== body.crc) return undefined;
  const { start, end, startLine, endLine } = passage;
  return shown({
    document,
    score: roundScore(score),
    chunkIndex: chunk,
    chunkText: body.bytes.toString('utf8', start, end),
    startLine,
    endLine,
    rank,
  }, { ...texts, passage: end - start });
}
