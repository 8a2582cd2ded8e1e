import { describe, expect, it } from 'vitest';
import { joinLists, listLengths } from './candidates.ts';

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
