import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('conversations within the whole service', () => {
  let server: DocsServer;
  beforeEach(async () => {
    server = await startDocsServer();
  });
  afterEach(() => server.stop());

  const ask = async (path: string, body?: object): Promise<Answer> => {
    const init = body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${server.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const start = async () => (await ask('/v1/memory/session', { userId: 'ada' })).body['sessionId'] as string;
  const say = (sessionId: string, content: string) => ask('/v1/memory/message', { sessionId, role: 'user', content });
  const keys = async (sessionId: string) =>
    ((await ask('/v1/memory/history', { sessionId })).body['messages'] as { key: string }[]).map(({ key }) =>
      key.slice(sessionId.length)
    );
  const recalled = async (query: string) => (await ask('/v1/memory/recall', { query })).body['total'];

  it('are hidden wherever collections are listed or counted (decisions section 2.4)', async () => {
    await say(await start(), 'hidden lighthouse');
    await ask('/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'text' });
    for (const path of ['/v1/stats', '/v1/vector-stats', '/v1/collection-configs']) {
      const { status, body } = await ask(path);
      expect([path, status, JSON.stringify(body).includes('"_memory"')]).toEqual([path, 200, false]);
    }
    expect((await ask('/v1/stats')).body).toMatchObject({ totalDocuments: 1, collections: [{ name: 'blog' }] });
    expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain('"_memory"');
  });

  it('come back as they were with a backup, and go on without a gap', async () => {
    const sessionId = await start();
    await say(sessionId, 'kept apple');
    const { body } = await ask('/v1/backup?to=kept.db');
    expect(body).not.toHaveProperty('error');
    await say(sessionId, 'lost pear');
    const lost = await start();
    expect((await ask('/v1/restore', { from: 'kept.db' })).status).toBe(200);
    expect([await keys(sessionId), await recalled('pear'), await recalled('apple')]).toEqual([['/1'], 0, 1]);
    expect((await ask('/v1/memory/history', { sessionId: lost })).status).toBe(404);
    expect((await ask('/v1/memory/sessions', {})).body).toMatchObject({ total: 1, sessions: [{ messageCount: 1 }] });
    await say(sessionId, 'new plum');
    expect([await keys(sessionId), await recalled('plum')]).toEqual([['/1', '/2'], 1]);
  });
});

describe('conversations with an embedding provider', () => {
  it('get vectors, as `embedded` says', async () => {
    const server = await startDocsServer({ env: { SVC_EMBEDDING_PROVIDER: 'builtin' } });
    const ask = async (path: string, body: object) =>
      (await fetch(`${server.url}/v1/memory/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })).json() as Promise<Record<string, unknown>>;
    const { sessionId } = await ask('session', { userId: 'ada' });
    expect(await ask('message', { sessionId, role: 'user', content: 'The lighthouse opens at nine.' })).toMatchObject({
      embedded: true,
    });
    await ask('summarize', { sessionId, userId: 'ada' });
    const embedded = () =>
      server.sql.all('SELECT d.key FROM embeddings e JOIN documents d ON d.ord = e.ord ORDER BY d.key');
    await expect.poll(embedded, { timeout: 20_000 }).toEqual([{ key: `${sessionId}/1` }, {
      key: `${sessionId}/summary`,
    }]);
    await server.stop();
  });
});

describe('the configuration of conversations (decision D-30)', () => {
  let server: DocsServer;
  beforeEach(async () => {
    server = await startDocsServer({ env: { SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') } });
  });
  afterEach(() => server.stop());
  const send = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const configure = (config: object) => send('PUT', 'collection-config', { collection: '_memory', ...config });
  const talk = async (...contents: string[]) => {
    const { body: { sessionId } } = await send('POST', 'memory/session', { userId: 'ada' });
    for (const content of contents) await send('POST', 'memory/message', { sessionId, role: 'user', content });
    return sessionId as string;
  };
  const stored = async () => {
    const rows = await server.sql.transaction((tx) =>
      tx.all<{ stored: Uint8Array; text: string; title: string }>(
        'SELECT d.body AS stored, d.meta AS text, s.title FROM documents d JOIN memory_sessions s ON d.key LIKE ' +
          "s.id || '/%' ORDER BY d.ord",
      )
    );
    return rows.map((row) => [Buffer.from(row.stored).toString('latin1'), row.text, row.title].join(' '));
  };

  it('sets the profile of recall, is read back, and goes again', async () => {
    await talk('One apple.', 'Two apples.', 'Three apples.');
    expect(await configure({ retrieval: { topK: 2 } })).toMatchObject({
      status: 200,
      body: { status: 'ok', collection: '_memory' },
    });
    expect((await send('POST', 'memory/recall', { query: 'apples' })).body['total']).toBe(2);
    expect((await send('GET', 'collection-config?collection=_Memory')).body).toMatchObject({
      configured: true,
      config: { retrieval: { topK: 2 } },
    });
    expect((await send('DELETE', 'collection-config?collection=_memory')).status).toBe(200);
    expect((await send('POST', 'memory/recall', { query: 'apples' })).body['total']).toBe(3);
  });

  it('encrypts past and future messages, and no title quotes them', async () => {
    await configure({ encrypted: true });
    const sessionId = await talk('The secret lighthouse opens at nine.');
    await send('POST', 'memory/summarize', { sessionId, userId: 'ada' });
    for (const row of await stored()) expect(row).not.toMatch(/lighthouse|"user_id"/);
    expect((await stored()).length).toBe(2);
    const { body } = await send('POST', 'memory/recall', { query: 'lighthouse', includeContent: true });
    expect(JSON.stringify(body)).toContain('The secret lighthouse opens at nine.');
    expect((await send('POST', 'memory/history', { sessionId })).body).toMatchObject({
      total: 1,
      messages: [{ contentMd: 'The secret lighthouse opens at nine.' }],
    });
    expect((await send('DELETE', `memory/sessions/${sessionId}`)).body).toMatchObject({ messages: 1 });
    expect(await stored()).toEqual([]);
  });

  it('leaves no quotation in titles of sessions before it, nor in the file', async () => {
    const sessionId = await talk('Where is the pelicanmarker?', 'And the second?');
    const { body: { sessionId: named } } = await send('POST', 'memory/session', {
      userId: 'ada',
      title: 'My own title',
    });
    await send('POST', 'memory/message', {
      sessionId: named as string,
      role: 'user',
      content: 'A pelicanmarker again.',
    });
    const titles = async () =>
      ((await send('POST', 'memory/sessions', {})).body['sessions'] as { sessionId: string; title: string }[]).map((
        session,
      ) => [session.sessionId, session.title]);
    expect(await titles()).toContainEqual([sessionId, 'Where is the pelicanmarker?']);
    await configure({ encrypted: true });
    const unfinished = () => server.sql.all("SELECT name FROM settings WHERE name LIKE 'encryption_switch:%'");
    await expect.poll(unfinished, { timeout: 10_000 }).toEqual([]);
    expect(await titles()).toContainEqual([sessionId, expect.stringMatching(/^Conversation · /)]);
    expect(await titles()).toContainEqual([named, 'My own title']);
    await server.sql.snapshotTo(`${server.sql.info.path}.copy`);
    for (const file of ['', '-wal', '.copy'])
      expect(
        await readFile(`${server.sql.info.path}${file}`).then((bytes) => bytes.includes('pelicanmarker'), () => false),
        file,
      ).toBe(false);
  });

  it('is none of other collections of the system, whose names stay reserved', async () => {
    for (const collection of ['_other', '_memory2', '_'])
      expect(await send('PUT', 'collection-config', { collection }), collection).toMatchObject({
        status: 400,
        body: { code: 'invalid_argument' },
      });
    expect((await send('POST', 'add', { collection: '_memory', key: 'k', lang: 'en', contentMd: 'x' })).status).toBe(
      400,
    );
  });
});

describe('conversations in read mode (decision D-11)', () => {
  it('cannot be written to, but read', async () => {
    const server = await startDocsServer({ env: { SVC_MODE: 'read' } });
    const statusOf = async (path: string, body: object) =>
      (await fetch(`${server.url}/v1/memory/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })).status;
    expect(await statusOf('session', { userId: 'ada' })).toBe(403);
    expect(await statusOf('message', { sessionId: 's', role: 'user', content: 'x' })).toBe(403);
    expect(await statusOf('summarize', { sessionId: 's', userId: 'ada' })).toBe(403);
    expect(await statusOf('sessions', {})).toBe(200);
    expect(await statusOf('recall', { query: 'x' })).toBe(200);
    await server.stop();
  });
});
