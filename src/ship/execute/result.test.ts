import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitResult, MAX_RESULT_BYTES, type ResultContent } from './result.ts';

const resultOf = (content: string): ResultContent => ({
  content,
  content_type: 'text/plain',
  model: 'm',
  finish_reason: 'stop',
  usage: null,
  truncated: false,
});
const parsed = (body: Buffer): ResultContent => JSON.parse(body.toString()) as ResultContent;

describe('fitResult', () => {
  it('leaves what fits as it is', () => {
    const content = 'a'.repeat(MAX_RESULT_BYTES - JSON.stringify(resultOf('')).length);
    expect(parsed(fitResult(resultOf(content)))).toEqual(resultOf(content));
  });

  it('keeps the longest start that fits, and cuts no character', () => {
    fc.assert(
      fc.property(fc.constantFrom('a', '"', 'ä', '€', '😀', '\n', '\u0001'), fc.constantFrom('b', '😀', '\\'),
        fc.nat(3), (one, other, offset) => {
        const content = 'x'.repeat(offset) + (one + other).repeat(1_050_000 / (one + other).length);
        const body = fitResult(resultOf(content));
        const kept = parsed(body);
        expect(kept.truncated).toBe(true);
        expect(kept.content.isWellFormed()).toBe(true);
        expect(content.startsWith(kept.content)).toBe(true);
        expect(body.length).toBeLessThanOrEqual(MAX_RESULT_BYTES);
        expect(body.length).toBeGreaterThan(MAX_RESULT_BYTES - 6); // no further character fits
      }),
      { numRuns: 15 },
    );
  });
});
