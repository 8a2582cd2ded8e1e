import { describe, expect, it } from 'vitest';
import { uuidV7Generator } from './uuid-v7.ts';

describe('uuidV7Generator', () => {
  it('writes the time, the version and the variant', () => {
    const id = uuidV7Generator({ now: () => 0x019b45a50000 })();
    expect(id).toMatch(/^019b45a500007[0-7][0-9a-f]{2}[89ab][0-9a-f]{15}$/);
  });

  it('makes ids that sort in their order, also when thousands share a millisecond or the clock goes back', () => {
    let now = 1_766_400_000_000;
    const next = uuidV7Generator({ now: () => now });
    const ids = Array.from({ length: 20_000 }, (_, n) => {
      if (n === 10_000) now -= 3_600_000;
      if (n === 15_000) now += 7_200_000;
      return next();
    });
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });
});
