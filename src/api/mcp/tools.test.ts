import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../../generated/mcp/tools.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import { connectHandshake, mcpUrl, RawClient } from '../../testkit/mcp-clients.ts';
import { dumpXml } from '../../testkit/wiki/dump.ts';

let server: DocsServer;
let client: Client;
let raw: RawClient;

beforeAll(async () => {
  server = await startDocsServer({
    env: { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_TEMPORAL: 'true', SVC_SPELL: 'true' },
  });
  ({ client } = await connectHandshake(mcpUrl(server)));
  raw = new RawClient(mcpUrl(server));
  await client.listTools(); // from now on the client checks every structured result against its schema
});
afterAll(async () => {
  await client.close();
  raw.close();
  await server.stop();
});

const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
  await client.callTool({ name, arguments: args }) as CallToolResult;

const textOf = ({ content }: CallToolResult): string => (content[0] as { text: string }).text;

const body = '# Release notes\n\nThe search index learned phrases.';
const a = { collection: 'blog', key: 'a', lang: 'en' };

/** There is no server at this address, and nothing happens in its collection. */
const WEBHOOK = { url: 'http://127.0.0.1:1/hook', events: ['doc.added'], collection: 'quiet' };

/** A rule of a collection in which nothing happens. */
const RULE = {
  type: 'trigger',
  name: 'Quiet',
  collection: 'quiet',
  query: 'phrases',
  webhook_url: 'http://127.0.0.1:1/hook',
};

