import { unixSeconds } from '../../lib/clock.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { findDocument, SHOWN, toDocument, type WithBody } from './document-rows.ts';
import { fillTemplate } from './fill-template.ts';
import { identify } from './identity.ts';
import { notFound } from './require-valid.ts';

/** `POST /v1/get`: by a spelling that was once written (identity rule 2). The most frequent operation, hence a single lookup. */
export function getDocument({ sql, codec, clock }: Deps): DocumentHandlers['getDocument'] {
  return async ({ collection, key, lang, env }) => {
    const row = await findDocument<WithBody>(sql, `${SHOWN}, d.body`, identify(collection, key, lang), unixSeconds(clock));
    if (row === undefined) throw notFound();
    const content = await codec.decodeAsync(row.body);
    return toDocument(row, env === undefined ? content : fillTemplate(content, env));
  };
}

/** `GET /v1/doc-meta`: all but the body, which is not read (decision D-65). */
export function getDocumentMeta({ sql, clock }: Deps): DocumentHandlers['getDocumentMeta'] {
  return async ({ collection, key, lang }) => {
    const row = await findDocument(sql, SHOWN, identify(collection, key, lang), unixSeconds(clock));
    if (row === undefined) throw notFound();
    const { contentMd: _, id, ...shown } = toDocument(row, '');
    return { id, collection, ...shown };
  };
}
