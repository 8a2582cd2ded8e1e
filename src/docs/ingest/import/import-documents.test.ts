import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fixture } from '../../documents/test-fixture.ts';
import { createIngest } from '../index.ts';

const LIMIT = 2000;
const document = (key: string, more: object = {}) =>
  JSON.stringify({ key, lang: 'en', contentMd: `# ${key}`, ...more });

describe('POST /v1/import', () => {
  let fixture: Fixture;
  /** Number of documents at each call of `caughtUp`. */
  let waited: number[];
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
    waited = [];
    fixture.use(createIngest(fixture.environment, {
      ...fixture,
      caughtUp: async () => void waited.push(await fixture.count('documents')),
    }).handlers);
  });
  afterEach(() => fixture.close());

  const start = (content: AsyncIterable<Uint8Array>, input: object = {}, signal?: AbortSignal) =>
    fixture.stream('importDocuments', { collection: 'Blog', ...input }, { content, maxRecordBytes: LIMIT }, signal);
  async function* bytesOf(text: string, size = 700): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const linesIn = async (answer: AsyncIterable<Uint8Array>): Promise<Record<string, unknown>[]> =>
    Buffer.concat(await Array.fromAsync(answer)).toString().trimEnd().split('\n').map((line) =>
      JSON.parse(line) as Record<string, unknown>
    );
  const imported = async (lines: readonly string[], input: object = {}) =>
    linesIn(await start(bytesOf(lines.join('\n')), input));
  const get = (key: string) => fixture.call('getDocument', { collection: 'blog', key, lang: 'en' });

  it('stores each line as an item of a batch, and lets those that cannot be stored fail alone, by their numbers', async () => {
    const [last, ...more] = await imported([
      document('a', { meta: { tags: ['x', 2], price: 5, sale: true }, id: 'ignored', addedAt: 1 }),
      '',
      '{"key": "b"',
      '[]',
      document('b|'),
      document('c', { contentMd: 'x'.repeat(LIMIT) }),
      document('d', { meta: ['a'] }),
      '{"key":1}',
      document('e', { ttl: 1.5 }),
      document('f', { ttl: 60 }),
      document('A'),
      '{"lang":"en"}',
    ]);
    expect(more).toEqual([]);
    expect(last).toEqual({
      processed: 11,
      added: 2,
      updated: 1,
      skipped: 0,
      failed: 8,
      done: true,
      errors: [expect.stringMatching(/^3 : invalid JSON: /), '4 : invalid JSON: a line must be an object',
        '5 b|: key must not contain control characters or "|"', `6 : the line is longer than ${LIMIT} bytes`,
        '7 d: meta must be an object', '8 : key must be a string', '9 e: ttl must be an integer',
        '12 : missing fields: key, contentMd'],
    });
    expect(await get('a')).toMatchObject({ meta: {}, contentMd: '# A' });
    expect((await fixture.call('listRevisions', { collection: 'blog', key: 'a', lang: 'en' })).revisions.at(-1))
      .toMatchObject({ meta: { tags: ['x', '2'], price: ['5'], sale: ['true'] } });
    expect(await get('f')).toMatchObject({ expiresAt: fixture.now + 60 });
  });

  it('refuses a line with a number that is not finite (decision D-167)', async () => {
    const [last] = await imported(['{"key":"a","lang":"en","contentMd":"","meta":{"n":{"m":[1,1e999]}}}']);
    expect(last).toMatchObject({ added: 0, failed: 1, errors: ['1 a: meta.n.m must be a finite number'] });
  });

  it('flattens metadata as other writes do (decision D-135), however deep they are', async () => {
    const deep = `{"key":"deep","lang":"en","contentMd":"","meta":{"a":${'['.repeat(600)}1${']'.repeat(600)}}}`;
    const [last] = await imported([document('a', { meta: { faq: [{ question: 'why' }], none: null, empty: [] } }),
      document('b', { meta: null }), deep]);
    expect(last).toMatchObject({
      added: 2,
      failed: 1,
      errors: [expect.stringMatching(/^3 deep: meta\.a\.0\.0.* must be at most 1024 bytes$/)],
    });
    expect((await get('a')).meta).toEqual({ 'faq.0.question': ['why'] });
    expect((await get('b')).meta).toEqual({});
  });

  it('reports how far it is every thousand lines, of what can be found, and keeps the order of versions', async () => {
    const answer = await imported(
      Array.from({ length: 2600 }, (_, i) => document(`k${i % 700}`, { contentMd: `version ${i}` })),
    );
    const processed = answer.map((line) => Number(line['processed']));
    expect([processed.at(-1), answer.at(-1)]).toEqual([2600,
      expect.objectContaining({ added: 700, updated: 1900, failed: 0, done: true })]);
    expect(
      answer.slice(0, -1).every((line, i) =>
        line['done'] === undefined && processed[i]! - (processed[i - 1] ?? 0) >= 1000
      ),
    ).toBe(true);
    expect((await get('k499')).contentMd).toBe('version 2599');
    expect(waited).toHaveLength(6);
  });

  it('writes small batches in order behind large ones, which take longer to prepare', async () => {
    const large = Array.from({ length: 500 }, () => document('k', { contentMd: 'large '.repeat(250) }));
    await imported([...large, document('k', { contentMd: 'small' })]);
    expect((await get('k')).contentMd).toBe('small');
  });

  it('knows the profiles, which lines and the request override', async () => {
    await imported([document('a'), document('b', { saveRevision: true })], { profile: 'fast' });
    expect(await fixture.count('revisions')).toBe(1);
    expect((await imported([document('a')], { profile: 'fast' }))[0]).toMatchObject({ updated: 0, skipped: 1 });
    await imported([document('c')], { profile: 'fast', saveRevision: true });
    await imported([document('d')], { saveRevision: false });
    expect(await fixture.count('revisions')).toBe(2);
  });

  it('repairs text that is not valid and counts it', async () => {
    const broken = Buffer.concat([Buffer.from('{"key":"a","lang":"en","contentMd":"x'), Buffer.from([0xff]),
      Buffer.from('"}\n')]);
    expect(await linesIn(await start((async function*() {
      yield broken;
    })()))).toEqual([expect.objectContaining({ added: 1, sanitized: 1, done: true })]);
    expect((await get('a')).contentMd).toBe('x\ufffd');
  });

  it('stops reading when nobody reads the response any more; what was written stays', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.from(`${document(`k${given++}`)}\n`);
    }
    for await (const line of await start(endless())) {
      expect(JSON.parse(Buffer.from(line).toString())).toMatchObject({ failed: 0 });
      break;
    }
    const before = given;
    expect(await fixture.count('documents')).toBeGreaterThanOrEqual(1000);
    await new Promise(setImmediate);
    expect(given).toBe(before);
  });

  it('stops when the client goes, and says why when it cannot go on', async () => {
    const gone = new AbortController();
    async function* leaving(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(Array.from({ length: 600 }, (_, i) => `${document(`k${i}`)}\n`).join(''));
      gone.abort();
      yield Buffer.from(document('late'));
    }
    const [line] = await linesIn(await start(leaving(), {}, gone.signal));
    expect(line).toMatchObject({ error: expect.any(String) });
    await expect(get('late')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('needs a stream', async () => {
    await expect(fixture.call('importDocuments', { collection: 'blog' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});
