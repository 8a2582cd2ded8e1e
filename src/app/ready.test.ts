import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { openDatabase, type Sql } from '../storage/index.ts';
import { type RunningDocumentService, startDocumentService } from './docs-service.ts';
import { loadSettings } from './settings/index.ts';

/** The query that reads the documents for an index build. */
const SCAN = /body FROM documents WHERE id > /;

/** A database in which the scans of index builds pause while they are held. */
class HeldScans {
  #go: PromiseWithResolvers<void> | undefined;

  hold(): void {
    this.#go = Promise.withResolvers();
  }

  letGo(): void {
    this.#go?.resolve();
    this.#go = undefined;
  }

  of(sql: Sql): Sql {
    return new Proxy(sql, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name === 'background') return this.#held(member as Sql['background']);
        return typeof member === 'function' ? member.bind(target) as unknown : member;
      },
    });
  }

  #held(queries: Sql['background']): Sql['background'] {
    return {
      all: async (text, params) => {
        if (SCAN.test(text)) await this.#go?.promise;
        return queries.all(text, params);
      },
      get: (text, params) => queries.get(text, params),
    };
  }
}

describe('after a start or a restore (decision D-130)', () => {
  let folder: string;
  let service: RunningDocumentService;
  const scans = new HeldScans();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-ready-'));
    await serve();
    await post('/v1/add', { collection: 'c', key: 'a', lang: 'en', contentMd: 'fox' });
  });
  afterEach(async () => {
    scans.letGo();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function serve(): Promise<void> {
    const { settings } = loadSettings({
      env: {
        SVC_PATH: join(folder, 'q.db'),
        SVC_HTTP_ADDR: '127.0.0.1:0',
        SVC_GRPC_ADDR: '127.0.0.1:0',
        SVC_MCP_ADDR: '127.0.0.1:0',
        // A collection of one document would be read when it is searched.
        SVC_SEARCH_REST_AFTER: '0',
      },
    });
    service = await startDocumentService({
      settings,
      log: silentLog,
      validateResponses: true,
      open: async (path) => scans.of(await openDatabase({ path })),
    });
  }
  async function restartWithoutCheckpoints(): Promise<void> {
    await service.stop();
    await rm(join(folder, 'q.db.fts'), { recursive: true });
    await serve();
  }
  const post = async (path: string, body: object): Promise<Response> =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const search = async () => {
    const answer = await post('/v1/fts', { collection: 'c', query: 'fox' });
    return [answer.status, ((await answer.json()) as { total?: number }).total];
  };
  const ready = async (path = '/ready') => {
    const answer = await fetch(`${service.url}${path}`);
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      body: await answer.json() as { views: unknown },
    };
  };
  const serving = [{ name: 'full-text', ready: true }, { name: 'vector', ready: true }, {
    name: 'vector-field',
    ready: true,
  }, {
    name: 'columns',
    ready: true,
  }, { name: 'geo', ready: true }];

  it('a search waits for its index, and /ready says that it is not there yet, while everything else works', async () => {
    scans.hold();
    await restartWithoutCheckpoints();
    const found = search();
    for (const path of ['/ready', '/v1/ready']) {
      expect(await ready(path)).toEqual({
        status: 503,
        retryAfter: '1',
        body: {
          error: 'the full-text indexes are not ready',
          code: 'index_loading',
          requestId: expect.any(String) as string,
          status: 'loading',
          views: [{ name: 'full-text', ready: false }, { name: 'vector', ready: true }, {
            name: 'vector-field',
            ready: true,
          }, {
            name: 'columns',
            ready: true,
          }, { name: 'geo', ready: true }],
        },
      });
    }
    expect([(await fetch(`${service.url}/health`)).status,
      (await post('/v1/get', { collection: 'c', key: 'a', lang: 'en' })).status]).toEqual([200, 200]);
    scans.letGo();
    expect(await found).toEqual([200, 1]);
    expect(await ready()).toEqual({ status: 200, retryAfter: null, body: { status: 'ready', views: serving } });
  });

  it('so does one that comes right after a backup was restored, which carries no indexes', async () => {
    expect(await (await fetch(`${service.url}/v1/backup?to=b.db`)).json()).toMatchObject({ includesIndexes: false });
    await post('/v1/delete', { collection: 'c', key: 'a', lang: 'en' });
    expect((await post('/v1/restore', { from: 'b.db' })).status).toBe(200);
    expect(await search()).toEqual([200, 1]);
    expect(await ready()).toMatchObject({ status: 200 });
  });
});
