import { href } from '../shared/router.ts';

/** Identifies a document in its collection. */
export interface DocumentName {
  readonly key: string;
  readonly lang: string;
}

export const collectionAt = (collection: string): string => href(['collections', collection]);

export const documentAt = (collection: string, { key, lang }: DocumentName, tab?: string): string =>
  href(['collections', collection, 'document'], { key, lang, tab });
