import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withinEdits } from './edit-distance.ts';

/** The distance, computed by its definition. */
function distance(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const [x, y] = [a.slice(1), b.slice(1)];
  return a[0] === b[0] ? distance(x, y) : 1 + Math.min(distance(x, b), distance(a, y), distance(x, y));
}

it('words are within a number of edits of each other as their distance says', () => {
  const word = fc.array(fc.constantFrom('a', 'b', 'é'), { maxLength: 6 });
  fc.assert(fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, edits) => {
    expect(withinEdits(a, b, edits)).toBe(distance(a, b) <= edits);
  }));
});