/**
 * Arguments that work on a server with two documents; for tools that are not implemented, the arguments that they will
 * need.
 */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown> | (() => Promise<Record<string, unknown>>)>> = {
  add_document: { ...a, content_md: body, meta: { tags: ['x'], geo_lat: ['52'], geo_lng: ['13'] } },
  add_documents_batch: {
    collection: 'blog',
    documents: [{ key: 'b', lang: 'en', content_md: 'Second post' }, { key: 'c', lang: 'en', contentMd: 'Third post' }],
  },
  get_document: a,
  get_document_meta: a,
  update_document: { ...a, content_md: `${body} Twice.` },
  delete_document: { collection: 'blog', key: 'c', lang: 'en' },
  delete_documents_batch: { collection: 'blog', documents: [{ key: 'zz', lang: 'en' }] },
  delete_collection: { collection: 'gone' },
  search_documents: { collection: 'blog', filter_meta: { tags: ['x'] }, limit: 5 },
  set_ttl: { ...a, ttl: 0 },
  get_meta_keys: { collection: 'blog' },
  get_checksum: { collection: 'blog' },
  list_revisions: a,
  restore_revision: async () => ({
    ...a,
    timestamp:
      ((await call('list_revisions', a)).structuredContent as { revisions: { timestamp: number }[] }).revisions[0]!
        .timestamp,
  }),
  truncate_revisions: { collection: 'blog', keep_revs: 1 },
  ingest_documents: {
    collection: 'scraped',
    documents: [{ url: 'https://example.org/post', content_md: 'Scraped', lang: 'en' }],
  },
  upload_file: {
    collection: 'blog',
    lang: 'en',
    filename: 'note.md',
    content: Buffer.from('# Note').toString('base64'),
  },
  import_url: async () => ({ collection: 'blog', lang: 'en', url: await served('<h1>Page</h1>', 'page.html') }),
  import_wiki: async () => ({
    collection: 'wiki',
    lang: 'en',
    url: await served(dumpXml([{ title: 'Page', text: 'text' }]), 'dump.xml'),
  }),
  bulk_ingest_submit: { collection: 'bulk', documents: [{ key: 'k', lang: 'en', content_md: 'x' }] },
  bulk_ingest_status: async () => ({ id: await bulkJob() }),
  bulk_ingest_list: {},
  bulk_ingest_cancel: async () => ({ id: await bulkJob() }),
  export_documents: { collection: 'blog' },
  create_backup: { to: 'smoke.db' },
  restore_backup: { from: 'smoke.db' },
  semantic_search: { collection: 'blog', query: 'release notes', top_k: 2 },
  full_text_search: { collection: 'blog', query: 'phrases', highlight: true },
  hybrid_search: { collection: 'blog', query: 'release notes' },
  cross_search: { query: 'release notes', target_collections: ['blog'] },
  similar_documents: { collection: 'blog', key: 'a' },
  find_duplicates: { collection: 'blog' },
  classify_document: { text: 'a release', labels: ['software', 'cooking'] },
  aggregate: { collection: 'blog', facets: [{ field: 'tags' }] },
  autocomplete: { collection: 'blog', q: 'phr' },
  code_graph: { collection: 'blog', key: 'a' },
  vector_reindex: { collection: 'blog' },
  vector_projection: { collection: 'blog' },
  evaluate_vectors: { collection: 'blog', queries: [{ query: 'whale' }] },
  fts_reindex: { collection: 'blog' },
  list_synonyms: { collection: 'blog' },
  add_synonym: { collection: 'blog', term: 'quick', synonyms: ['fast'] },
  delete_synonym: { collection: 'blog', term: 'quick' },
  list_stopwords: { collection: 'blog' },
  add_stopwords: { collection: 'blog', words: ['foo'] },
  delete_stopwords: { collection: 'blog', words: ['foo'] },
  geo_search: { collection: 'blog', lat: 52, lng: 13, radius_meters: 1000 },
  geo_within: { collection: 'blog', min_lat: 50, max_lat: 54, min_lng: 12, max_lng: 14 },
  geo_polygon: { collection: 'blog', polygon: { coordinates: [[[12, 50], [14, 50], [13, 54]]] } },
  geo_encode: { lat: 52, lng: 13 },
  geo_decode: { geohash: 'u33' },
  get_collection_config: { collection: 'blog' },
  set_collection_config: { collection: 'blog', response_prompt: 'Answer from {{collection}} in one line.' },
  delete_collection_config: { collection: 'other' },
  set_schema: { collection: 'checked', schema: { required: ['title'] } },
  get_schema: { collection: 'checked' },
  delete_schema: { collection: 'checked' },
  validate_document: { collection: 'checked', meta: { title: ['x'] } },
  register_webhook: WEBHOOK,
  update_webhook: async () => ({ id: await webhook(), paused: true }),
  redeliver_webhooks: async () => ({ webhook_id: await webhook() }),
  test_webhook: async () => ({ id: await webhook() }),
  delete_webhook: async () => ({ id: await webhook() }),
  create_automation: RULE,
  list_automation: {},
  get_automation: async () => ({ id: await automationRule() }),
  update_automation: async () => ({ ...RULE, id: await automationRule(), enabled: false }),
  test_automation: async () => ({ id: await automationRule() }),
  get_automation_logs: { limit: 5 },
  delete_automation: async () => ({ id: await automationRule() }),
  list_curation_rules: { collection: 'blog' },
  create_curation_rule: { collection: 'blog', query: 'notes', pins: [{ key: 'a', lang: 'en', position: 1 }] },
  update_curation_rule: async () => ({ id: await curationRule(), collection: 'blog', query: 'notes', hides: ['b'] }),
  delete_curation_rule: async () => ({ id: await curationRule() }),
  memory_start_session: { user_id: 'u' },
  memory_add_message: async () => ({ session_id: await session(), role: 'user', content: 'How do phrases work?' }),
  memory_recall: { query: 'phrases' },
  memory_summarize: async () => ({ session_id: await session('We decided to ship on Friday.'), user_id: 'u' }),
  memory_list_sessions: {},
  memory_session_history: async () => ({ session_id: await session() }),
  memory_delete_session: async () => ({ id: await session('Forget this.') }),
  spell_suggest: { text: 'relaese', lang: 'en' },
  spell_cleanup: { text: 'relaese', lang: 'en' },
  list_dictionary: { lang: 'en' },
  add_dictionary_words: { lang: 'en', words: ['quire'] },
  delete_dictionary_words: { lang: 'en', words: ['quire'] },
  temporal_query: a,
  temporal_hot: { collection: 'blog' },
  temporal_histogram: { collection: 'blog' },
};

/** The address of a file on this machine. */
async function served(content: string, name: string): Promise<string> {
  const files = createServer((_, answer) => answer.end(content)).listen(0, '127.0.0.1').unref();
  await once(files, 'listening');
  return `http://127.0.0.1:${(files.address() as AddressInfo).port}/${name}`;
}

async function automationRule(): Promise<string> {
  return ((await call('create_automation', RULE)).structuredContent as { id: string }).id;
}

async function webhook(): Promise<string> {
  return ((await call('register_webhook', WEBHOOK)).structuredContent as { id: string }).id;
}

async function curationRule(): Promise<string> {
  const { rules } = (await call('list_curation_rules', { collection: 'blog' })).structuredContent as {
    rules: { id: string }[];
  };
  return rules[0]!.id;
}

