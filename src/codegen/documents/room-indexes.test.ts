import { expect, it } from 'vitest';
import { missingParts } from './room-indexes.ts';

const paths = ['src/docs/README.md', 'src/docs/geo/geo.ts', 'src/docs/hybrid/search/search.ts', 'src/docs/index.ts',
  'src/lib/lru.ts', 'src/lib/lru.test.ts', 'src/lib/glob.ts'];

it('reports folders of a room, and helpers of lib, that its page does not name', () => {
  expect(missingParts('src/docs/README.md', '[geo](geo/README.md), `hybrid`\n', paths)).toEqual([]);
  expect(missingParts('src/docs/README.md', 'geography and hybrid/\n', paths)).toEqual([
    'src/docs/README.md: geo is not named',
  ]);
  expect(missingParts('src/lib/README.md', '`glob.ts`\n', paths)).toEqual(['src/lib/README.md: lru.ts is not named']);
  expect(missingParts('src/docs/geo/README.md', '', paths)).toEqual([]);
});
