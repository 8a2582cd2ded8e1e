import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Reply } from '../../operations/index.ts';
import type { ChecksumRow } from './checksums.ts';
import type { Deps, DocumentHandlers } from './deps.ts';
import { decodeVersion, findDocument, SHOWN, type ShownRow, toDocument, type WithBody } from './document-rows.ts';
import { entityTag } from './expectation.ts';
import { fillTemplate } from './fill-template.ts';
import { identify, type Identity } from './identity.ts';
import { notFound } from './require-valid.ts';

/**
 * `POST /v1/get`: by a spelling that was once written (identity rule 2). This is the most frequent operation, so recent
 * documents are kept in memory.
 */
export function getDocument(deps: Deps): DocumentHandlers['getDocument'] {
  return async ({ collection, key, lang, env, fallbackLangs = [] }) => {
    const document = await findInOneOf(deps, { collection, key }, [lang, ...fallbackLangs]);
    // A filled template is not a stored state of the document, so it has no checksum to compare.
    if (env !== undefined) return { ...document, contentMd: fillTemplate(document.contentMd, env) };
    return new Reply(document, entityTag(document.checksum!));
  };
}

/** The document in the first of the languages in which it exists. */
function findInOneOf(deps: Deps, name: { collection: string; key: string }, langs: readonly string[]): Document
  | Promise<Document>
{
  const [lang, ...others] = langs as [string, ...string[]];
  const lookup = findByName(deps, { ...name, lang });
  return others.length === 0 ? lookup : orInOneOf(lookup, deps, name, others);
}

async function orInOneOf(first: Document | Promise<Document>, deps: Deps, name: { collection: string; key: string },
  others: readonly string[]): Promise<Document>
{
  return (await found(first)) ?? findInOneOf(deps, name, others);
}

async function found(lookup: Document | Promise<Document>): Promise<Document | undefined> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The document in its current state, with its checksum. The object is shared: do not change it. Throws `not_found`. */
export function findByName(deps: Deps, { collection, key, lang }: { collection: string; key: string; lang: string }):
  | Document
  | Promise<Document>
{
  const identity = identify(collection, key, lang);
  return deps.recent.get(identity, unixSeconds(deps.clock)) ?? lookUp(deps, identity);
}

async function lookUp(deps: Deps, identity: Identity): Promise<Document> {
  const { sql, clock, recent } = deps;
  const { state } = recent;
  const row = await findDocument<WithBody & ChecksumRow>(sql, `${SHOWN}, d.crc, d.body`, identity, unixSeconds(clock));
  if (row === undefined) throw notFound();
  const document = await decodeVersion(deps, row);
  recent.set(identity, document, row.meta.length, state);
  return document;
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
