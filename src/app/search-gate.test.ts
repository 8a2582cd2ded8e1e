import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { openDatabase, type Sql } from '../storage/index.ts';
import { type RunningDocumentService, startDocumentService } from './docs-service.ts';
import { loadSettings } from './settings/index.ts';

/** The first query of a search: the rows of its results. */
const SEARCH_BEGINS = 'SELECT d.ord, d.id, d.key, d.lang, d.added_at';

/** A database in which searches pause until they are released. */
class HeldSearches {
  begun = 0;
  /** Additional milliseconds of each search, as on a slow disk. */
  pause = 0;
  #go = Promise.withResolvers<void>();
  #reached = Promise.withResolvers<void>();

  hold(sql: Sql): Sql {
    return new Proxy(sql, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        const method = member.bind(target) as (text: unknown, ...rest: unknown[]) => unknown;
        return name === 'all'
          ? (text: unknown, ...rest: unknown[]) => this.#read(() => method(text, ...rest), text)
          : method;
      },
    });
  }

  /** Resolves when the first search pauses. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  letGo(): void {
    this.#go.resolve();
  }

  async #read(read: () => unknown, text: unknown): Promise<unknown> {
    if (typeof text === 'string' && text.startsWith(SEARCH_BEGINS)) {
      this.begun += 1;
      this.#reached.resolve();
      await this.#go.promise;
      if (this.pause > 0) await setTimeout(this.pause);
    }
    return read();
  }
}

describe('too many searches at once (decision D-19)', () => {
  let service: RunningDocumentService | undefined;
  let held: HeldSearches;
  const logged: object[] = [];
  const errors: object[] = [];
  const log = {
    ...silentLog,
    info: (fields: object) => void logged.push(fields),
    error: (fields: object) => void errors.push(fields),
  };
  afterEach(async () => {
    held.letGo();
    await service?.stop();
    for (const lines of [logged, errors]) lines.length = 0;
  });

  async function serve(
    places: number,
  ): Promise<(path: string, body: object, signal?: AbortSignal) => Promise<Response>> {
    held = new HeldSearches();
    const { settings } = loadSettings({
      env: {
        SVC_PATH: ':memory:',
        SVC_HTTP_ADDR: '127.0.0.1:0',
        SVC_GRPC_ADDR: '127.0.0.1:0',
        SVC_MCP_ADDR: '127.0.0.1:0',
        SVC_SEARCH_MAX_CONCURRENT: `${places}`,
        SVC_ACCESS_LOG: 'true',
      },
    });
    const running = (service = await startDocumentService({
      settings,
      log,
      validateResponses: true,
      open: async (path) => held.hold(await openDatabase({ path })),
    }));
    const post = (path: string, body: object, signal?: AbortSignal) =>
      fetch(`${running.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      });
    await post('/v1/add', { collection: 'c', key: 'a', lang: 'en', contentMd: 'fox' });
    return post;
  }
  const query = { collection: 'c', query: 'fox' };

  it('returns 503 with Retry-After when none ends in time, and meanwhile everything else works', async () => {
    const post = await serve(1);
    const first = post('/v1/fts', query);
    await held.reached;
    const second = post('/v1/fts', query);
    expect((await post('/v1/get', { collection: 'c', key: 'a', lang: 'en' })).status).toBe(200);
    const refused = await second;
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([503, '1',
      expect.objectContaining({ code: 'busy' })]);
    held.letGo();
    expect(await (await first).json()).toMatchObject({ total: 1 });
    expect((await post('/v1/fts', query)).status).toBe(200);
  });

  it('does not run a search whose client went while it waited', async () => {
    const post = await serve(1);
    const first = post('/v1/fts', query);
    await held.reached;
    const client = new AbortController();
    const second = post('/v1/fts', query, client.signal).catch(() => 'gone');
    // Responses to this many later requests prove that the server has read the one that waits.
    for (let i = 0; i < 20; i++) await (await post('/v1/get', { collection: 'c', key: 'a', lang: 'en' })).json();
    client.abort();
    expect(await second).toBe('gone');
    await expect.poll(() => logged).toContainEqual(expect.objectContaining({ status: 499 }));
    held.letGo();
    await first;
    expect((await post('/v1/fts', query)).status).toBe(200);
    expect([held.begun, errors]).toEqual([2, []]);
  });

  it('refuses none of the filtered searches of 16 connections, although they take more than two seconds together', {
    timeout: 60_000,
  }, async () => {
    const post = await serve(1);
    held.letGo();
    const document = (i: number) => ({
      key: `d${i}`,
      lang: 'en',
      contentMd: `fox number ${i}`,
      meta: { category: [`c${i % 4}`], year: [`${2000 + i % 20}`] },
    });
    for (let from = 0; from < 4000; from += 1000)
      await post('/v1/add-batch', {
        collection: 'c',
        documents: Array.from({ length: 1000 }, (_, i) => document(from + i)),
      });
    held.pause = 200;
    const filtered = {
      ...query,
      filterMeta: { category: ['c1'] },
      rangeMeta: [{ field: 'year', gte: '2005' }, { field: 'year', lt: '2015' }],
      facetBy: ['category', 'year'],
    };
    const all = Promise.all(Array.from({ length: 16 }, () => post('/v1/fts', filtered)));
    await expect.poll(() => held.begun, { timeout: 15_000 }).toBeGreaterThan(1);
    expect((await post('/v1/fts', query)).status).toBe(200);
    // The cheap search overtook most of the expensive ones.
    expect(held.begun).toBeLessThan(16);
    const answers = await all;
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
    for (const answer of answers) expect(await answer.json()).toMatchObject({ totalMatches: 600 });
  });

  it('has no limit with 0', async () => {
    const post = await serve(0);
    const all = Promise.all(Array.from({ length: 20 }, () => post('/v1/fts', query)));
    await expect.poll(() => held.begun, { timeout: 15_000 }).toBe(20);
    held.letGo();
    expect((await all).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });
});
