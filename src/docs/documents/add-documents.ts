import type { DocumentHandlers } from './deps.ts';
import type { DocumentWriter } from './writer.ts';

/** `POST /v1/add-batch`: each item succeeds or fails alone (decision D-67). */
export function addDocuments(writer: DocumentWriter): DocumentHandlers['addDocuments'] {
  return async ({ collection, documents }, context) => {
    const items = documents.map(({ saveRevision = true, ...item }) => ({ ...item, saveRevision }));
    const { added, updated, failed, errors, sanitized, embeddingDropped } = await writer.put(collection, items, { signal: context.signal, by: context, hidesStored: !context.identity.may('read', collection) });
    return { added, updated, failed, errors, ...(embeddingDropped > 0 && { embeddingDropped }), ...(sanitized > 0 && { sanitized }) };
  };
}
