import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toWindows } from './windows.ts';

const hit = (ord: number, chunk: number, score = 1) => ({ ord, chunk, score });
const shown = (windows: ReturnType<typeof toWindows>) =>
  windows.map(({ ord, chunk, first, last }) => `${ord}:${first}-${last} by ${chunk}`);

describe('windows', () => {
  it('have neighbours on each side, as far as there are', () => {
    expect(shown(toWindows([hit(1, 0), hit(2, 4), hit(3, 9)], 2, 10, () => 10))).toEqual(['1:0-2 by 0', '2:2-6 by 4',
      '3:7-9 by 9']);
  });

  it('that share a chunk are one, by its best hit; those that only touch are not', () => {
    expect(shown(toWindows([hit(1, 5), hit(1, 7), hit(2, 7), hit(1, 10)], 1, 10, () => 20))).toEqual(['1:4-8 by 5',
      '2:6-8 by 7', '1:9-11 by 10']);
  });

  it('that a later one bridges become one in the place of the best', () => {
    expect(shown(toWindows([hit(1, 2), hit(2, 0), hit(1, 6), hit(1, 4)], 1, 10, () => 10))).toEqual(['1:1-7 by 2',
      '2:0-1 by 0']);
  });

  it('end where another would be too many, though a worse hit might widen one', () => {
    expect(shown(toWindows([hit(1, 2), hit(2, 2), hit(1, 3)], 1, 1, () => 9))).toEqual(['1:1-3 by 2']);
  });

  it('never share a chunk, hold every hit that was taken, and are ordered by it', () => {
    const hits = fc.uniqueArray(
      fc.record({ ord: fc.integer({ min: 1, max: 3 }), chunk: fc.integer({ min: 0, max: 30 }) }),
      { selector: ({ ord, chunk }) => `${ord} ${chunk}`, maxLength: 20 },
    );
    fc.assert(
      fc.property(hits, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 6 }), (found, size, limit) => {
        const ranked = found.map(({ ord, chunk }, i) => hit(ord, chunk, found.length - i));
        const windows = toWindows(ranked, size, limit, () => 31);
        expect(windows.length).toBeLessThanOrEqual(limit);
        expect(windows.map(({ score }) => score)).toEqual(windows.map(({ score }) => score).toSorted((a, b) => b - a));
        const chunks = windows.flatMap(({ ord, first, last }) =>
          Array.from({ length: last - first + 1 }, (_, i) => `${ord} ${first + i}`)
        );
        expect(new Set(chunks).size).toBe(chunks.length);
        if (windows.length < limit) { for (const { ord, chunk } of found) expect(chunks).toContain(`${ord} ${chunk}`); }
      }),
    );
  });
});