/** A job behind another one that takes a while, so that it is still pending. */
async function bulkJob(): Promise<string> {
  const submit = async (count: number) =>
    (await call('bulk_ingest_submit', {
      collection: 'bulk',
      documents: Array.from({ length: count }, (_, i) => ({ key: `k${i}`, lang: 'en', content_md: 'x' })),
    })).structuredContent as { id: string };
  await submit(3000);
  return (await submit(1)).id;
}

async function session(message?: string): Promise<string> {
  const { sessionId } = (await call('memory_start_session', { user_id: 'u' })).structuredContent as {
    sessionId: string;
  };
  if (message !== undefined)
    await call('memory_add_message', { session_id: sessionId, role: 'user', content: message });
  return sessionId;
}

/** Each after the tools on which it depends, the restore of the backup last. */
const ORDER = ['add_document', 'add_documents_batch', 'vector_reindex', 'create_backup', 'set_collection_config',
  'create_curation_rule', 'update_curation_rule', 'set_schema',
  ...tools.map(({ name }) => name).filter((name) => !['restore_backup'].includes(name)), 'restore_backup'].filter((name,
    i, all) => all.indexOf(name) === i
  );

describe('tools/call', () => {
  it.each(ORDER)('%s answers valid arguments with what its output schema says, or that it is not built',
    async (name) => {
      const given = ARGUMENTS[name] ?? {};
      const result = await call(name, typeof given === 'function' ? await given() : given);
      const { operation } = tools.find((tool) => tool.name === name)!;
      if (!server.built.includes(operation)) {
        expect(result.isError, textOf(result)).toBe(true);
        expect(JSON.parse(textOf(result))).toMatchObject({
          code: 'not_implemented',
          error: `${operation} is not implemented`,
        });
        return;
      }
      expect(result.isError, textOf(result)).toBeUndefined();
      expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
    });

  it('takes arguments in camelCase as well, also within lists', async () => {
    await call('add_documents_batch', {
      collection: 'spelled',
      documents: [{ key: 'a', lang: 'en', contentMd: 'one' }, { key: 'b', lang: 'en', content_md: 'two' }],
    });
    const found = await call('search_documents', {
      collection: 'spelled',
      includeContent: true,
      sort: 'key',
      asc: true,
    });
    expect(found.structuredContent).toMatchObject({
      total: 2,
      documents: [{ contentMd: 'one' }, { contentMd: 'two' }],
    });
  });

  it('leaves the keys of metadata as they are', async () => {
    const meta = { snake_key: ['1'], camelKey: ['2'], content_md: ['3'] };
    await call('add_document', { ...a, collection: 'keys', content_md: 'x', meta });
    expect((await call('get_document', { ...a, collection: 'keys' })).structuredContent).toMatchObject({ meta });
  });

  it('reports a failure as a result with the message and the stable code', async () => {
    const missing = await call('get_document', { collection: 'blog', key: 'nowhere', lang: 'en' });
    expect([missing.isError, JSON.parse(textOf(missing))]).toMatchObject([true, { code: 'not_found' }]);
    const invalid = await call('add_document', { collection: 'blog' });
    expect(JSON.parse(textOf(invalid))).toMatchObject({
      error: 'missing fields: key, lang, contentMd',
      code: 'missing_fields',
    });
    const twice = await call('add_document', { ...a, content_md: 'x', contentMd: 'y' });
    expect(JSON.parse(textOf(twice))).toEqual({
      error: 'content_md is given twice, as content_md and as contentMd',
      code: 'invalid_argument',
    });
  });

  it('answers an unknown tool with an error of the protocol', async () => {
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.callTool({ name: '__proto__' })).rejects.toMatchObject({ code: -32602 });
  });

  it('escapes highlights for HTML only where the call asks for it, as every protocol (decision D-190)', async () => {
    await call('add_document', { ...a, collection: 'markup', content_md: '<img src=x onerror=alert(1)> phrases' });
    const fragment = async (more: object) => {
      const { structuredContent } = await call('full_text_search', {
        collection: 'markup',
        query: 'phrases',
        highlight: true,
        ...more,
      });
      return (structuredContent as { results: { highlights: { fragment: string }[] }[] }).results[0]!.highlights[0]!
        .fragment;
    };
    expect(await fragment({})).toBe('<img src=x onerror=alert(1)> <mark>phrases</mark>');
    for (const more of [{ highlight_escape: 'html' }, { highlightEscape: 'html' }])
      expect(await fragment(more)).toBe('&lt;img src=x onerror=alert(1)&gt; <mark>phrases</mark>');
    const { inputSchema } = (await client.listTools()).tools.find(({ name }) => name === 'full_text_search')!;
    expect(inputSchema.properties!['highlight_escape']).toMatchObject({ default: 'none' });
  });

  it('hands the response prompt of a collection out with every search', async () => {
    await call('set_collection_config', { collection: 'prompted', response_prompt: 'From {{collection}}, briefly.' });
    await call('add_document', { ...a, collection: 'prompted', content_md: 'release notes' });
    for (const [name, args] of Object.entries({
      search_documents: {},
      full_text_search: { query: 'notes' },
      semantic_search: { query: 'notes' },
      hybrid_search: { query: 'notes' },
    })) {
      const { structuredContent, content } = await call(name, { collection: 'prompted', ...args });
      expect(structuredContent, name).toMatchObject({ responsePrompt: 'From prompted, briefly.' });
      expect(content, name).toHaveLength(2);
      expect((content[1] as { text: string }).text).toContain('From prompted, briefly.');
    }
  });

  it('counts calls in the metrics', async () => {
    await call('get_checksum', { collection: 'blog' });
    await call('get_checksum', {});
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/svc_mcp_tool_calls_total\{tool="get_checksum",outcome="ok"\} \d/);
    expect(metrics).toMatch(/svc_mcp_tool_calls_total\{tool="get_checksum",outcome="error"\} \d/);
  });
});

