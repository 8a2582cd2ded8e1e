import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS, Fixture, START } from './test-fixture.ts';

const item = (key: string, more: object = {}) => ({ key, lang: 'en', contentMd: `# ${key}`, ...more });

describe.each(DRIVERS)('add-batch over %s (contract section 4, decisions D-39, D-67, D-68)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
  });
  afterEach(() => fixture.close());
  const addBatch = (documents: object[]) => fixture.call('addDocuments', { collection: 'blog', documents });
  const get = (key: string) => fixture.call('getDocument', { collection: 'blog', key, lang: 'en' });

  it('adds and updates over several transactions', async () => {
    const documents = Array.from({ length: 1203 }, (_, i) => item(`k${i}`, { meta: { n: [String(i)], all: ['yes'] } }));
    expect(await addBatch(documents)).toEqual({ added: 1203, updated: 0, failed: 0, errors: [] });
    expect(await addBatch(documents.slice(600))).toEqual({ added: 0, updated: 603, failed: 0, errors: [] });
    expect(await get('k1202')).toMatchObject({ contentMd: '# k1202', meta: { n: ['1202'], all: ['yes'] } });
    for (const [table, rows] of [['documents', 1203], ['spellings', 1203], ['revisions', 1806], ['changes',
      1806]] as const)
    {
      expect(await fixture.count(table), table).toBe(rows);
    }
    expect(await fixture.countMeta()).toBe(2406);
    expect(await fixture.sql.get('SELECT docs FROM collections')).toEqual({ docs: 1203 });
  });

  it('fails each bad item alone, with its index, key and reason', async () => {
    await fixture.call('setSchema', { collection: 'blog', schema: { properties: { size: { type: 'integer' } } } });
    const result = await addBatch([item('good'), item('bad|key'), { contentMd: 'x' }, item(''),
      item('no-body', { contentMd: undefined }), item('lang', { lang: 'e n' }), item('ttl', { ttl: -1 }),
      item('x'.repeat(1025)), item('meta', { meta: { a: ['v'.repeat(8193)] } }),
      item('schema', { meta: { size: ['big'] } }), item('also-good')]);
    expect(result).toMatchObject({ added: 2, updated: 0, failed: 9 });
    expect(result.errors).toEqual(['1 bad|key: key must not contain control characters or "|"',
      '2 : missing fields: key, lang', '3 : missing fields: key', '4 no-body: missing fields: contentMd',
      '5 lang: lang must be 1 to 35 letters, digits, "_" or "-"', '6 ttl: ttl must be at least 0, got -1',
      `7 ${'x'.repeat(200)}…: key must be at most 1024 bytes`, '8 meta: meta.a[0] must be at most 8192 bytes',
      expect.stringMatching(/^9 schema: validation failed: /)]);
  });

  it('counts indexes on from one transaction to the next', async () => {
    const documents = Array.from({ length: 501 }, (_, i) => item(`k${i}`));
    documents[500] = item('a|b');
    expect((await addBatch(documents)).errors).toEqual(['500 a|b: key must not contain control characters or "|"']);
  });

  it('writes repeats in order, each with its revision (identity rules 1 and 4)', async () => {
    expect(
      await addBatch([item('A', { contentMd: '1', meta: { v: ['1'] } }), item('b'), item('a', { contentMd: '2' }),
        item('A', { contentMd: '3', meta: { v: ['3'] } })]),
    ).toMatchObject({ added: 2, updated: 2 });
    expect(await get('a')).toMatchObject({ key: 'A', contentMd: '3', meta: { v: ['3'] }, addedAt: START });
    const { revisions } = await fixture.call('listRevisions', { collection: 'blog', key: 'a', lang: 'en' });
    expect(revisions.map(({ contentMd, revision, timestamp }) => [contentMd, revision, timestamp])).toEqual([['3', 3,
      START], ['2', 2, START], ['1', 1, START]]);
    expect((await fixture.call('listMetaKeys', { collection: 'blog' })).meta).toEqual({ v: ['3'] });
  });

  it('repairs text that is not valid Unicode and counts the items (decision D-39)', async () => {
    const result = await addBatch([item('fine', { contentMd: '\ufffd' }),
      item('body', { contentMd: 'a\udcffb', meta: { ok: ['1'] } }), item('k\ud800'),
      item('meta', { meta: { 'x\udc80': ['1'], 'x\udc81': ['\udfff'] } })]);
    expect(result).toEqual({ added: 4, updated: 0, failed: 0, errors: [], sanitized: 3 });
    expect(await get('body')).toMatchObject({ contentMd: 'a\ufffdb', meta: { ok: ['1'] } });
    expect(await get('k\ufffd')).toMatchObject({ key: 'k\ufffd' });
    expect((await get('meta')).meta).toEqual({ 'x\ufffd': ['1', '\ufffd'] });
  });

  it('refuses a collection that is not valid Unicode, and an empty or too large batch', async () => {
    await expect(fixture.call('addDocuments', { collection: 'a\ud800', documents: [item('a')] })).rejects.toMatchObject(
      { code: 'invalid_argument' },
    );
    await expect(addBatch([])).rejects.toMatchObject({ status: 400 });
    await expect(addBatch(Array(10_001).fill(item('a')))).rejects.toMatchObject({ status: 400 });
  });

  it('keeps no revision where an item says so (decision D-33)', async () => {
    await addBatch([item('a', { saveRevision: false }), item('b')]);
    expect(await fixture.count('revisions')).toBe(1);
  });

  it('keeps no revision where the batch says so, unless an item says otherwise (decision D-175)', async () => {
    await fixture.call('addDocuments', {
      collection: 'blog',
      saveRevision: false,
      documents: [item('a'), item('b', { saveRevision: true }), item('c', { saveRevision: false })],
    });
    expect(await fixture.sql.all('SELECT d.key FROM revisions r JOIN documents d ON d.ord = r.ord')).toEqual([{
      key: 'b',
    }]);
    await fixture.call('addDocuments', {
      collection: 'blog',
      saveRevision: true,
      documents: [item('a'), item('c', { saveRevision: false })],
    });
    expect(await fixture.count('revisions')).toBe(2);
  });

  it('fails as a whole when the storage fails', async () => {
    await fixture.sql.close();
    await expect(addBatch([item('a')])).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('writes nothing of a transaction that fails, and keeps those before it', async () => {
    const documents = Array.from({ length: 502 }, (_, i) => item(`k${i}`));
    await fixture.sql.transaction((tx) =>
      tx.run(
        "CREATE TRIGGER broken BEFORE INSERT ON spellings WHEN NEW.key = 'k501' BEGIN SELECT RAISE(ABORT, " +
          "'broken'); END",
      )
    );
    await expect(addBatch(documents)).rejects.toThrow('broken');
    for (const table of ['documents', 'spellings', 'revisions', 'changes'])
      expect(await fixture.count(table), table).toBe(500);
    expect(await fixture.sql.get('SELECT docs FROM collections')).toEqual({ docs: 500 });
  });

  it('stops between two transactions when the caller has gone', async () => {
    const gone = new AbortController();
    gone.abort(new Error('gone'));
    await expect(fixture.documents.writer.put('blog', [{ ...item('a'), saveRevision: true }], { signal: gone.signal }))
      .rejects.toThrow('gone');
    expect(await fixture.count('documents')).toBe(0);
  });
});
