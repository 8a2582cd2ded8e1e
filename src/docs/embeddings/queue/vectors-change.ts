import type { NewChange } from '../../../storage/index.ts';
import { collectionOfId } from '../../documents/index.ts';

/** The vectors of a document were replaced or removed; the tables contain the current ones. */
export function vectorsChange({ ord, id }: { readonly ord: number; readonly id: string }): NewChange {
  return { kind: 'vectors.put', collection: collectionOfId(id), ord, docId: id };
}
