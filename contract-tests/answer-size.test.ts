import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { type ConnectedClient, connectHandshake, mcpUrl } from '../src/testkit/mcp-clients.ts';
import { AccessServer } from './support/access-server.ts';

/** No response of this server may be much larger: some field names and JSON escapes are added to the limit. */
const ANSWER_BYTES = 24 * 1024;
const MCP_TOKENS = 2048;
const ALLOWED = 1.25;

const DOCUMENTS = 30;
const TEXT = `common ${'lorem ipsum dolor sit amet '.repeat(120)}`;
const VECTOR_SETTINGS = { SVC_EMBEDDING_PROVIDER: 'builtin' };

type Fields = Record<string, unknown>;

/** One response: its items, its size, and the offset or cursor of the next one. */
interface Part {
  readonly items: readonly unknown[];
  readonly bytes: number;
  readonly truncated: boolean;
  readonly nextOffset: number | undefined;
}

/**
 * A list that can grow: how it is requested, which part of it is an item, and the number of items; -1 if that is not
 * known.
 */
interface Growing {
  readonly method?: 'GET';
  readonly path: string;
  readonly tool?: string;
  readonly input: Fields;
  readonly items: (answer: never) => readonly unknown[];
  readonly expected: number;
}

const flatMeta = ({ meta }: { meta: Record<string, string[]> }): string[] =>
  Object.entries(meta).flatMap(([key, values]) => values.map((value) => `${key}=${value}`));
const keysOf = (name: string) => (answer: Record<string, { document?: { key: string }; key?: string }[]>): unknown[] =>
  answer[name]!.map((item) => item.document?.key ?? item.key);
const idsOf = (name: string) => (answer: Record<string, { id: string }[]>): string[] =>
  answer[name]!.map(({ id }) => id);
const page = { collection: 'big', query: 'common', includeContent: true };

