import type { Revision } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { BodyCodec, Queries, Row } from '../../storage/index.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { CURRENT, findDocument, type CurrentRow } from './document-rows.ts';
import { identify } from './identity.ts';
import { parseMeta } from './meta.ts';
import { Pace } from './pace.ts';
import { notFound } from './require-valid.ts';
import { changeDocument } from './update-document.ts';

interface RevisionRow extends Row {
  readonly ts: number;
  readonly updated_at: number;
  readonly meta: string;
  readonly body: Uint8Array;
}

/** NULL columns stand for the document's current version. */
const SELECT = `
  SELECT r.ts, r.updated_at, coalesce(r.meta, d.meta) AS meta, CASE WHEN r.meta IS NULL THEN d.body ELSE r.body END AS body
  FROM revisions r JOIN documents d ON d.ord = r.ord WHERE r.ord = ?`;

/** `POST /v1/revisions`: the kept versions, newest first (decision D-33). */
export function listRevisions({ sql, codec, clock }: Deps): DocumentHandlers['listRevisions'] {
  return async ({ collection, key, lang }) => {
    const document = await findDocument<CurrentRow>(sql, CURRENT, identify(collection, key, lang), unixSeconds(clock));
    if (document === undefined) throw notFound();
    const rows = await sql.all<RevisionRow>(`${SELECT} ORDER BY r.ts DESC`, [document.ord]);
    const pace = new Pace();
    const revisions: Revision[] = [];
    for (const row of rows) {
      revisions.push(await toRevision(codec, row));
      await pace.rest();
    }
    return { collection, key: document.key, lang: document.lang, revisions, total: revisions.length };
  };
}

/**
 * `POST /v1/revisions/restore`: an ordinary update to what the revision has (decision D-35), checked
 * against the present schema. 404 when the document has no such revision.
 */
export function restoreRevision(deps: Deps): DocumentHandlers['restoreRevision'] {
  return async ({ collection, key, lang, timestamp }, { signal }) => {
    const identity = identify(collection, key, lang);
    const document = await findDocument<CurrentRow>(deps.sql, CURRENT, identity, unixSeconds(deps.clock));
    const row = document && (await readRevision(deps.sql, document.ord, timestamp));
    if (row === undefined) throw notFound();
    const { meta, contentMd } = await toRevision(deps.codec, row);
    return changeDocument(deps, identity, { meta, contentMd }, { sameOrd: document!.ord, signal });
  };
}

function readRevision(queries: Queries, ord: number, timestamp: number): Promise<RevisionRow | undefined> {
  return queries.get<RevisionRow>(`${SELECT} AND r.ts = ?`, [ord, timestamp]);
}

async function toRevision(codec: BodyCodec, { ts, updated_at: updatedAt, meta, body }: RevisionRow): Promise<Revision> {
  return { timestamp: ts, updatedAt, contentMd: await codec.decodeAsync(body), meta: parseMeta(meta) };
}
