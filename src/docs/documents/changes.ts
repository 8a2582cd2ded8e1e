import type { NewChange, WrittenDocument } from '../../storage/index.ts';
import { collectionOfId } from './identity.ts';

/** A document as the change feed names it. */
export interface Subject {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
}

/**
 * The document was written; `document` is its new state, when the writer has all of it in memory. The ordinal of a new
 * document may not be known yet.
 */
export function putChange({ ord, id, key, lang }: Omit<Subject, 'ord'> & { readonly ord?: number }, flags: number,
  document?: WrittenDocument): NewChange
{
  return {
    kind: 'doc.put',
    collection: collectionOfId(id),
    ...(ord !== undefined && { ord }),
    docId: id,
    key,
    lang,
    flags,
    ...(document !== undefined && { document }),
  };
}

/** The document was removed; `reason` says why when no request removed it. */
export function deleteChange({ ord, id, key, lang }: Subject, reason?: 'ttl'): NewChange {
  const change: NewChange = { kind: 'doc.delete', collection: collectionOfId(id), ord, docId: id, key, lang };
  return reason === undefined ? change : { ...change, detail: JSON.stringify({ reason }) };
}
