import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { KEYS, Restarted } from './test-fixture.ts';

const ONE = { SVC_ENCRYPTION_KEY: KEYS[0] };
const WITH_VECTORS = { SVC_EMBEDDING_PROVIDER: 'builtin' };
const MARKERS = ['quokkamarker', 'wombatvalue', 'dingokey'];

let server: Restarted;
afterEach(() => server.end());

const content = (i: number) =>
  `# Note ${i}\n\nThe quokkamarker number ${i} sleeps under a tree. ${
    'Long enough to be compressed. '.repeat(i % 3 === 0 ? 60 : 1)
  }`;
const addAll = async (count: number, from = 0) => {
  for (let i = from; i < from + count; i++)
    await server.add('secret', `n${i}`, content(i), { dingokey: ['wombatvalue', `wombatvalue${i}`] });
};
const keysFound = async (path: string, body: object) => {
  // Indexes load in the background after a start.
  while ((await server.request('POST', path, { collection: 'secret', ...body })).body['code'] === 'index_loading')
    continue;
  const answer = await server.ok<{ results?: { document: { key: string } }[] } & { key: string }[]>('POST', path, {
    collection: 'secret',
    ...body,
  });
  return (answer.results?.map(({ document }) => document.key) ?? answer.map(({ key }) => key)).sort();
};

describe('an encrypted collection', () => {
  it('responds as any other collection does, and leaves no word of it in any file (decision D-43)', async () => {
    server = await Restarted.start({ ...ONE, ...WITH_VECTORS });
    await server.configure('secret', { encrypted: true });
    await addAll(12);
    await server.ok('PATCH', '/v1/update', {
      collection: 'secret',
      key: 'n1',
      lang: 'en',
      contentMd: 'quokkamarker again',
    });
    await server.ok('PATCH', '/v1/update', {
      collection: 'secret',
      key: 'n2',
      lang: 'en',
      meta: { dingokey: ['wombatvalue2'], extra: ['x'] },
    });
    await server.ok('POST', '/v1/delete', { collection: 'secret', key: 'n3', lang: 'en' });

    expect(await server.ok('POST', '/v1/get', { collection: 'secret', key: 'n2', lang: 'en' })).toMatchObject({
      contentMd: content(2),
      meta: { dingokey: ['wombatvalue2'], extra: ['x'] },
    });
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['wombatvalue5', 'wombatvalue2'] } })).toEqual(['n2',
      'n5']);
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['wombatvalue2'], extra: ['x'] } })).toEqual(['n2']);
    expect(await keysFound('/v1/search', { filterMeta: { extra: ['wombatvalue2'] } })).toEqual([]);
    expect(await keysFound('/v1/fts', { query: 'quokkamarker again' })).toContain('n1');
    expect(await keysFound('/v1/fts', { query: 'quokkamarker', filterMeta: { dingokey: ['wombatvalue7'] } })).toEqual([
      'n7',
    ]);
    expect(
      (await server.ok<{ meta: Record<string, string[]> }>('GET', '/v1/meta-keys?collection=secret')).meta['extra'],
    ).toEqual(['x']);
    expect(await server.ok('POST', '/v1/revisions', { collection: 'secret', key: 'n1', lang: 'en' })).toMatchObject({
      total: 2,
      revisions: [{ contentMd: 'quokkamarker again' }, { contentMd: content(1) }],
    });
    expect(await server.ok('POST', '/v1/aggregate', { collection: 'secret', facets: [{ field: 'dingokey' }] }))
      .toMatchObject({ totalDocs: 11 });

    const { total } = await server.statusWhen('secret', ({ withPrimary }) => withPrimary >= 11 * 3);
    expect(await server.statusWhen('secret', () => true)).toMatchObject({
      encrypted: true,
      withPrimary: total,
      plaintext: 0,
      unknownKey: 0,
      withLegacy: 0,
    });
    await server.ok('GET', '/v1/backup?to=copy.db');
    expect(await server.filesWith(...MARKERS)).toEqual([]);
    await server.stop();
    expect(await server.filesWith(...MARKERS)).toEqual([]);
    // Checkpoints of all four kinds, encrypted.
    expect(await server.filesWith('QSEALED1')).toEqual(['secret.idx', 'secret.idx', 'secret.idx', 'secret.idx']);
    await server.start();
    expect(await keysFound('/v1/fts', { query: 'quokkamarker again' })).toContain('n1');
  });

  it('takes in what it held before, and gives it back (switching on and off)', async () => {
    server = await Restarted.start(WITH_VECTORS);
    await addAll(40);
    await server.ok('PATCH', '/v1/update', {
      collection: 'secret',
      key: 'n1',
      lang: 'en',
      contentMd: 'quokkamarker again',
    });
    await server.ok('POST', '/v1/delete', { collection: 'secret', key: 'n3', lang: 'en' });
    await server.add('open', 'a', 'a platypus in the clear', { kind: ['platypus'] });
    await server.restart({ ...ONE, ...WITH_VECTORS });
    expect((await server.filesWith('quokkamarker')).length).toBeGreaterThan(0);
    await server.configure('secret', { encrypted: true });
    await server.statusWhen('secret', ({ plaintext, total }) => plaintext === 0 && total > 0);
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['wombatvalue5'] } })).toEqual(['n5']);
    await server.stop(); // waits for work in progress, whose results are written
    await server.start();
    await server.statusWhen('secret', ({ plaintext }) => plaintext === 0);
    while ((await server.filesWith(...MARKERS)).length > 0) await server.ok('GET', '/v1/encryption/status');
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['wombatvalue5'] } })).toEqual(['n5']);
    expect((await server.filesWith('platypus')).length).toBeGreaterThan(0);

    await server.configure('secret', { encrypted: false });
    await server.statusWhen('secret', ({ plaintext, total }) => plaintext === total);
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['wombatvalue5'] } })).toEqual(['n5']);
    expect(await server.ok('POST', '/v1/get', { collection: 'secret', key: 'n5', lang: 'en' })).toMatchObject({
      contentMd: content(5),
    });
  });
});

