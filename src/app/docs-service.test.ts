import { afterEach, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { type RunningDocumentService, startDocumentService } from './docs-service.ts';
import { loadSettings } from './settings/index.ts';

let service: RunningDocumentService | undefined;
afterEach(() => service?.stop());

async function serve(
  env: Record<string, string>,
): Promise<(path: string, body: object) => Promise<Record<string, unknown>>> {
  const { settings } = loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ADDR: '127.0.0.1:0',
      SVC_MCP_ADDR: '127.0.0.1:0',
      ...env,
    },
  });
  const { url } = (service = await startDocumentService({ settings, log: silentLog, validateResponses: true }));
  return async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  };
}

it.each([[{}, { total: 1, stemmingActive: true, synonymsActive: true }], [{ SVC_FTS_STEMMING: 'false' }, {
  total: 0,
  stemmingActive: false,
  synonymsActive: true,
}], [{ SVC_FTS_SYNONYMS: 'false' }, { total: 1, stemmingActive: true, synonymsActive: false }], [{
  SVC_FTS_DEFAULT_ALGORITHM: 'bm25f',
}, { total: 1, algorithm: 'bm25f' }]])(
  'with %j searches by words as the contract has it (section 1, configuration variables)',
  async (env, expected) => {
    const post = await serve(env as Record<string, string>);
    await post('/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'one post' });
    expect(await post('/v1/fts', { collection: 'blog', query: 'posts' })).toMatchObject(expected);
  },
);

it.each([[{}, true], [{ SVC_SEARCH_STATS: 'false' }, false]])(
  'with %j counts and times searches: %s (decisions sections 1 and 4.1)',
  async (env, counts) => {
    const post = await serve({ SVC_EMBEDDING_PROVIDER: 'builtin', ...env } as Record<string, string>);
    await post('/v1/fts', { collection: 'blog', query: 'posts', algorithm: 'bm25' });
    await post('/v1/fts', { collection: 'blog', query: '(', mode: 'expression' });
    await post('/v1/hybrid-search', { collection: 'blog', query: 'posts', algorithm: 'bm25f' });
    await post('/v1/vector-search', { collection: 'blog', query: 'posts', algorithm: 'flat' });
    await post('/v1/memory/recall', { query: 'posts', strategy: 'keyword' });
    const read = async (path: string) => (await fetch(`${service!.url}${path}`)).text();
    expect(JSON.parse(await read('/v1/config'))).toMatchObject({ searchStatsEnabled: counts });
    const metrics = await read('/metrics');
    for (const line of ['svc_search_queries_total{type="fts",algorithm="bm25"} 1',
      'svc_search_queries_total{type="hybrid",algorithm="bm25f"} 1',
      'svc_search_queries_total{type="vector",algorithm="flat"} 1',
      'svc_search_queries_total{type="memory",algorithm="keyword"} 1',
      'svc_search_duration_seconds_count{type="fts"} 1']) expect(metrics.includes(line), line).toBe(counts);
  },
);
