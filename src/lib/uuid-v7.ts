import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Exclusive end of the counter, which has 12 bits. */
const COUNTER_END = 0x1000;

/**
 * Generates UUIDs of version 7 (RFC 9562) without dashes: 32 hexadecimal characters. Ids of one generator sort in the
 * order in which they were generated. The 12 bits after the time count within a millisecond (method 1 of section 6.2).
 * If they are used up, or the clock went back, the time of the last id is advanced.
 */
export function uuidV7Generator(clock: Clock): () => string {
  let last = -1;
  let counter = 0;
  return () => {
    const now = clock.now();
    if (now > last) {
      last = now;
      // A random start in the lower half: ids of two generators rarely collide, and the upper half is left to count.
      counter = randomBytes(2).readUInt16BE() & 0x7ff;
    } else if (++counter === COUNTER_END) {
      last += 1;
      counter = 0;
    }
    return format(last, counter, randomBytes(8));
  };
}

function format(milliseconds: number, counter: number, random: Buffer): string {
  random[0] = (random[0]! & 0x3f) | 0x80;
  return `${hex(milliseconds, 12)}7${hex(counter, 3)}${random.toString('hex')}`;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
