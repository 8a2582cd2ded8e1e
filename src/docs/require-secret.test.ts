import { describe, expect, it } from 'vitest';
import { requireSecret } from './require-secret.ts';

const USE = { secret: 'apiKey', target: 'apiUrl' };
const change = (stored: string, written: string, secret = '') => () =>
  requireSecret(USE, { secret: 'stored', target: stored }, { secret, target: written });

describe('the secret of a stored configuration (decision D-137)', () => {
  it.each([['https://a.example', 'https://a.example'], ['https://a.example', 'https://A.example:443/'], [
    'https://a.example/v1/',
    'https://a.example/v1',
  ], ['s3.example.org', 's3.example.org'], ['https://a.example', ''], ['', '']])(
    'stays where the address goes from %j to %j',
    (stored, written) => {
      expect(change(stored, written)).not.toThrow();
    },
  );

  it.each([['https://a.example', 'https://b.example'], ['https://a.example', 'http://a.example'], ['https://a.example',
    'https://a.example:444'], ['https://a.example', 'https://a.example.evil.example'], ['https://a.example',
    'https://evil.example/https://a.example'], ['https://a.example/v1', 'https://a.example/v2'], ['s3.example.org',
    'evil.example'], ['s3.example.org', 'https://s3.example.org'], ['', 'https://a.example']])(
      'has to be sent again where the address goes from %j to %j',
      (stored, written) => {
        expect(change(stored, written)).toThrow(
          'missing fields: apiKey; apiUrl changes, and the stored apiKey is for the former apiUrl only: send it again',
        );
        expect(change(stored, written, 'new')).not.toThrow();
      },
    );

  it('is none where none is stored', () => {
    expect(() => requireSecret(USE, {}, { target: 'https://b.example' })).not.toThrow();
    expect(() =>
      requireSecret(USE, { target: 'https://a.example', secret: '' }, { secret: 'first', target: 'https://b.example' })
    ).not.toThrow();
  });
});
