import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordCache } from './record-cache.ts';

describe('a cache of records', () => {
  it('keeps to its limit, returns what was put, and forgets what was used longest ago', () => {
    fc.assert(fc.property(fc.array(fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'),
      size: fc.nat(12),
    })), (writes) => {
      const cache = new RecordCache(80);
      const present = new Map<string, number>();
      for (const { name, size } of writes) {
        cache.set(name, new Uint8Array(size).fill(size));
        present.delete(name);
        if (size <= 10) present.set(name, size);
        while ([...present.values()].reduce((sum, each) => sum + each, 0) > 80)
          present.delete([...present.keys()][0]!);
      }
      expect(cache.bytes).toBe([...present.values()].reduce((sum, each) => sum + each, 0));
      for (const [name, size] of present) expect(cache.get(name)).toEqual(new Uint8Array(size).fill(size));
    }));
  });

  it('keeps nothing when it may have nothing', () => {
    const cache = new RecordCache(0);
    cache.set('a', Uint8Array.of(1));
    expect([cache.get('a'), cache.bytes, cache.misses]).toEqual([undefined, 0, 1]);
  });
});
