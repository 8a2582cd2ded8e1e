import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Masker } from './masker.ts';
import { isSecretName, secretPatterns } from './secret-patterns.ts';
import { endsOf, WRITERS } from './test-fixture.ts';

/** The output of a stream for a text that arrives in pieces of these sizes. */
function streamed(masker: Masker, bytes: Buffer, sizes: readonly number[]): string {
  const stream = masker.stream();
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) parts.push(Buffer.from(stream.push(bytes.subarray(at, at += size))));
  parts.push(Buffer.from(stream.push(bytes.subarray(at))), stream.end());
  return Buffer.concat(parts).toString('latin1');
}

/** A slow reference: finds all matches of all patterns, and replaces each sequence of matches that overlap. */
function reference(secrets: readonly string[], bytes: Buffer): string {
  const patterns = secretPatterns(secrets);
  const places = Array.from(bytes,
    (_, start) => ({ start, end: Math.max(0, ...patterns.flatMap((pattern) => [...endsOf(pattern, bytes, start)])) }))
    .filter(({ end }) => end > 0);
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
    const secret = fc.oneof(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: 10 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 6, maxLength: 24 }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'b', '\n', 'x'), maxLength: 120 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), text, fc.array(fc.nat(12), { maxLength: 20 }),
        (secrets, around, sizes) => {
          const bytes = Buffer.from(secrets.reduce((whole, next, index) =>
            whole.slice(0, index * 7) + next + whole.slice(index * 7), around));
          expect(streamed(new Masker(secrets), bytes, sizes)).toBe(reference(secrets, bytes));
        }),
      { numRuns: 60 },
    );
  });

  it('equals the slow reference in text that is full of escapes', () => {
    const piece = fc.constantFrom('a', 'b', '/', '\\', '\\\\', '\\/', '%', '%2F', '%2f', '%252f', '%61', '&', '&#47;',
      '&#x2F;', '&amp;', '61', '62', '2f', ' ', '\n', '\0', 'YW', 'Ev');
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\\', '%'), minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 2 }), fc.array(piece, { maxLength: 60 }),
        fc.array(fc.nat(12), { maxLength: 20 }), fc.nat(), (secrets, pieces, sizes, seed) => {
        const written = secrets.map((each, index) =>
          Object.values(WRITERS)[(seed + index) % Object.keys(WRITERS).length]!(each, seed).toString('latin1')
        );
        const bytes = Buffer.from([...pieces.slice(0, 30), ...written, ...pieces.slice(30)].join(''), 'latin1');
        expect(streamed(new Masker(secrets), bytes, sizes)).toBe(reference(secrets, bytes));
      }),
      { numRuns: 100 },
    );
  });

  it.each(Object.entries(WRITERS))('leaves nothing of a secret, written in this way: %s', (_, write) => {
    const secret = fc.oneof(fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'aZ09+/=-_.~!*\'"`$&<>(){}[]\\%#@: \n\t'), minLength: 8, maxLength: 40 }))
      .filter((value) => value.trim().length >= 8 && value.isWellFormed()).map((value) => value.trim());
    fc.assert(fc.property(secret, fc.nat(), fc.array(fc.nat(9), { maxLength: 30 }), (value, seed, sizes) => {
      const written = write(value, seed);
      const bytes = Buffer.concat([Buffer.from('before '), Buffer.from(written), Buffer.from(' after')]);
      const shown = streamed(new Masker([value]), bytes, sizes);
      expect(shown).toContain('***');
      // Quotes around it, at most one byte of it, and the end of base64, which depends on what follows.
      expect(shown.replace(/^before |(\*\*\*)+|after$/g, '').length, shown).toBeLessThan(9);
    }), { numRuns: 30 });
  });

  it('finds base64 that is broken into lines anywhere', () => {
    const value = 'correct horse battery staple';
    const masker = new Masker([value]);
    for (let before = 0; before < 80; before++) {
      const lines = Buffer.from(`${'x'.repeat(before)}${value}${'y'.repeat(30)}`).toString('base64').replace(/.{76}/g,
        '$&\n');
      const rest = masker.text(lines).split('***').map((part) => Buffer.from(part, 'base64').toString('latin1'));
      expect(rest.join(' '), String(before)).not.toMatch(/[corehsbatlp]{3}/);
    }
  });

  it('changes nothing in text without secrets', () => {
    const masker = new Masker(['s3cret-value/of+the=service', 'correct horse battery staple']);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string(),
            fc.constantFrom('s3cret', '-value', 'correct ', 'horse', '%2F', '\\u002f', '&#x2f;', 'Y29ycmVjd', '\n',
              '73 33 63 ')),
          { maxLength: 20 },
        ),
        fc.array(fc.nat(12)),
        (parts, sizes) => {
          const bytes = Buffer.from(parts.join(''));
          fc.pre(
            !/s3cret-value.{0,40}service|correct.horse.battery.staple/.test(
              decodeURIComponent(encodeURIComponent(parts.join(''))),
            ),
          );
          expect(streamed(masker, bytes, sizes)).toBe(bytes.toString('latin1'));
        },
      ),
    );
  });

  it('finds base64 of text around a secret at each of the three alignments', () => {
    const value = 'correct horse battery staple';
    const masker = new Masker([value]);
    for (const before of ['', 'u:', 'user:', 'x']) {
      const shown = masker.text(`Authorization: Basic ${Buffer.from(`${before}${value}!`).toString('base64')}`);
      expect(shown).toContain('***');
      // No run of the remaining text decodes to four letters of the secret or more.
      const rest = shown.replace('Authorization: Basic ', '').split('***').map((part) =>
        Buffer.from(part, 'base64').toString('latin1')
      );
      expect(rest.join(' ')).not.toMatch(/corr|rect|stap|aple/);
    }
  });

  it('masks each line of a value of several lines, and base64 that was broken into lines', () => {
    const key = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkqhkiG9w0B', 'AQEFAASCBKcwggSjAgEAAoIB', 'ab',
      '-----END KEY-----', ''].join('\n');
    const masker = new Masker([key]);
    expect(masker.text('line MIIEvQIBADANBgkqhkiG9w0B.')).toBe('line ***.');
    expect(masker.text(`all:${key}.`)).toBe('all:***.');
    expect(masker.text(`all:${key.replaceAll('\n', '\r\n')}.`)).not.toContain('AQEFAASC');
    const wrapped = Buffer.from(key).toString('base64').replace(/.{76}/g, '$&\n');
    expect(masker.text(wrapped)).toMatch(/^\*\*\*.{0,4}$/);
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
