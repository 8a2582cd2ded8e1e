import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyOf, secretRefusal, signatureHeaders } from './post.ts';

const signed = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: new TextEncoder().encode('{"test": 2432232314}'),
};

describe('the signature of a delivery', () => {
  it('is what the libraries of Standard Webhooks expect', () => {
    expect(signatureHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', signed)).toMatchObject({
      'webhook-id': signed.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is the one of decisions, section 6, too', () => {
    const expected = createHmac('sha256', 'key').update('1614265330.{"test": 2432232314}').digest('hex');
    expect(signatureHeaders('key', signed)['X-SVC-Signature']).toBe(`sha256=${expected}`);
  });

  it('is the one of decisions alone where the secret has no key, with which anybody could sign', () => {
    for (const secret of ['whsec_', 'whsec_!!!!', 'whsec_not a key']) {
      const expected = createHmac('sha256', secret).update('1614265330.{"test": 2432232314}').digest('hex');
      expect(signatureHeaders(secret, signed)).toEqual({
        'X-SVC-Signature': `sha256=${expected}`,
        'webhook-id': signed.id,
        'webhook-timestamp': '1614265330',
      });
    }
  });

  it('is absent without a secret', () => {
    expect(signatureHeaders('', signed)).toEqual({ 'webhook-id': signed.id, 'webhook-timestamp': '1614265330' });
  });
});

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
