import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from './sign.ts';

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
