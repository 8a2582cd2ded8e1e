import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../../lib/ord-set.ts';
import { packSet, unpackSet } from './index.ts';

const ords = fc.uniqueArray(fc.oneof(fc.nat(5000), fc.nat(1_000_000)), { maxLength: 200 });

describe('a set of ordinals that is sent', () => {
  it('is the same afterwards, or its share that belongs to a part', () => {
    fc.assert(fc.property(ords, (list) => {
      const set = OrdSet.of(list);
      expect([...unpackSet(packSet(set))]).toEqual([...set]);
      const holds = (ord: number): boolean => Math.floor(ord / 1024) % 3 === 1;
      expect([...unpackSet(packSet(set, holds))]).toEqual([...set].filter(holds));
    }));
  });

  it('takes bytes for the blocks that it has documents in only', () => {
    const { blocks, words } = packSet(OrdSet.of([5, 6, 900_000]));
    expect([...blocks]).toEqual([0, 878]);
    expect(words).toHaveLength(64);
  });
});