const GROWING: Record<string, Growing> = {
  'revisions': {
    path: '/v1/revisions',
    tool: 'list_revisions',
    input: { collection: 'big', key: 'versions', lang: 'en' },
    items: ({ revisions }: { revisions: { revision: number }[] }) => revisions.map(({ revision }) => revision),
    expected: DOCUMENTS,
  },
  'search with bodies': {
    path: '/v1/search',
    tool: 'search_documents',
    input: { collection: 'big', limit: 1000, includeContent: true },
    items: (documents: { key: string }[]) => documents.map(({ key }) => key),
    expected: DOCUMENTS + 1,
  },
  'full-text search': {
    path: '/v1/fts',
    tool: 'full_text_search',
    input: { ...page, limit: 1000 },
    items: keysOf('results'),
    expected: DOCUMENTS,
  },
  'full-text search with highlights': {
    path: '/v1/fts',
    input: { ...page, includeContent: false, highlight: true, maxHighlights: 20, fragmentSize: 2000, limit: 1000 },
    items: keysOf('results'),
    expected: DOCUMENTS,
  },
  'vector search': {
    path: '/v1/vector-search',
    tool: 'semantic_search',
    input: { ...page, topK: 1000 },
    items: keysOf('results'),
    expected: DOCUMENTS + 1,
  },
  'passages': {
    path: '/v1/vector-search',
    input: { ...page, includeContent: false, retrievalMode: 'chunk', topK: 1000 },
    items: ({ results }: { results: { document: { key: string }; chunkIndex: number }[] }) =>
      results.map(({ document, chunkIndex }) => `${document.key} ${chunkIndex}`),
    expected: -1,
  },
  'hybrid search': {
    path: '/v1/hybrid-search',
    tool: 'hybrid_search',
    input: { ...page, topK: 1000 },
    items: keysOf('results'),
    expected: DOCUMENTS + 1,
  },
  'cross-search': {
    path: '/v1/cross-search',
    tool: 'cross_search',
    input: { query: 'common', targetCollections: ['big'], includeContent: true, topK: 1000 },
    items: keysOf('results'),
    expected: DOCUMENTS + 1,
  },
  'metadata keys': {
    method: 'GET',
    path: '/v1/meta-keys',
    tool: 'get_meta_keys',
    input: { collection: 'many' },
    items: flatMeta,
    expected: 3000,
  },
  'stop words': {
    method: 'GET',
    path: '/v1/stopwords',
    tool: 'list_stopwords',
    input: { collection: 'big' },
    items: ({ entries }: { entries: { word: string }[] }) => entries.map(({ word }) => word),
    expected: -1,
  },
  'synonyms': {
    method: 'GET',
    path: '/v1/synonyms',
    tool: 'list_synonyms',
    input: { collection: 'big' },
    items: ({ synonyms }: { synonyms: object }) => Object.keys(synonyms),
    expected: 40,
  },
  'history': {
    path: '/v1/memory/history',
    tool: 'memory_session_history',
    input: { limit: 1000 },
    items: ({ messages }: { messages: { key: string }[] }) => messages.map(({ key }) => key),
    expected: DOCUMENTS,
  },
  'sessions': {
    path: '/v1/memory/sessions',
    tool: 'memory_list_sessions',
    input: { limit: 1000 },
    items: ({ sessions }: { sessions: { sessionId: string }[] }) => sessions.map(({ sessionId }) => sessionId),
    expected: DOCUMENTS,
  },
  'schemas': {
    path: '/v1/schema/list',
    tool: 'list_schemas',
    input: {},
    items: ({ schemas }: { schemas: { collection: string }[] }) => schemas.map(({ collection }) => collection),
    expected: DOCUMENTS,
  },
  'collection configurations': {
    method: 'GET',
    path: '/v1/collection-configs',
    tool: 'list_collection_configs',
    input: {},
    items: ({ configs }: { configs: { collection: string }[] }) => configs.map(({ collection }) => collection),
    expected: DOCUMENTS,
  },
  'embedding configurations': {
    method: 'GET',
    path: '/v1/embedding-configs',
    tool: 'list_embedding_configs',
    input: {},
    items: idsOf('configs'),
    expected: DOCUMENTS,
  },
  'curation rules': {
    method: 'GET',
    path: '/v1/curation',
    tool: 'list_curation_rules',
    input: { collection: 'big' },
    items: idsOf('rules'),
    expected: DOCUMENTS,
  },
  'recall': {
    path: '/v1/memory/recall',
    tool: 'memory_recall',
    input: { query: 'common', topK: 1000, includeContent: true },
    items: keysOf('results'),
    expected: DOCUMENTS,
  },
};

function partOf(status: number, text: string, headerOf: (name: string) => string | null,
  items: Growing['items']): Part
{
  expect(status, text.slice(0, 500)).toBe(200);
  const answer = JSON.parse(text) as Fields;
  const inHeaders = Array.isArray(answer);
  const header = headerOf('x-next-offset');
  const nextOffset = inHeaders
    ? (header === null ? undefined : Number(header))
    : answer['nextOffset'] as number | undefined;
  return {
    items: items(answer as never),
    bytes: Buffer.byteLength(text),
    truncated: inHeaders ? headerOf('x-truncated') === 'true' : answer['truncated'] === true,
    nextOffset,
  };
}

async function walk(ask: (more: Fields) => Promise<Part>,
  most: number): Promise<{ items: unknown[]; answers: number }>
{
  const items: unknown[] = [];
  let answers = 0;
  for (let offset: number | undefined = 0; offset !== undefined; answers++) {
    const part: Part = await ask({ offset });
    expect(part.truncated).toBe(part.nextOffset !== undefined);
    if (part.items.length > 1) expect(part.bytes).toBeLessThan(most * ALLOWED + 1024);
    if (part.nextOffset !== undefined) expect(part.nextOffset).toBeGreaterThan(offset);
    items.push(...part.items);
    offset = part.nextOffset;
  }
  return { items, answers };
}