describe('keys of encryption at rest', () => {
  const rotated = {
    SVC_ENCRYPTION_KEY: KEYS[1],
    SVC_ENCRYPTION_KEY_ID: '2',
    SVC_ENCRYPTION_PREVIOUS_KEYS: `1:${KEYS[0]}`,
  };
  const jobDone = async (id: string) => {
    for (;;) {
      const job = await server.ok<Record<string, unknown>>('GET', `/v1/encryption/jobs/${id}`);
      if (job['status'] !== 'queued' && job['status'] !== 'running') return job;
    }
  };

  it('are rotated by a job, one at a time, after which the old one is not needed any more (decisions, section 3.3)', async () => {
    server = await Restarted.start(ONE);
    await server.configure('secret', { encrypted: true });
    await addAll(70);
    await server.ok('PATCH', '/v1/update', {
      collection: 'secret',
      key: 'n1',
      lang: 'en',
      contentMd: 'quokkamarker again',
    });
    await server.add('open', 'a', 'in the clear');
    await server.restart(rotated);
    const before = await server.statusWhen('secret', () => true);
    expect(before).toMatchObject({ withLegacy: before.total, withPrimary: 0, plaintext: 0 });
    await server.add('secret', 'new', 'written under the new key');

    const [first, second] = await Promise.all([server.ok('POST', '/v1/encryption/rotate', {}),
      server.ok('POST', '/v1/encryption/rotate', { collection: 'open' })]);
    expect(second['id']).toBe(first['id']);
    expect(first).toMatchObject({ collection: '', primaryKeyID: 2, id: expect.stringMatching(/^rot_[0-9a-f]{24}$/) });
    const done = await jobDone(first['id'] as string);
    const { total } = await server.statusWhen('secret', ({ withLegacy }) => withLegacy === 0);
    expect(done).toMatchObject({ status: 'completed', reencrypted: before.total, errors: 0, lastError: '' });
    expect(done['scanned']).toBe((done['reencrypted'] as number) + (done['skipped'] as number));
    expect((await server.ok<{ jobs: unknown[] }>('GET', '/v1/encryption/jobs')).jobs).toEqual([done]);

    await server.restart({ SVC_ENCRYPTION_KEY: KEYS[1], SVC_ENCRYPTION_KEY_ID: '2' });
    expect(await server.statusWhen('secret', () => true)).toMatchObject({ withPrimary: total, unknownKey: 0 });
    expect(await server.ok('POST', '/v1/get', { collection: 'secret', key: 'n7', lang: 'en' })).toMatchObject({
      contentMd: content(7),
    });
    expect(await server.ok('POST', '/v1/revisions', { collection: 'secret', key: 'n1', lang: 'en' })).toMatchObject({
      total: 2,
    });
    expect((await server.ok<{ jobs: unknown[] }>('GET', '/v1/encryption/jobs')).jobs).toEqual([done]);
  });

  it('that are missing are reported with the status, and reading fails with 500 and no content', async () => {
    server = await Restarted.start(ONE);
    await server.configure('secret', { encrypted: true });
    await addAll(3);
    await server.restart({ SVC_ENCRYPTION_KEY: KEYS[1], SVC_ENCRYPTION_KEY_ID: '2' });
    expect(await server.statusWhen('secret', () => true)).toMatchObject({
      unknownKey: 6,
      withPrimary: 0,
      plaintext: 0,
    });
    const answer = await server.request('POST', '/v1/get', { collection: 'secret', key: 'n1', lang: 'en' });
    expect([answer.status, answer.body['code']]).toEqual([500, 'internal']);
    expect(JSON.stringify(answer.body)).not.toContain('quokka');
    const { id } = await server.ok<{ id: string }>('POST', '/v1/encryption/rotate');
    expect(await jobDone(id)).toMatchObject({
      status: 'failed',
      errors: 6,
      reencrypted: 0,
      lastError: expect.stringContaining('key 1 is not configured'),
    });
    expect((await server.request('GET', '/health')).status).toBe(200);
  });

  it('are asked for at the start: one that is needed and missing, or another under a known number', async () => {
    server = await Restarted.start(ONE);
    await server.configure('secret', { encrypted: true });
    await addAll(1);
    await expect(server.restart({})).rejects.toThrow(
      'SVC_ENCRYPTION_KEY: required, since collections of this database are encrypted: "secret"',
    );
    await expect(server.restart({ SVC_ENCRYPTION_KEY: KEYS[1] })).rejects.toThrow(
      'SVC_ENCRYPTION_KEY: key 1 is not the one that this database knows as key 1',
    );
    await server.restart({ SVC_ENCRYPTION_KEY: KEYS[0], SVC_MODE: 'read' });
    expect((await server.request('POST', '/v1/encryption/rotate', {})).status).toBe(403);
    expect(await server.ok('POST', '/v1/get', { collection: 'secret', key: 'n0', lang: 'en' })).toMatchObject({
      contentMd: content(0),
    });
  });

  it('are not needed without encrypted collections, which then are refused (decision D-43)', async () => {
    server = await Restarted.start();
    expect((await server.request('PUT', '/v1/collection-config', { collection: 'c', encrypted: true })).status).toBe(
      400,
    );
    expect(await server.request('POST', '/v1/encryption/rotate', {})).toMatchObject({
      status: 400,
      body: { error: 'encryption is not configured' },
    });
    expect(await server.ok('GET', '/v1/encryption/status')).toEqual({
      enabled: false,
      primaryKeyID: 0,
      previousKeyIDs: [],
      collections: [],
    });
    expect((await server.request('GET', '/v1/encryption/jobs/rot_none')).status).toBe(404);
  });

  it('also work for a database in memory, whose backups are encrypted', async () => {
    server = await Restarted.start({ ...ONE, SVC_PATH: ':memory:', SVC_BACKUP_DIR: '.' });
    await server.restart({ ...ONE, SVC_PATH: ':memory:', SVC_BACKUP_DIR: server.folder });
    await server.configure('secret', { encrypted: true });
    await addAll(5);
    await server.ok('GET', '/v1/backup?to=memory.bak');
    expect(await server.filesWith(...MARKERS)).toEqual([]);
    await server.ok('POST', '/v1/delete-collection', { collection: 'secret' });
    await server.ok('POST', '/v1/restore', { from: 'memory.bak' });
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['wombatvalue3'] } })).toEqual(['n3']);
  });
});

