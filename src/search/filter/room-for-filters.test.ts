import { describe, expect, it } from 'vitest';
import { roomForFilters } from './index.ts';

const MIB = 1024 * 1024;

describe('the room for filters', () => {
  it('has a lower and an upper limit', () => {
    expect([0, 1, 200_000].map(roomForFilters)).toEqual([8 * MIB, 8 * MIB, 8 * MIB]);
    expect([2_000_000, 100_000_000].map(roomForFilters)).toEqual([32 * MIB, 32 * MIB]);
  });

  it('grows with the documents between them', () => {
    expect(roomForFilters(500_000)).toBe(16_000_000);
    expect(Math.floor(roomForFilters(1_000_000) / (1_000_000 / 8))).toBe(256);
  });
});