describe('a response that can grow', () => {
  let server: DocsServer;
  let mcp: ConnectedClient;
  /** The response that created the last embedding configuration. */
  let created: Fields;

  beforeAll(async () => {
    server = await startDocsServer({
      env: {
        SVC_MAX_ANSWER_BYTES: String(ANSWER_BYTES),
        SVC_MCP_MAX_ANSWER_TOKENS: String(MCP_TOKENS),
        ...VECTOR_SETTINGS,
      },
    });
    mcp = await connectHandshake(mcpUrl(server));
    await fill();
  }, 120_000);
  afterAll(async () => {
    await mcp.client.close();
    await server.stop();
  });

  async function rest(method: string, path: string, input: Fields): Promise<Response> {
    const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]));
    const url = `${server.url}${path}${method === 'GET' ? `?${query}` : ''}`;
    return fetch(url, {
      method,
      ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }),
    });
  }

  async function post(path: string, input: Fields, method = 'POST'): Promise<Fields> {
    const answer = await rest(method, path, input);
    expect(answer.status, await answer.clone().text()).toBeLessThan(300);
    return (await answer.json()) as Fields;
  }

  async function fill(): Promise<void> {
    const documents = Array.from({ length: DOCUMENTS },
      (_, i) => ({ key: `d${i}`, lang: 'en', contentMd: `${i} ${TEXT}`, meta: { number: [String(i)] } }));
    await post('/v1/add-batch', { collection: 'big', documents });
    for (let i = 0; i < DOCUMENTS; i++)
      await post('/v1/add', {
        collection: 'big',
        key: 'versions',
        lang: 'en',
        contentMd: `other words ${i} ${'dolor sit amet '.repeat(200)}`,
      });
    await post('/v1/add-batch', {
      collection: 'many',
      documents: Array.from({ length: 3 }, (_, d) => ({
        key: `m${d}`,
        lang: 'en',
        contentMd: 'facets',
        meta: { [`k${d}`]: Array.from({ length: 1000 }, (__, i) => `value ${d} ${i} ${'v'.repeat(20)}`) },
      })),
    });
    await post('/v1/stopwords', {
      collection: 'big',
      words: Array.from({ length: 1000 }, (_, i) => `stopword${i}${'w'.repeat(20)}`),
    });
    for (let i = 0; i < 40; i++)
      await post('/v1/synonyms', {
        collection: 'big',
        term: `term${i}`,
        synonyms: Array.from({ length: 50 }, (_, j) => `synonym${i}x${j}${'s'.repeat(20)}`),
      });
    for (let i = 0; i < DOCUMENTS; i++) {
      const { sessionId } = await post('/v1/memory/session', {
        userId: 'ada',
        title: `session ${i}`,
        meta: { note: [`${i} ${'n'.repeat(2000)}`] },
      });
      if (i > 0) continue;
      (GROWING['history']!.input as Fields)['sessionId'] = sessionId;
      for (let j = 0; j < DOCUMENTS; j++)
        await post('/v1/memory/message', { sessionId, role: 'user', content: `${j} ${TEXT}` });
    }
    await post('/v1/vector-reindex', { collection: 'big' });
    await configure();
  }

  /** Configurations that administrators set, created after the data to which they would apply. */
  async function configure(): Promise<void> {
    const long = 'l'.repeat(1000);
    for (let i = 0; i < DOCUMENTS; i++) {
      await post('/v1/schema/set', { collection: `c${i}`, schema: { properties: { note: { enum: [long] } } } });
      await post('/v1/collection-config', { collection: `c${i}`, description: long }, 'PUT');
      created = await post('/v1/embedding-configs', { name: `${i} ${long}`, provider: 'none' });
      await post('/v1/curation', { collection: 'big', query: 'nothing that is asked for', hides: [`${i}${long}`] });
    }
  }

  async function overRest({ method, path, input, items }: Growing, more: Fields): Promise<Part> {
    const response = await rest(method ?? 'POST', path, { ...input, ...more });
    return partOf(response.status, await response.text(), (header) => response.headers.get(header), items);
  }

  async function overMcp({ tool, input, items }: Growing, more: Fields): Promise<Part> {
    const result = await mcp.client.callTool({ name: tool!, arguments: { ...input, ...more } });
    const [{ text }] = result.content as [{ text: string }];
    expect(result.isError, text.slice(0, 500)).not.toBe(true);
    const answer = JSON.parse(text) as Fields;
    return {
      items: items((tool === 'search_documents' ? answer['documents'] : answer) as never),
      bytes: Buffer.byteLength(text),
      truncated: answer['truncated'] === true,
      nextOffset: answer['nextOffset'] as number | undefined,
    };
  }

  describe.each(Object.entries(GROWING))('%s', (_, growing) => {
    it('ends at the size of a response and says where to go on, until nothing is left', async () => {
      const { items, answers } = await walk((more) => overRest(growing, more), ANSWER_BYTES);
      expect(answers).toBeGreaterThan(1);
      expect(new Set(items).size).toBe(items.length);
      if (growing.expected >= 0) expect(items).toHaveLength(growing.expected);
    });

    it.skipIf(growing.tool === undefined)(
      'is a tool that answers no more than its tokens (skipped where the tool is told above)',
      async () => {
        const { items, answers } = await walk((more) => overMcp(growing, more), MCP_TOKENS * 4);
        expect(answers).toBeGreaterThan(1);
        if (growing.expected >= 0) expect(new Set(items).size).toBe(growing.expected);
      },
    );
  });

  it('of GraphQL is one for all of its fields', async () => {
    const fields = Array.from({ length: 20 },
      (_, i) =>
        `f${i}: search(input: {collection: "big", limit: 100, offset: ${i}}) { truncated nextOffset edges { node { ` +
        'key contentMd } } }');
    const text = await (await rest('POST', '/graphql', { query: `{ ${fields.join(' ')} }` })).text();
    // Each field has at least one document.
    expect(Buffer.byteLength(text)).toBeLessThan((ANSWER_BYTES + 20 * (TEXT.length + 200)) * ALLOWED);
    const { data } = JSON.parse(text) as {
      data: Record<string, { truncated: boolean; nextOffset: number; edges: unknown[] }>;
    };
    expect(data['f19']).toMatchObject({ truncated: true, nextOffset: 20, edges: [{ node: {} }] });
  });

  it('with facets keeps room for its results', async () => {
    const found = await post('/v1/fts', {
      collection: 'many',
      query: 'facets',
      facetBy: ['k0', 'k1', 'k2'],
      includeContent: false,
      fields: ['key'],
    });
    expect(found).toMatchObject({ total: 3, facetsTruncated: true });
    expect(JSON.stringify(found).length).toBeLessThan(ANSWER_BYTES);
    const answer = await post('/v1/aggregate', {
      collection: 'many',
      facets: [{ field: 'k0' }, { field: 'k1' }, { field: 'k2' }],
      maxFacetSize: 1000,
    });
    expect(answer['facetsTruncated']).toBe(true);
    expect(JSON.stringify(answer).length).toBeLessThan(ANSWER_BYTES);
  });

  it('of a new configuration beside all of them ends as well', () => {
    expect(created).toMatchObject({
      id: expect.stringMatching(/^cfg_/) as string,
      truncated: true,
      nextOffset: (created['configs'] as unknown[]).length,
    });
    expect(JSON.stringify(created).length).toBeLessThan(ANSWER_BYTES * ALLOWED);
  });

  it('of bodies of duplicates ends as well', async () => {
    await post('/v1/add-batch', {
      collection: 'copies',
      documents: Array.from({ length: DOCUMENTS }, (_, i) => ({ key: `c${i}`, lang: 'en', contentMd: TEXT })),
    });
    const answer = await post('/v1/find-duplicates', { collection: 'copies', mode: 'exact', includeContent: true });
    expect(answer).toMatchObject({ truncated: true, exactDuplicates: DOCUMENTS });
    expect(JSON.stringify(answer).length).toBeLessThan(ANSWER_BYTES * ALLOWED + DOCUMENTS * 300);
  });
});

