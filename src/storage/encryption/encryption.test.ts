import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Row } from '../port.ts';
import { openBody, openMeta, openRow, openVector, sealBody, sealMeta, sealVector } from './columns.ts';
import { KeyRing } from './key-ring.ts';
import { parseKeys } from './parse-keys.ts';
import { isSealed, isSealedText, keyIdOfHead } from './record.ts';
import { openStream, sealStream } from './sealed-stream.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];
const ring = new KeyRing({ id: 1, bytes: one });
const next = new KeyRing({ id: 2, bytes: two }, [{ id: 1, bytes: one }]);
const unreadable = expect.objectContaining({
  code: 'internal',
  message: expect.stringContaining('an encrypted value cannot be read'),
});

describe('the encryption record (decisions, section 2.4)', () => {
  it('returns every value, under the key that encrypted it', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string(), (body, id) => {
      const sealed = sealBody(ring, `c|${id}|en`, body);
      expect(isSealed(sealed)).toBe(true);
      expect(sealed.length).toBe(body.length + 6 + 1 + 1 + 12 + 16);
      expect(Buffer.from(openBody(next, `c|${id}|en`, sealed)).equals(body)).toBe(true);
    }));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sealed = sealMeta(next, 'c|k|en', text.toWellFormed());
      expect(isSealedText(sealed)).toBe(true);
      expect(openMeta(next, 'c|k|en', sealed)).toBe(text.toWellFormed());
    }));
  });

  it('begins with magic, version and key, and never has the same nonce', () => {
    const sealed = Array.from({ length: 100 }, () => sealBody(next, 'c|k|en', Buffer.from('body')));
    expect(Buffer.from(sealed[0]!.subarray(0, 8)).toString('latin1')).toBe('SVCENC\x02\x02');
    expect(keyIdOfHead(sealed[0]!)).toBe(2);
    expect(new Set(sealed.map((record) => Buffer.from(record.subarray(8, 20)).toString('hex'))).size).toBe(100);
  });

  it('is refused when any bit of it is flipped, and when it breaks off', () => {
    const sealed = sealBody(ring, 'c|k|en', Buffer.from('a body that nobody may change'));
    for (let bit = 6 * 8; bit < sealed.length * 8; bit++) {
      const damaged = Uint8Array.from(sealed);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => openBody(ring, 'c|k|en', damaged), `bit ${bit}`).toThrow(unreadable);
    }
    for (let length = 6; length < sealed.length; length++)
      expect(() => openBody(ring, 'c|k|en', sealed.subarray(0, length))).toThrow(unreadable);
  });

  it('does not open in another place: of another document, another collection, another kind', () => {
    const sealed = sealBody(ring, 'c|k|en', Buffer.from('body'));
    expect(() => openBody(ring, 'c|l|en', sealed)).toThrow(unreadable);
    expect(() => openBody(ring, 'd|k|en', sealed)).toThrow(unreadable);
    expect(() => openMeta(ring, 'c|k|en', Buffer.from(sealed).toString('base64'))).toThrow(unreadable);
    const place = { ord: 7, space: '', chunk: 0 };
    const vector = sealVector(ring, place, new Uint8Array(8));
    expect(openVector(ring, place, vector)).toEqual(Buffer.alloc(8));
    for (const other of [{ chunk: 1 }, { ord: 8 }, { space: 'cfg' }])
      expect(() => openVector(ring, { ...place, ...other }, vector)).toThrow(unreadable);
  });

  it('says which key is missing, and does not open under another key of the same number', () => {
    const sealed = sealBody(next, 'c|k|en', Buffer.from('body'));
    expect(() => openBody(ring, 'c|k|en', sealed)).toThrow('its key 2 is not configured');
    expect(() => openBody(new KeyRing({ id: 2, bytes: one }), 'c|k|en', sealed)).toThrow('does not fit key 2');
  });

  it('leaves plaintext alone', () => {
    expect(openBody(ring, 'c|k|en', Uint8Array.of(0, 1, 65))).toEqual(Uint8Array.of(0, 1, 65));
    expect(openMeta(ring, 'c|k|en', '{"a":["U1ZDRU5D"]}')).toBe('{"a":["U1ZDRU5D"]}');
    const raw = { stored_meta: sealMeta(ring, 'c|k|en', '{}'), id: 'c|k|en' };
    const nowhere = () => false;
    expect(openRow(ring, { ...raw }, nowhere)).toEqual(raw);
    expect(openRow(ring, { meta: raw.stored_meta, id: 'c|k|en' }, nowhere)).toEqual({ meta: '{}', id: 'c|k|en' });
  });

  it('refuses plaintext where values have to be encrypted, except metadata of which nothing is kept', () => {
    const inC = (collection: string) => collection === 'c';
    const forgeries: Row[] = [{ meta: '{"a":["forged"]}' }, { body: Uint8Array.of(0, 65) }];
    for (const forged of forgeries) {
      expect(() => openRow(ring, { id: 'c|k|en', ...forged }, inC)).toThrow(
        'it lies in the clear, although its collection is encrypted',
      );
      expect(openRow(ring, { id: 'd|k|en', ...forged }, inC)).toEqual({ id: 'd|k|en', ...forged });
      expect(openRow(ring, { id: 'ses_1', ...forged }, inC)).toEqual({ id: 'ses_1', ...forged });
    }
    expect(openRow(ring, { id: 'c|k|en', meta: '{}', body: null }, inC)).toEqual({
      id: 'c|k|en',
      meta: '{}',
      body: null,
    });
  });
});

