import { afterEach, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { startDocumentService, type RunningDocumentService } from './docs-service.ts';
import { loadSettings } from './settings/index.ts';

let service: RunningDocumentService | undefined;
afterEach(() => service?.stop());

async function serve(env: Record<string, string>): Promise<(path: string, body: object) => Promise<Record<string, unknown>>> {
  const { settings } = loadSettings({ env: { SVC_PATH: ':memory:', SVC_HTTP_ADDR: '127.0.0.1:0', ...env } });
  const { url } = (service = await startDocumentService({ settings, log: silentLog, validateResponses: true }));
  return async (path, body) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
}

it.each([
  [{}, { total: 1, stemmingActive: true, synonymsActive: true }],
  [{ SVC_FTS_STEMMING: 'false' }, { total: 0, stemmingActive: false, synonymsActive: true }],
  [{ SVC_FTS_SYNONYMS: 'false' }, { total: 1, stemmingActive: true, synonymsActive: false }],
])('with %j searches by words as the contract has it (section 1, configuration variables)', async (env, expected) => {
  const post = await serve(env as Record<string, string>);
  await post('/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'one post' });
  expect(await post('/v1/fts', { collection: 'blog', query: 'posts' })).toMatchObject(expected);
});
