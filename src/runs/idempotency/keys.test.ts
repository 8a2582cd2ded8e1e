import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { canonicalJson, requestHash } from './keys.ts';

/** The same value with the fields of its objects in another order. */
function shuffled(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, turn));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, field]) => [key, shuffled(field, turn + 1)] as const);
  const at = entries.length === 0 ? 0 : turn % entries.length;
  const moved = [...entries.slice(at), ...entries.slice(0, at)];
  return Object.fromEntries(turn % 2 === 0 ? moved.reverse() : moved);
}

describe('the canonical form of a request', () => {
  it('is JSON of the same value', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }));
  });

  it('does not depend on the order of fields', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.nat(7), (value, turn) => {
      expect(canonicalJson(shuffled(value, turn))).toBe(canonicalJson(value));
    }));
  });

  it('differs whenever the value differs', () => {
    const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(fc.property(json, json, (a, b) => {
      expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(a, b));
    }));
  });

  it('distinguishes endpoints, and a field that is absent from one that is null', () => {
    expect(requestHash('enqueueRun', {})).not.toEqual(requestHash('retryRun', {}));
    expect(requestHash('enqueueRun', { input: undefined })).toEqual(requestHash('enqueueRun', {}));
    expect(requestHash('enqueueRun', { input: null })).not.toEqual(requestHash('enqueueRun', {}));
  });
});