describe('an encrypted stream', () => {
  const collect = async (stream: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(stream));
  async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
  }
  const seal = (bytes: Uint8Array, size = 100_000) => collect(sealStream(ring, 'index', pieces(bytes, size)));
  const open = (sealed: Uint8Array, { keys = next, aad = 'index', size = 70_000 } = {}) =>
    collect(openStream(keys, aad, pieces(sealed, size)));

  it.each([0, 1, 1000, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 600_000])('returns %d bytes, however they come',
    async (length) => {
      const bytes = randomBytes(length);
      for (const size of [999_999, 65_536, 12_345])
        expect((await open(await seal(bytes, size), { size })).equals(bytes)).toBe(true);
    });

  it('is refused when it was changed, cut off, put together otherwise, or is for something else', async () => {
    const sealed = await seal(randomBytes(600_000));
    const segment = 256 * 1024 + 16;
    const flipped = fc.asyncProperty(fc.nat(sealed.length * 8 - 1), async (bit) => {
      const damaged = Uint8Array.from(sealed);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      await expect(open(damaged)).rejects.toThrow(unreadable);
    });
    await fc.assert(flipped, { numRuns: 60 });
    for (const length of [0, 5, 41, 42, 60, 41 + segment, 41 + 2 * segment, sealed.length - 1])
      await expect(open(sealed.subarray(0, length))).rejects.toThrow(unreadable);
    const [head, first, second, rest] = [sealed.subarray(0, 41), sealed.subarray(41, 41 + segment),
      sealed.subarray(41 + segment, 41 + 2 * segment), sealed.subarray(41 + 2 * segment)];
    for (const parts of [[head, second, first, rest], [head, second, rest], [head, first, first, rest]])
      await expect(open(Buffer.concat(parts))).rejects.toThrow(unreadable);
    await expect(open(sealed, { aad: 'other' })).rejects.toThrow(unreadable);
    await expect(open(sealed, { keys: new KeyRing({ id: 2, bytes: two }) })).rejects.toThrow(
      'its key 1 is not configured',
    );
  });
});

describe('parseKeys', () => {
  const [base64, other] = [one.toString('base64'), two.toString('base64')];
  const problemsOf = (key: string, previousKeys = '', keyId = 2) => parseKeys({ key, keyId, previousKeys }).problems;

  it('takes base64 and hexadecimal keys, and both forms of the previous ones', () => {
    const list = parseKeys({ key: base64, keyId: 2, previousKeys: `1:${other}, 7:${two.toString('hex')}` }).ring!;
    expect([list.primaryId, list.previousIds]).toEqual([2, [1, 7]]);
    const json = parseKeys({
      key: one.toString('hex'),
      keyId: 9,
      previousKeys: JSON.stringify([{ id: 1, key: other }]),
    }).ring!;
    expect([json.primaryId, json.previousIds]).toEqual([9, [1]]);
    expect(openBody(list, 'c|k|en', sealBody(new KeyRing({ id: 7, bytes: two }), 'c|k|en', Buffer.from('x')))).toEqual(
      Buffer.from('x'),
    );
    expect(parseKeys({ key: '', keyId: 1, previousKeys: '' })).toEqual({ ring: undefined, problems: [] });
  });

  it.each([['short', '', 'SVC_ENCRYPTION_KEY: expected 32 bytes'], [one.subarray(1).toString('base64'), '',
    'SVC_ENCRYPTION_KEY: expected 32 bytes'], [base64, '0:x', 'expected a number from 1 to 255'], [base64, `0:${other}`,
    'expected a number from 1 to 255'], [base64, '1:x', 'entry 1: expected 32 bytes'], [base64, '[{"id":1,',
    'expected 1:base64,… or JSON'], [base64, '[null]', 'expected a number from 1 to 255'], [base64, `2:${other}`,
    'key 2 is there twice'], [base64, `1:${other},1:${other}`, 'key 1 is there twice'], ['', `1:${other}`,
    'previous keys need a primary one']])('refuses %s with %s, and shows no key', (key, previous, problem) => {
      const problems = problemsOf(key, previous);
      expect(problems.join('\n')).toContain(problem);
      expect(problems.join('\n')).not.toContain(other.slice(0, 10));
    });
});
