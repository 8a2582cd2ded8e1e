import { mayReadAll } from '../../operations/index.ts';
import type { DocumentHandlers } from './deps.ts';
import type { BatchItem, DocumentWriter } from './writer.ts';

/** `POST /v1/add-batch`: each item succeeds or fails alone. */
export function addDocuments(writer: DocumentWriter): DocumentHandlers['addDocuments'] {
  return async ({ collection, documents, saveRevision }, context) => {
    const hidesStored = !mayReadAll(context.identity, collection);
    const { added, updated, failed, errors, sanitized, embeddingDropped } = await writer.put(collection,
      toItems(documents, saveRevision), { signal: context.signal, by: context, hidesStored });
    return {
      added,
      updated,
      failed,
      errors,
      ...(embeddingDropped > 0 && { embeddingDropped }),
      ...(sanitized > 0 && { sanitized }),
    };
  };
}

/** The documents of a batch; one that does not say whether its version is kept as a revision follows the batch. */
export function toItems<T extends Partial<BatchItem>>(documents: readonly T[],
  saveRevision: boolean): (T & BatchItem)[]
{
  return documents.map((document) => ({ ...document, saveRevision: document.saveRevision ?? saveRevision }));
}
