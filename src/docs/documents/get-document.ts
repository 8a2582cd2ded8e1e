import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { decodeDocument, findDocument, SHOWN, toDocument, type WithBody } from './document-rows.ts';
import { fillTemplate } from './fill-template.ts';
import { identify, type Identity } from './identity.ts';
import { notFound } from './require-valid.ts';

/** `POST /v1/get`: by a spelling that was once written (identity rule 2). The most frequent operation, hence the documents kept at hand. */
export function getDocument(deps: Deps): DocumentHandlers['getDocument'] {
  return async ({ collection, key, lang, env }) => {
    const document = await findByName(deps, { collection, key, lang });
    return env === undefined ? document : { ...document, contentMd: fillTemplate(document.contentMd, env) };
  };
}

/** The document as it is now. It is shared: do not change it. Throws `not_found`. */
export function findByName(deps: Deps, { collection, key, lang }: { collection: string; key: string; lang: string }): Document | Promise<Document> {
  const identity = identify(collection, key, lang);
  return deps.recent.get(identity, unixSeconds(deps.clock)) ?? lookUp(deps, identity);
}

async function lookUp({ sql, codec, clock, recent }: Deps, identity: Identity): Promise<Document> {
  const { state } = recent;
  const row = await findDocument<WithBody>(sql, `${SHOWN}, d.body`, identity, unixSeconds(clock));
  if (row === undefined) throw notFound();
  const document = await decodeDocument(codec, row);
  recent.set(identity, document, state);
  return document;
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
