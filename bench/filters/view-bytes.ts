import { ColumnStore } from '../../src/search/columns/index.ts';
import { metaOf, PAIRS_PER_DOCUMENT } from './collection.ts';

/** Bytes of the metadata view for each pair of a document and a metadata value. */
export interface PairBytes {
  /** The part that grows with the pairs, including the columns of names and times, which every document has. */
  readonly withoutDictionaries: number;
  /** The total memory. */
  readonly total: number;
}

/** Fills a view in process, because the service reports only the total. */
export function bytesOfPair(documents: number): PairBytes {
  const store = ColumnStore.create();
  for (let i = 0; i < documents; i++) {
    const meta = Object.fromEntries(Object.entries(metaOf(i)).map(([key, value]) => [key, [value]]));
    const at = 1_766_400_000 + (i >> 8);
    store.put({ ord: i + 1, key: `page-${i}`, lang: 'en', addedAt: at, updatedAt: at, meta });
  }
  const { bitmaps, columns, total } = store.stats().bytes;
  const pairs = documents * PAIRS_PER_DOCUMENT;
  return { withoutDictionaries: (bitmaps + columns) / pairs, total: total / pairs };
}
