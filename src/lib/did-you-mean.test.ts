import { describe, expect, it } from 'vitest';
import { closest, didYouMean } from './did-you-mean.ts';

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
