import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closest, didYouMean, withinEdits } from './did-you-mean.ts';

const NAMES = ['SVC_HTTP_ADDR', 'SVC_GRPC_ADDR', 'SVC_PATH', 'SVC_MODE', 'http', 'mcp'];

describe('closest', () => {
  it.each([['SVC_HTTP_ADR', 'SVC_HTTP_ADDR'], ['SVC_HTTP_ADDRESS', 'SVC_HTTP_ADDR'], ['SVC_PAHT', 'SVC_PATH'], [
    'svc-mode',
    'SVC_MODE',
  ], ['htpp', 'http'], ['mpc', 'mcp'], ['SVC_MODES', 'SVC_MODE']])('%s is %s', (name, expected) => {
    expect(closest(name, NAMES)).toBe(expected);
  });

  it.each(['SVC_SOMETHING_ELSE', 'zebra', ''])('finds nothing near %j', (name) => {
    expect(closest(name, NAMES)).toBeUndefined();
  });

  it('finds nothing among nothing', () => {
    expect(closest('http', [])).toBeUndefined();
  });
});

describe('didYouMean', () => {
  it('ends a message, or adds nothing', () => {
    expect(didYouMean('htpp', NAMES)).toBe('; did you mean http?');
    expect(didYouMean('zebra', NAMES)).toBe('');
  });
});

/** The distance, computed by its definition. */
function distance(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distance(x, y);
  const isSwap = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return 1 +
    Math.min(distance(x, b), distance(a, y), distance(x, y), isSwap ? distance(a.slice(2), b.slice(2)) : Infinity);
}

it('words are within a number of edits of each other as their distance says', () => {
  const word = fc.array(fc.constantFrom('a', 'b', 'é'), { maxLength: 6 });
  fc.assert(fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, edits) => {
    expect(withinEdits(a, b, edits)).toBe(distance(a, b) <= edits);
  }));
});
