import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinLists, listLengths, toWindows } from './candidates.ts';

describe('lists of candidates', () => {
  it('are longer only behind the first', () => {
    expect(listLengths(50, 50)).toEqual([50]);
    expect(listLengths(50, 51)).toEqual([50, 200]);
    expect(listLengths(50, 801)).toEqual([50, 200, 800, 3200]);
  });

  it('continue each other without repeating or losing anything', async () => {
    const lists = [['b', 'a', 'c'], ['d', 'c', 'a', 'b', 'e'], ['e', 'f', 'c', 'd', 'g', 'a', 'b']];
    const joined = await joinLists([2, 4, 8],
      (i, before: readonly string[]) => lists[i]!.filter((one) => !before.includes(one)));
    expect(joined).toEqual(['b', 'a', 'd', 'c', 'e', 'f', 'g']);
    expect(await joinLists([2], () => lists[0]!)).toEqual(lists[0]);
  });
});

const hit = (ord: number, chunk: number | undefined, score = 1) => ({ ord, chunk, score });
const shown = (windows: ReturnType<typeof toWindows>) =>
  windows.map(({ hit: { ord, chunk }, first, last }) => `${ord}:${first}-${last} by ${chunk}`);

describe('windows', () => {
  it('have neighbours on each side, from the start of the document', () => {
    expect(shown(toWindows([hit(1, 0), hit(2, 4), hit(3, undefined)], 2))).toEqual(['1:0-2 by 0', '2:2-6 by 4',
      '3:undefined-undefined by undefined']);
  });

  it('that share a chunk are one, by its best hit; those that only touch are not', () => {
    expect(shown(toWindows([hit(1, 5), hit(1, 7), hit(2, 7), hit(1, 10)], 1))).toEqual(['1:4-8 by 5', '2:6-8 by 7',
      '1:9-11 by 10']);
  });

  it('that a later one bridges become one in the place of the best', () => {
    expect(shown(toWindows([hit(1, 2), hit(2, 0), hit(1, 6), hit(1, 4)], 1))).toEqual(['1:1-7 by 2', '2:0-1 by 0']);
  });

  it('never share a chunk, hold every hit, and are ordered by the best', () => {
    const hits = fc.uniqueArray(
      fc.record({ ord: fc.integer({ min: 1, max: 3 }), chunk: fc.integer({ min: 0, max: 30 }) }),
      { selector: ({ ord, chunk }) => `${ord} ${chunk}`, maxLength: 20 },
    );
    fc.assert(fc.property(hits, fc.integer({ min: 1, max: 4 }), (found, size) => {
      const windows = toWindows(found.map(({ ord, chunk }, i) => hit(ord, chunk, found.length - i)), size);
      const scores = windows.map((window) => window.hit.score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      const chunks = windows.flatMap(({ hit: { ord }, first, last }) =>
        Array.from({ length: last! - first! + 1 }, (_, i) => `${ord} ${first! + i}`)
      );
      expect(new Set(chunks).size).toBe(chunks.length);
      for (const { ord, chunk } of found) expect(chunks).toContain(`${ord} ${chunk}`);
    }));
  });
});
