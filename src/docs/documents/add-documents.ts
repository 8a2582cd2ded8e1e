import { mayReadAll } from '../../operations/index.ts';
import type { DocumentHandlers } from './deps.ts';
import type { DocumentWriter } from './writer.ts';

/** `POST /v1/add-batch`: each item succeeds or fails alone (decision D-67). */
export function addDocuments(writer: DocumentWriter): DocumentHandlers['addDocuments'] {
  return async ({ collection, documents }, { identity, signal }) => {
    const items = documents.map(({ saveRevision = true, ...item }) => ({ ...item, saveRevision }));
    const { added, updated, failed, errors, sanitized, embeddingDropped } = await writer.put(collection, items, { signal, hidesStored: !mayReadAll(identity, collection) });
    return { added, updated, failed, errors, ...(embeddingDropped > 0 && { embeddingDropped }), ...(sanitized > 0 && { sanitized }) };
  };
}
