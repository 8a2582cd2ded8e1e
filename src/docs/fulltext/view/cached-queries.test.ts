import { describe, expect, it } from 'vitest';
import { InvertedIndex } from '../../../search/inverted/index.ts';
import { termAnalyzer } from './analyzers.ts';
import { CachedQueries } from './cached-queries.ts';
import type { TextReading } from './text-index.ts';

describe('cached queries', () => {
  it('are those of the current words of the index', () => {
    const analyzer = termAnalyzer('en', true);
    const index = new InvertedIndex({ build: 'debug' });
    const queries = new CachedQueries(index);
    const reading: TextReading = {
      classes: 1,
      analyzer,
      root: { kind: 'term', form: 'walk', start: 0, end: 4 },
      words: [{ form: 'walk', offset: 0, glued: false, identifier: false }],
    };
    const readings = [reading];
    const found = () =>
      index.search(queries.queryOf(readings), {
        algorithm: { kind: 'bm25' },
        limit: 10,
        rerank: queries.rerankingsOf(readings),
      }).hits.map(({ ord }) => ord).sort();
    const add = (ord: number, text: string) => index.add(ord, [{ field: 0, text }], analyzer);
    add(0, 'walk');
    expect(found()).toEqual([0]);
    expect(queries.queryOf(readings)).toBe(queries.queryOf(readings));
    add(1, 'they walked');
    expect(found()).toEqual([0, 1]);
    index.remove(0);
    while (index.compact(1000));
    expect(found()).toEqual([1]);
    add(2, 'walking');
    expect(found()).toEqual([1, 2]);
  });
});
