import { describe, expect, it } from 'vitest';
import { ClockOffsets } from './clock-offsets.ts';

describe("the offset of a ship's clock", () => {
  it('is taken from the quickest of its last heartbeats, and follows a clock that is set', () => {
    const offsets = new ClockOffsets();
    expect(offsets.of('a')).toBe(0);
    for (const way of [300, 80, 1200]) offsets.note('a', 5_000_000, 5_000_000 - 3_600_000 + way);
    expect(offsets.of('a')).toBe(-3_600_000 + 80);
    for (let n = 0; n < 8; n++) offsets.note('a', 5_000_000, 5_000_000 + 60_000);
    expect(offsets.of('a')).toBe(60_000);
    expect(offsets.of('b')).toBe(0);
    offsets.forget('a');
    expect(offsets.of('a')).toBe(0);
  });

  it('is none while the way of the messages can explain it', () => {
    const offsets = new ClockOffsets();
    for (let n = 0; n < 8; n++) offsets.note('a', 1000, 1000 + 1999);
    expect(offsets.of('a')).toBe(0);
    offsets.note('b', 3000, 1001);
    expect(offsets.of('b')).toBe(0);
  });
});