describe('export_documents', () => {
  it('returns a window of the documents and says how to go on', async () => {
    const documents = Array.from({ length: 25 },
      (_, i) => ({ key: `d${String(i).padStart(2, '0')}`, lang: 'en', content_md: `Text ${i}` }));
    await call('add_documents_batch', { collection: 'many', documents });
    const keys: string[] = [];
    let offset: number | undefined = 0;
    for (let calls = 0; offset !== undefined && calls < 10; calls++) {
      const page = (await call('export_documents', { collection: 'many', offset, limit: 10 })).structuredContent as {
        ndjson: string;
        truncated: boolean;
        nextOffset?: number;
      };
      keys.push(...page.ndjson.trimEnd().split('\n').map((line) => (JSON.parse(line) as { key: string }).key));
      expect(page.truncated).toBe(page.nextOffset !== undefined);
      offset = page.nextOffset;
    }
    expect(keys).toEqual(documents.map(({ key }) => key));
  });

  it('never answers much more than its tokens', async () => {
    const documents = Array.from({ length: 8 },
      (_, i) => ({ key: `big${i}`, lang: 'en', content_md: 'x'.repeat(30_000) }));
    await call('add_documents_batch', { collection: 'large', documents });
    expect((await call('export_documents', { collection: 'large' })).structuredContent).toMatchObject({
      count: 3,
      truncated: true,
      nextOffset: 3,
    });
  });

  it('refuses a window that is none, naming the field', async () => {
    expect(JSON.parse(textOf(await call('export_documents', { collection: 'many', limit: 0 })))).toMatchObject({
      error: 'limit must be an integer from 1 to 10000, got 0',
    });
  });
});

describe('a result that no model can use', () => {
  it('is refused with what to do, rather than sent', async () => {
    const huge = 'x'.repeat(5_000_000);
    await call('add_documents_batch', {
      collection: 'huge',
      documents: [{ key: 'a', lang: 'en', content_md: huge }, { key: 'b', lang: 'en', content_md: huge }],
    });
    const refused = await call('search_documents', { collection: 'huge' });
    expect([refused.isError, JSON.parse(textOf(refused))]).toMatchObject([true, {
      code: 'payload_too_large',
      error: expect.stringContaining('include_content') as string,
    }]);
    expect((await call('search_documents', { collection: 'huge', include_content: false })).structuredContent)
      .toMatchObject({ total: 2 });
  });
});

describe('access modes', () => {
  it('refuse in read mode every tool that writes, and none that reads', async () => {
    const readOnly = await startDocsServer({ env: { SVC_MCP_MODE: 'read', SVC_EMBEDDING_PROVIDER: 'builtin' } });
    const reader = await connectHandshake(mcpUrl(readOnly));
    for (const { name, annotations } of tools) {
      // Backups are allowed in read mode (decision D-11), so that a replica can be saved.
      if (name === 'create_backup') continue;
      const given = ARGUMENTS[name] ?? {};
      const result = await reader.client.callTool({
        name,
        arguments: typeof given === 'function' ? {} : given,
      }) as CallToolResult;
      const { code } = result.isError ? JSON.parse(textOf(result)) as { code: string } : { code: undefined };
      expect([name, code === 'read_only']).toEqual([name, !annotations.readOnlyHint]);
    }
    await reader.client.close();
    await readOnly.stop();
  });
});
