import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Reply } from '../../operations/index.ts';
import type { ChecksumRow } from './checksums.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { decodeVersion, findDocument, SHOWN, type ShownRow, toDocument, type WithBody } from './document-rows.ts';
import { entityTag } from './expectation.ts';
import { fillTemplate } from './fill-template.ts';
import { identify } from './identity.ts';
import { notFound } from './require-valid.ts';

/** `POST /v1/get`: by a spelling that was once written (identity rule 2). */
export function getDocument(deps: Deps): DocumentHandlers['getDocument'] {
  return async ({ collection, key, lang, env, fallbackLangs = [] }) => {
    const document = await findInOneOf(deps, { collection, key }, [lang, ...fallbackLangs]);
    // A filled template is not a stored state of the document, so it has no checksum to compare.
    if (env !== undefined) return { ...document, contentMd: fillTemplate(document.contentMd, env) };
    return new Reply(document, entityTag(document.checksum!));
  };
}

/** The document in the first of the languages in which it exists. */
async function findInOneOf(deps: Deps, name: Omit<DocumentName, 'lang'>, langs: readonly string[]): Promise<Document> {
  for (const lang of langs) {
    const document = await lookUp(deps, { ...name, lang });
    if (document !== undefined) return document;
  }
  throw notFound();
}

interface DocumentName {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
}

/** The document in its current state, with its checksum; undefined if there is none. */
export async function lookUp(deps: Deps, { collection, key, lang }: DocumentName): Promise<Document | undefined> {
  const { sql, clock } = deps;
  const row = await findDocument<WithBody & ChecksumRow>(sql, `${SHOWN}, d.crc, d.body`,
    identify(collection, key, lang), unixSeconds(clock));
  return row && decodeVersion(deps, row);
}

/** `GET /v1/doc-meta`: everything except the body, which is not read. */
export function getDocumentMeta({ sql, clock, checksums }: Deps): DocumentHandlers['getDocumentMeta'] {
  return async ({ collection, key, lang }) => {
    const row = await findDocument<ShownRow & ChecksumRow>(sql, `${SHOWN}, d.crc`, identify(collection, key, lang),
      unixSeconds(clock));
    if (row === undefined) throw notFound();
    const { contentMd: _, id, ...shown } = toDocument(row, '');
    const checksum = checksums.of(row);
    return new Reply({ id, collection, ...shown, checksum }, entityTag(checksum));
  };
}