describe('a list that administrators keep', () => {
  const BYTES = 1024;
  const COUNT = 20;
  const field = (name: string, key: string) => (answer: Record<string, Fields[]>): unknown[] =>
    answer[name]!.map((item) => item[key]);
  const LISTS: Record<string, readonly [path: string, items: Growing['items'], expected: number]> = {
    'users': ['/v1/auth/users', field('users', 'username'), COUNT + 1],
    'groups': ['/v1/auth/groups', field('groups', 'name'), COUNT],
    'permissions of a user': ['/v1/auth/permissions?username=user0',
      (answer: { collection: string }[]) => answer.map(({ collection }) => collection), COUNT],
    'permissions of a group': ['/v1/auth/group-permissions?group=group0', field('permissions', 'collection'), COUNT],
    "a user's API keys": ['/v1/auth/api-keys', field('keys', 'keyHash'), COUNT],
    'MCP keys': ['/v1/mcp/keys', field('keys', 'fingerprint'), COUNT],
  };

  let access: AccessServer;
  beforeAll(async () => {
    access = await AccessServer.start({ SVC_MAX_ANSWER_BYTES: String(BYTES) });
    for (let i = 0; i < COUNT; i++) {
      await access.manage('POST', '/v1/auth/register', { username: `user${i}`, password: 'a password of some length' });
      await access.manage('POST', '/v1/auth/groups', { name: `group${i}`, members: [`user${i}`] });
      await access.manage('POST', '/v1/auth/api-key', { description: `key ${i}` });
      await access.manage('POST', '/v1/mcp/keys', { name: `key ${i}` });
    }
    for (let i = 0; i < COUNT; i++) {
      await access.grant('user0', `c${i}`, 'read');
      await access.grantGroup('group0', `c${i}`, 'read');
    }
  }, 60_000);
  afterAll(() => access.stop());

  const ask = async (path: string, items: Growing['items'], more: Fields): Promise<Part> => {
    const query = Object.entries(more).map(([name, value]) => `${name}=${String(value)}`).join('&');
    const { status, text, headers } = await access.send('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`,
      access.admin);
    return partOf(status, text, (name) => (headers[name] as string | undefined) ?? null, items);
  };

  it.each(Object.entries(LISTS))('ends at the size of a response and says where to go on, until nothing is left: %s',
    async (_, [path, items, expected]) => {
      const { items: found, answers } = await walk((more) => ask(path, items, more), BYTES);
      expect(answers).toBeGreaterThan(1);
      expect(new Set(found).size).toBe(found.length);
      expect(found).toHaveLength(expected);
    });

  it.each(Object.entries(LISTS))('has pages as large as is asked for: %s', async (_, [path, items, expected]) => {
    const { items: all } = await walk((more) => ask(path, items, more), BYTES);
    expect(await ask(path, items, { offset: 2, limit: 3 })).toMatchObject({ items: all.slice(2, 5), truncated: false });
    expect(await ask(path, items, { offset: expected, limit: 3 })).toMatchObject({ items: [], truncated: false });
  });

  it('counts all of them where the response is the list itself', async () => {
    const { headers } = await access.send('GET', '/v1/auth/permissions?username=user0&limit=1', access.admin);
    expect(headers['x-total-count']).toBe(String(COUNT));
  });

  it('refuses pages that cannot be', async () => {
    for (const [wrong, message] of [['limit=0', 'limit must be at least 1, got 0'], ['limit=10001',
      'limit must be at most 10000, got 10001'], ['offset=-1', 'offset must be at least 0, got -1']])
    {
      const answer = await access.send('GET', `/v1/auth/users?${wrong}`, access.admin);
      expect([answer.status, answer.json()]).toMatchObject([400, { error: message, code: 'invalid_argument' }]);
    }
  });
});
