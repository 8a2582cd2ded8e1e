import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDocsServer, type DocsServer } from '../../testkit/docs-server.ts';

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
    const init = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${server.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const start = async () => (await ask('/v1/memory/session', { userId: 'ada' })).body['sessionId'] as string;
  const say = (sessionId: string, content: string) => ask('/v1/memory/message', { sessionId, role: 'user', content });
  const keys = async (sessionId: string) => ((await ask('/v1/memory/history', { sessionId })).body['messages'] as { key: string }[]).map(({ key }) => key.slice(sessionId.length));
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
    const ask = async (path: string, body: object) => (await fetch(`${server.url}/v1/memory/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json() as Promise<Record<string, unknown>>;
    const { sessionId } = await ask('session', { userId: 'ada' });
    expect(await ask('message', { sessionId, role: 'user', content: 'The lighthouse opens at nine.' })).toMatchObject({ embedded: true });
    await ask('summarize', { sessionId, userId: 'ada' });
    const embedded = () => server.sql.all('SELECT d.key FROM embeddings e JOIN documents d ON d.ord = e.ord ORDER BY d.key');
    await expect.poll(embedded, { timeout: 20_000 }).toEqual([{ key: `${sessionId}/1` }, { key: `${sessionId}/summary` }]);
    await server.stop();
  });
});

describe('conversations in read mode (decision D-11)', () => {
  it('cannot be written to, but read', async () => {
    const server = await startDocsServer({ env: { SVC_MODE: 'read' } });
    const statusOf = async (path: string, body: object) => (await fetch(`${server.url}/v1/memory/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).status;
    expect(await statusOf('session', { userId: 'ada' })).toBe(403);
    expect(await statusOf('message', { sessionId: 's', role: 'user', content: 'x' })).toBe(403);
    expect(await statusOf('summarize', { sessionId: 's', userId: 'ada' })).toBe(403);
    expect(await statusOf('sessions', {})).toBe(200);
    expect(await statusOf('recall', { query: 'x' })).toBe(200);
    await server.stop();
  });
});
