import { describe, expect, it } from 'vitest';
import { presentedCredential } from './credential.ts';

describe('a presented credential', () => {
  it.each([['key', undefined, { scheme: 'api-key', value: 'key' }], [undefined, 'Bearer token', {
    scheme: 'bearer',
    value: 'token',
  }], [undefined, 'bearer  a b', { scheme: 'bearer', value: 'a b' }], ['key', 'Bearer token', {
    scheme: 'api-key',
    value: 'key',
    overrides: true,
  }], [undefined, 'Basic abc', undefined], [undefined, 'Bearer', undefined], [['one', 'two'], undefined, undefined], [
    undefined,
    undefined,
    undefined,
  ]])('X-API-Key %j and Authorization %j', (key, authorization, expected) => {
    expect(presentedCredential(key, authorization)).toEqual(expected);
  });
});
