import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Masker } from './masker.ts';
import { PatternSearch } from './pattern-search.ts';
import { isSecretName, secretForms } from './secret-forms.ts';

/** The output of a stream for a text that arrives in pieces of these sizes. */
function streamed(masker: Masker, bytes: Buffer, sizes: readonly number[]): string {
  const stream = masker.stream();
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) parts.push(Buffer.from(stream.push(bytes.subarray(at, at += size))));
  parts.push(Buffer.from(stream.push(bytes.subarray(at))), stream.end());
  return Buffer.concat(parts).toString('latin1');
}

/** A slow reference: marks every byte of every occurrence of every form, and replaces each run of overlapping occurrences. */
function reference(secrets: readonly string[], bytes: Buffer): string {
  const places: { start: number; end: number }[] = [];
  for (const form of secretForms(secrets)) {
    for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) places.push({ start: at, end: at + form.length });
  }
  places.sort((a, b) => a.start - b.start);
  let shown = '';
  let end = 0;
  for (const place of places) {
    if (place.start >= end) shown += `${bytes.toString('latin1', end, place.start)}***`;
    end = Math.max(end, place.end);
  }
  return shown + bytes.toString('latin1', end);
}

describe('masking', () => {
  it('equals a slow reference, however the text is cut', () => {
    // Few letters, so that secrets overlap, contain each other, and start repeatedly.
    const secret = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: 10 }), fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 6, maxLength: 24 }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'b', '\n', 'x'), maxLength: 120 });
    fc.assert(fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), text, fc.array(fc.nat(12), { maxLength: 20 }), (secrets, around, sizes) => {
      const bytes = Buffer.from(secrets.reduce((whole, next, index) => whole.slice(0, index * 7) + next + whole.slice(index * 7), around));
      expect(streamed(new Masker(secrets), bytes, sizes)).toBe(reference(secrets, bytes));
    }), { numRuns: 1000 });
  });

  it('leaves nothing of a secret in any of its forms, wherever it stands and however the text is cut', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter((value) => value.trim().length >= 8);
    const form = fc.constantFrom<(value: string) => string>(
      (value) => value, encodeURIComponent, (value) => JSON.stringify(value), (value) => Buffer.from(value).toString('base64'), (value) => Buffer.from(value).toString('base64url'),
      (value) => new URLSearchParams([['q', value]]).toString(),
    );
    fc.assert(fc.property(secret, form, fc.array(fc.nat(9), { maxLength: 30 }), (value, write, sizes) => {
      const bytes = Buffer.from(`before ${write(value)} after`);
      const shown = streamed(new Masker([value]), bytes, sizes);
      expect(shown).toContain('***');
      expect(shown.length).toBeLessThan('before q=""*** after'.length + 4); // base64url has no padding
    }), { numRuns: 500 });
  });

  it('finds base64 of text around a secret at each of the three alignments', () => {
    const value = 'correct horse battery staple';
    const masker = new Masker([value]);
    for (const before of ['', 'u:', 'user:', 'x']) {
      const shown = masker.text(`Authorization: Basic ${Buffer.from(`${before}${value}!`).toString('base64')}`);
      expect(shown).toContain('***');
      // No run of the remaining text decodes to four letters of the secret or more.
      const rest = shown.replace('Authorization: Basic ', '').split('***').map((part) => Buffer.from(part, 'base64').toString('latin1'));
      expect(rest.join(' ')).not.toMatch(/corr|rect|stap|aple/);
    }
  });

  it('masks each line of a value of several lines, and base64 that was broken into lines', () => {
    const key = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB', 'ab', '-----END KEY-----', ''].join('\n');
    const masker = new Masker([key]);
    expect(masker.text('line MIIEvQIBADANBgkqhkiG9w0B.')).toBe('line ***.');
    expect(masker.text(`all:${key}.`)).toBe('all:***.');
    expect(masker.text(`all:${key.replaceAll('\n', '\r\n')}.`)).not.toContain('AQEFAASC');
    const wrapped = Buffer.from(key).toString('base64').replace(/.{76}/g, '$&\n');
    expect(masker.text(wrapped)).toMatch(/^\*\*\*\n\*\*\*.{0,4}$/);
  });

  it('leaves values with fewer than six characters alone', () => {
    expect(new Masker(['short', '', '      ']).text('short and      nothing')).toBe('short and      nothing');
  });

  it('shows a line as soon as no part of it can begin a secret', () => {
    const stream = new Masker(['s3cret-value']).stream();
    expect(stream.push(Buffer.from('hello\n')).toString()).toBe('hello\n');
    expect(stream.push(Buffer.from('it is s3cr')).toString()).toBe('it is ');
    expect(stream.push(Buffer.from('et-value, really\n')).toString()).toBe('***, really\n');
    expect(stream.end()).toHaveLength(0);
  });

  it('keeps no more than the longest form while a secret repeats without end', () => {
    const stream = new Masker(['aaaaaaaa']).stream();
    let shown = '';
    for (let i = 0; i < 1000; i++) shown += stream.push(Buffer.alloc(1000, 'a')).toString();
    expect(shown + stream.end().toString()).toBe('***');
  });

  it('takes names that end like secrets for secrets', () => {
    expect(['API_TOKEN', 'DB_PASSWORD', 'x_secret', 'AWS_SECRET_ACCESS_KEY'].every(isSecretName)).toBe(true);
    expect(['TOKENS', 'KEY', 'PATH', 'MY_KEYS'].some(isSecretName)).toBe(false);
  });
});

describe('pattern search', () => {
  it('finds the first place and its longest pattern', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 7 });
    fc.assert(fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 }), fc.nat(10), (words, text, from) => {
      const found = new PatternSearch(words.map((one) => Buffer.from(one))).find(Buffer.from(text), from);
      const start = Math.min(...words.map((one) => text.indexOf(one, from)).filter((at) => at >= 0));
      const longest = Math.max(...words.filter((one) => text.startsWith(one, start)).map(({ length }) => length));
      expect(found).toEqual(start === Infinity || text.length < from ? undefined : { start, end: start + longest });
    }), { numRuns: 1000 });
  });
});