describe('an encrypted database that somebody has changed', () => {
  /** Changes the file while the server is down. */
  const tampered = async (...statements: string[]) => {
    await server.stop();
    const file = new DatabaseSync(server.database);
    for (const statement of statements) file.exec(statement);
    file.close();
    await server.start();
  };
  const get = (key: string) => server.request('POST', '/v1/get', { collection: 'secret', key, lang: 'en' });

  it('returns 500, and neither another body nor a part of it, where a value was moved or altered', async () => {
    server = await Restarted.start(ONE);
    await server.configure('secret', { encrypted: true });
    await addAll(6);
    await tampered("UPDATE documents SET body = (SELECT body FROM documents WHERE key = 'n1') WHERE key = 'n0'",
      "UPDATE documents SET meta = (SELECT meta FROM documents WHERE key = 'n1') WHERE key = 'n2'",
      "UPDATE documents SET body = CAST(substr(body, 1, length(body) - 1) || (CASE substr(body, -1) WHEN x'00' " +
        "THEN x'01' ELSE x'00' END) AS BLOB) WHERE key = 'n4'");
    for (const key of ['n0', 'n2', 'n4']) {
      const { status, body } = await get(key);
      expect([status, body['code'], body['contentMd']], key).toEqual([500, 'internal', undefined]);
    }
    expect((await get('n1')).body['contentMd']).toBe(content(1));
    expect((await server.request('GET', '/health')).status).toBe(200);
    expect((await server.request('POST', '/v1/search', { collection: 'secret' })).status).toBe(500);
    // Documents that cannot be read can be overwritten and deleted.
    for (const key of ['n0', 'n2']) {
      await server.add('secret', key, 'written anew', { dingokey: ['new'] });
      expect((await get(key)).body['contentMd']).toBe('written anew');
    }
    expect((await server.request('POST', '/v1/delete', { collection: 'secret', key: 'n4', lang: 'en' })).status).toBe(
      200,
    );
    expect(await keysFound('/v1/search', { filterMeta: { dingokey: ['new'] } })).toEqual(['n0', 'n2']);
    expect(
      (await server.request('POST', '/v1/search', { collection: 'secret', filterMeta: { dingokey: ['wombatvalue'] } }))
        .status,
    ).toBe(200);
  });
});
