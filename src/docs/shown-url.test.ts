import { describe, expect, it } from 'vitest';
import { keepQuery, shownUrl } from './shown-url.ts';

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
