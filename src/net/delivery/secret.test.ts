import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, secretRefusal } from './secret.ts';

const NOT_BASE64 = ['', '=', '====', '!!!!', 'a', 'YWJjZ', 'my secret', 'YWJj YWJj', 'YWJj\n', 'YQ=', 'YQ===',
  'YQ==YQ==', 'schlüssel'];

describe('a secret whsec_', () => {
  it('is the base64 of its key, with and without padding', () => {
    fc.assert(fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.boolean(), (bytes, padded) => {
      const encoded = Buffer.from(bytes).toString('base64');
      const secret = `whsec_${padded ? encoded : encoded.replace(/=+$/, '')}`;
      expect([keyOf(secret), secretRefusal(secret)]).toEqual([Buffer.from(bytes), undefined]);
    }));
  });

  it('has no key where it is not base64 as a whole, and is refused without being repeated', () => {
    for (const rest of NOT_BASE64) {
      expect(keyOf(`whsec_${rest}`), rest).toBeUndefined();
      expect(secretRefusal(`whsec_${rest}`), rest).toMatch(
        /^after "whsec_", expected the base64 of a key of at least 24 bytes, got what is not base64; /,
      );
    }
  });

  it('is refused with a key that is too short, which signs where it is stored', () => {
    expect(keyOf('whsec_password')).toEqual(Buffer.from('password', 'base64'));
    expect(secretRefusal('whsec_password')).toContain('at least 24 bytes, got 6 bytes');
  });
});

it('any other secret is the key itself', () => {
  for (const secret of ['k', 'whsec', 'WHSEC_!', 'ein schlüssel'])
    expect([keyOf(secret), secretRefusal(secret)]).toEqual([Buffer.from(secret), undefined]);
  expect(secretRefusal('')).toBeUndefined();
});
