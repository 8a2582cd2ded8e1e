import { ColumnStore } from '../../src/search/columns/index.ts';
import { metaOf, PAIRS_PER_DOCUMENT } from './collection.ts';

/** What the metadata view of so many documents takes for each pair of a document and a metadata value, in bytes. */
export interface PairBytes {
  /** What grows with the pairs, the columns of names and times included, which every document has. */
  readonly withoutDictionaries: number;
  /** The memory as a whole. */
  readonly total: number;
}

/** Fills a view in process, since the service tells only of the whole. */
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
