import { deleteDocuments, searchDocuments } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { SearchDocumentsRequest } from '../../../../generated/docs/sdk/types.gen.ts';
import type { ServiceClient } from '../shared/client.ts';
import { answered } from '../shared/service-failure.ts';

/** Metadata key of a synchronised document: the SHA-256 of its file. */
export const CHECKSUM = 'sync_checksum';

/** The part of a stored document that a comparison with files needs. */
export interface RemoteDocument {
  readonly key: string;
  readonly lang: string;
  /** Undefined if `quire sync` did not store the document. */
  readonly checksum: string | undefined;
}

const PAGE = 10_000;
const DELETED_AT_ONCE = 1000;

/** Letter case of keys and languages does not distinguish documents (contract, section 2, identity rule 1). */
export const identityOf = ({ key, lang }: { readonly key: string; readonly lang: string }): string =>
  `${key}|${lang}`.toLowerCase();

/**
 * All documents of a collection, by their identity; none if the collection does not exist yet.
 * @throws {ServiceFailure}
 */
export async function listRemote({ url, sdk }: ServiceClient,
  collection: string): Promise<Map<string, RemoteDocument>>
{
  const found = new Map<string, RemoteDocument>();
  let cursor: string | null = '*';
  while (cursor !== null) {
    const body: SearchDocumentsRequest = { collection, fields: [CHECKSUM], limit: PAGE, cursor };
    const { data, response } = await answered(url, searchDocuments({ client: sdk, body }));
    for (const { key, lang, meta } of data)
      found.set(identityOf({ key, lang }), { key, lang, checksum: meta?.[CHECKSUM]?.[0] });
    cursor = data.length === 0 ? null : response.headers.get('X-Next-Cursor');
  }
  return found;
}

/**
 * Deletes documents. Returns how many were deleted, and why the others still exist.
 * @throws {ServiceFailure}
 */
export async function deleteRemote({ url, sdk }: ServiceClient, collection: string,
  documents: readonly RemoteDocument[]): Promise<{ deleted: number; errors: string[] }>
{
  let deleted = 0;
  const errors: string[] = [];
  for (let i = 0; i < documents.length; i += DELETED_AT_ONCE) {
    const some = documents.slice(i, i + DELETED_AT_ONCE).map(({ key, lang }) => ({ key, lang }));
    const { data } = await answered(url, deleteDocuments({ client: sdk, body: { collection, documents: some } }));
    deleted += data.deleted;
    errors.push(...(data.errors ?? []));
  }
  return { deleted, errors };
}
