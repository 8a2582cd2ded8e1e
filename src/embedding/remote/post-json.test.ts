import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf, providerText } from './post-json.ts';

describe('providerText', () => {
  it('is at most 512 bytes of whole characters on one line, and without the secret', () => {
    const secret = 'key-4711-secret';
    const text = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(secret), fc.constant('😀'.repeat(60))),
      { maxLength: 12 }).map((parts) => parts.join(' ').replaceAll('\ufffd', ''));
    fc.assert(fc.property(text, (said) => {
      const shown = providerText(said, [secret]);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(512);
      expect(shown).not.toContain(secret);
      expect(shown).not.toMatch(/[\n\r\0]/);
      expect(shown).not.toContain('\ufffd');
    }));
  });

  it('shows no part of a secret that the cut would fall into', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz';
    for (let before = 470; before < 515; before++)
      expect(providerText(`${'-'.repeat(before)}${secret}`, [secret])).not.toContain('abc');
  });

  it.each([['Incorrect API key provided: sk-proj-1234567890abcd****wxyz.', 'Incorrect API key provided: [redacted]'], [
    'got Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc',
    'got Authorization: [redacted]',
  ], ['Basic authentication required', 'Basic authentication required']])('leaves out what looks like a credential: %s',
    (said, shown) => {
      expect(providerText(said, [])).toBe(shown);
    });
});

describe('messageOf', () => {
  it.each([['{"error":{"message":"too long","type":"x"}}', 'too long'], ['{"error":"model \\"m\\" not found"}',
    'model "m" not found'], ['{"detail":"no credit"}', 'no credit'], ['{"message":"gone"}', 'gone'], ['{"other":1}',
    '{"other":1}'], ['null', 'null'], ['404 page not found', '404 page not found']])('finds the message in %s',
      (body, message) => {
        expect(messageOf(body)).toBe(message);
      });
});
