import { describe, expect, it } from 'vitest';
import { keepQuery, requireSecret, shownUrl } from './secrets.ts';

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

describe('a URL as it is shown (decision D-173)', () => {
  it.each([['https://h.example/a/b', 'https://h.example/a/b'], ['https://h.example/a?token=t#f', 'https://h.example/a'],
    ['https://h.example?token=t', 'https://h.example'], ['https://h.example#token', 'https://h.example'], [
    'HTTP://user:pass@h.example:8080/a@b',
    'HTTP://h.example:8080/a@b',
  ], ['https://user@h.example', 'https://h.example'], ['https://a@b@h.example/', 'https://h.example/'], [
    'https://h.example/{{collection}}?k={{doc.key}}',
    'https://h.example/{{collection}}',
  ], ['minio.lan:9000', 'minio.lan:9000'], ['', '']])('%s is %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });

  it('keeps what is not shown of it where it is written back, and only then', () => {
    const stored = 'https://h.example/a?token=t';
    expect(keepQuery(stored, 'https://h.example/a')).toBe(stored);
    for (const other of ['https://h.example/a?', 'https://h.example/b', 'https://h.example/a?token=u'])
      expect(keepQuery(stored, other)).toBe(other);
    expect(keepQuery(undefined, stored)).toBe(stored);
  });
});
