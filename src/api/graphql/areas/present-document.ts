import type { Document, ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import type { Document as GraphqlDocument } from '../../../../generated/graphql/resolvers.ts';

/**
 * A document in the form of the schema. Only the body may be missing from a response, when a search was asked to omit
 * it.
 */
export function presentDocument(document: Document | ProjectedDocument): GraphqlDocument {
  const { id, key, lang, meta = {}, contentMd = '', addedAt, updatedAt, expiresAt, checksum } = document as Document;
  const deletedAt = 'deletedAt' in document ? document.deletedAt : undefined;
  return {
    id,
    key,
    lang,
    meta,
    contentMd,
    addedAt: addedAt!,
    updatedAt: updatedAt!,
    expiresAt: expiresAt ?? null,
    deletedAt: deletedAt ?? null,
    checksum: checksum ?? null,
  };
}

/** Number of characters in the documents' bodies. */
export function bodiesOf(documents: readonly GraphqlDocument[]): number {
  return documents.reduce((sum, { contentMd }) => sum + contentMd.length, 0);
}
