import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TokenStore } from './token-store.ts';

const version = (crc: number) => ({ crc, bytes: 10, chunking: 'plain 350 0' });
const tokensOf = (ord: number, crc: number, length: number) => {
  const all = Uint16Array.from({ length }, (_, i) => ord * 100 + crc * 10 + i);
  return { all, lead: length >> 1 };
};

it('has the tokens of the newest documents, and never those of others', () => {
  const step = fc.record({ ord: fc.nat(12), crc: fc.nat(3), length: fc.nat(12) });
  fc.assert(fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 900 }), (steps, limit) => {
    const store = new TokenStore({ limit });
    const fits = (length: number) => 2 * (10 + length) + 48 <= limit;
    const order: { ord: number; crc: number; length: number }[] = [];
    for (const { ord, crc, length } of steps) {
      store.set(ord, version(crc), tokensOf(ord, crc, length));
      const before = order.findIndex((each) => each.ord === ord);
      if (before >= 0) order.splice(before, 1);
      if (fits(length)) order.push({ ord, crc, length });
      const found = order.map((each) => store.get(each.ord, version(each.crc)));
      // What is missing is older than all that is there.
      const first = found.findIndex((each) => each !== undefined);
      for (const [i, each] of found.entries()) {
        if (each !== undefined) expect(each).toEqual(tokensOf(order[i]!.ord, order[i]!.crc, order[i]!.length));
        else expect(first < 0 || i < first).toBe(true);
      }
      if (fits(length)) expect(store.get(ord, version(crc))).toBeDefined();
      expect(store.get(ord, version(9))).toBeUndefined();
      expect(store.bytes).toBeLessThanOrEqual(limit);
    }
  }));
});

it('is full when documents are replaced', () => {
  const store = new TokenStore({ limit: 150 });
  store.set(1, version(0), tokensOf(1, 0, 6));
  expect(store.isFull).toBe(false);
  store.set(2, version(0), tokensOf(2, 0, 6));
  expect(store.isFull).toBe(true);
  expect([store.get(1, version(0)), store.get(2, version(0))?.all.length]).toEqual([undefined, 6]);
});
