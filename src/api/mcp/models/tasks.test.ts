import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../../testkit/docs-server.ts';
import { connectHandshake, mcpUrl } from '../../../testkit/mcp-clients.ts';

// Typical tasks of a model with a document store, as calls of a script, each with the text that its result must
// contain.

/** The estimate of the whole service: four bytes per token. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

const MOST_TOKENS = 2000;

let server: DocsServer;
let client: Client;

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

async function call(name: string, args: object = {}): Promise<Answer> {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: { ...args } }) as {
    content: { text: string }[];
    structuredContent?: object;
    isError?: boolean;
  };
  // One form: a text, and nothing else.
  expect([content.length, structuredContent]).toEqual([1, undefined]);
  return { text: content[0]!.text, isError };
}

const read = async <T>(name: string, args: object = {}): Promise<T> => JSON.parse((await call(name, args)).text) as T;

const LONG = ['# The long report',
  ...Array.from({ length: 400 },
    (_, i) => `Line ${i + 2}: measurements of station ${i} were "${i * 7}" \\ taken on schedule.`),
  'The conclusion is that otters thrive.'].join('\n');

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_MCP_TOOLSET: 'core' } });
  ({ client } = await connectHandshake(mcpUrl(server)));
  const add = (path: string, body: object) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const post = (i: number) => ({
    key: `post-${i}`,
    lang: 'en',
    contentMd: `# Post ${i}\n\n${
      'Some words about gardens and their care. '.repeat(60)
    }\n\nTulips number ${i} bloom in April.`,
    meta: { title: [`Post ${i}`], tags: ['garden', `n${i % 7}`] },
  });
  await add('/v1/add-batch', { collection: 'blog', documents: Array.from({ length: 120 }, (_, i) => post(i)) });
  await add('/v1/add', {
    collection: 'handbook',
    key: 'report',
    lang: 'en',
    contentMd: LONG,
    meta: { title: ['Report'] },
  });
  await add('/v1/add', {
    collection: 'handbook',
    key: 'holiday-rules',
    lang: 'en',
    contentMd: '# Holidays\n\nEverybody has 30 days. Ask your manager two weeks before.',
    meta: { topic: ['people'], owner: ['ada'] },
  });
  await add('/v1/add', {
    collection: 'handbook',
    key: 'holiday-rules',
    lang: 'de',
    contentMd: '# Urlaub\n\nAlle haben 30 Tage.',
    meta: { topic: ['people'] },
  });
  await add('/v1/add', {
    collection: 'japanese',
    key: 'cats',
    lang: 'ja',
    contentMd: `吾輩は猫である。名前はまだ無い。${'どこで生れたかとんと見当がつかぬ。'.repeat(400)}`,
  });
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

interface Scored {
  readonly score: number;
  readonly vector_score?: number;
}

type Task = readonly [what: string, tool: string, args: object, shown: RegExp];

/** In this order: later tasks read what earlier ones wrote. */
const TASKS: readonly Task[] = [['see what there is', 'list_collections', {},
  /"name":"blog","documents":120.*"name":"handbook","documents":3/], ['answer a question from anywhere', 'search', {
  query: 'how many days of holiday',
}, /holiday-rules.*30 days/], ['look in one collection', 'search', { query: 'tulips in April', collection: 'blog' },
  /"results":\[(\{[^}]*\},?){10}\],"next_offset":10/], ['go on with a search', 'search', {
  query: 'tulips in April',
  collection: 'blog',
  offset: 10,
}, /"next_offset":20/], ['ask for as much as there may be', 'search', { query: 'tulips gardens words', limit: 50 },
  /"next_offset":\d+/], ['spell badly', 'search', { query: 'holliday', collection: 'handbook' }, /holiday-rules/], [
  'search by metadata, too',
  'search',
  { query: 'tulips', collection: 'blog', filter: { tags: 'n3' }, limit: 3 },
  /post-\d+/,
], ['search in a language', 'search', { query: 'Tage', lang: 'de' }, /"lang":"de"/], ['find the place in a long text',
  'search', { query: 'otters thrive', collection: 'handbook' }, /"key":"report".*otters.*"line":\d+/], [
  'search in Japanese',
  'search',
  { query: '吾輩は猫', collection: 'japanese' },
  /吾輩は猫である/,
], ['find nothing', 'search', { query: 'xylophone zeppelin', collection: 'handbook' },
  /"results":\[\],"note":"nothing was found; try other/], ['read a short text', 'read', {
  collection: 'handbook',
  key: 'holiday-rules',
}, /Ask your manager.*/], ['read another language', 'read', {
  collection: 'handbook',
  key: 'holiday-rules',
  lang: 'de',
}, /Urlaub/], ['read by an id', 'read', { collection: 'handbook', key: 'handbook|holiday-rules|de' }, /Urlaub/], [
  'read a long text',
  'read',
  { collection: 'handbook', key: 'report' },
  /"next_offset":(\d+),"note":"the text goes on: call read with offset \1"/,
], ['read from a line', 'read', { collection: 'handbook', key: 'report', line: 402 },
  /"content":"The conclusion is that otters thrive\."/], ['read Japanese', 'read', {
  collection: 'japanese',
  key: 'cats',
  lang: 'ja',
}, /猫.*next_offset/], ['list documents', 'list_documents', { collection: 'blog', limit: 200 },
  /"total":120,"next_offset":\d+/], ['list the newest', 'list_documents', {
  collection: 'handbook',
  sort: 'newest',
  limit: 1,
}, /"total":3,"next_offset":1/], ['list those with metadata', 'list_documents', {
  collection: 'handbook',
  filter: { topic: 'people' },
}, /"total":2/], ['learn the metadata', 'list_fields', { collection: 'blog' }, /"field":"tags","values":8/], [
  'count values',
  'list_fields',
  { collection: 'blog', field: 'tags' },
  /"value":"garden","count":120/,
], ['write a note', 'write', {
  collection: 'notes',
  key: 'list',
  content: '# List\n\n- apples',
  meta: { title: 'List' },
}, /"status":"created"/], ['add a line', 'edit', { collection: 'notes', key: 'list', newText: '- plums' },
  /"status":"edited"/], ['change a line', 'edit', {
  collection: 'notes',
  key: 'list',
  old_text: '- apples',
  new_text: '- pears',
}, /"status":"edited"/], ['see how it was', 'history', { collection: 'notes', key: 'list' },
  /"versions":\[\{"revision":\d+,"written_at":"20/], ['delete it', 'delete', { collection: 'notes', key: 'list' },
  /"status":"deleted"/], ['bring it back', 'restore', { collection: 'notes', key: 'list' }, /"status":"restored"/], [
  'remember',
  'remember',
  { text: 'Ada prefers short answers.', topic: 'style' },
  /"status":"remembered"/,
], ['recall', 'recall', { query: 'what does Ada prefer' }, /Ada prefers short answers\.","topic":"style"/]];

describe('a model with the core tools', () => {
  it(`does ${TASKS.length} tasks, each answered in fewer than ${MOST_TOKENS} tokens`, async () => {
    expect(TASKS).toHaveLength(30);
    for (const [what, tool, args, shown] of TASKS) {
      const { text, isError } = await call(tool, args);
      expect.soft([isError, tokensOf(text) < MOST_TOKENS], `${what}: ${tokensOf(text)} tokens`).toEqual([false, true]);
      expect.soft(text, what).toMatch(shown);
    }
  });

  it('has done the task: the text is as it was edited, with its metadata', async () => {
    expect(await read('read', { collection: 'notes', key: 'list' })).toMatchObject({
      content: '# List\n\n- pears\n- plums',
      meta: { title: ['List'] },
    });
  });

  it('reads a long text to its end, part by part, with nothing left out or twice', async () => {
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: { content: string; next_offset?: number } = await read('read', {
        collection: 'handbook',
        key: 'report',
        offset,
        max_tokens: 3000,
      });
      text += part.content;
      offset = part.next_offset;
    }
    expect(text).toBe(LONG);
  });

  it('gets somewhere with the smallest parts, whatever the metadata are', async () => {
    const name = { collection: 'notes', key: 'wordy' };
    await call('write', { ...name, content: 'word '.repeat(200), meta: { title: 'x'.repeat(900) } });
    const part = await read<{ content: string; next_offset: number; meta?: object }>('read', {
      ...name,
      max_tokens: 100,
    });
    expect([part.content.length > 50, part.next_offset === part.content.length, part.meta]).toEqual([true, true,
      undefined]);
    expect(await read('read', name)).toMatchObject({ meta: { title: ['x'.repeat(900)] } });
  });

  it('lists all documents, page by page', async () => {
    const keys: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: { documents: { key: string }[]; next_offset?: number } = await read('list_documents', {
        collection: 'blog',
        limit: 50,
        offset,
      });
      keys.push(...page.documents.map(({ key }) => key));
      offset = page.next_offset;
    }
    expect(new Set(keys).size).toBe(120);
    expect(keys).toHaveLength(120);
  });

  it('rewrites a text without losing the metadata that it does not mention', async () => {
    expect(await read('write', { collection: 'notes', key: 'list', content: 'new' })).toMatchObject({
      status: 'replaced',
    });
    expect(await read('read', { collection: 'notes', key: 'list' })).toMatchObject({
      content: 'new',
      meta: { title: ['List'] },
    });
  });
});

describe('a model that finds by meaning', () => {
  it('sees how good a result is, and recalls nothing about something else (decision D-190)', async () => {
    const meaning = await startDocsServer({ env: { SVC_MCP_TOOLSET: 'core', SVC_EMBEDDING_PROVIDER: 'builtin' } });
    const { client: model } = await connectHandshake(mcpUrl(meaning));
    const ask = async (name: string, args: object) => {
      const { content } = await model.callTool({ name, arguments: { ...args } }) as { content: { text: string }[] };
      return JSON.parse(content[0]!.text) as { results: Scored[]; memories: (Scored & { text: string })[] };
    };
    const facts = ['The Wi-Fi password of the office is hunter2.', 'Bob is allergic to peanuts.',
      'We deploy on Fridays after the tests are green.'];
    for (const text of facts) await ask('remember', { text });
    await ask('write', { collection: 'notes', key: 'wifi', content: facts[0] });
    await fetch(`${meaning.url}/v1/vector-reindex`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ collection: 'notes', force: true }),
    });

    const { memories } = await ask('recall', { query: 'credentials of the network' });
    expect(memories.map(({ text }) => text)).toEqual([facts[0]]);
    expect(memories[0]!.score).toBeGreaterThan(0);
    expect(memories[0]!.vector_score).toBeGreaterThan(0.15);
    for (const query of ['quantum chromodynamics', 'photosynthesis of plants', 'French revolution'])
      expect((await ask('recall', { query })).memories, query).toEqual([]);
    const nearest = (await ask('recall', { query: 'quantum chromodynamics', threshold: '0' })).memories;
    expect(nearest).toHaveLength(3);
    for (const { vector_score: similarity = 0 } of nearest) expect(similarity).toBeLessThan(0.15);

    const found = async (query: string, threshold?: number) => (await ask('search', { query, threshold })).results;
    const [wifi] = await found('network credentials');
    expect(wifi!.vector_score).toBeGreaterThan(0.2);
    for (const query of ['quantum chromodynamics', 'photosynthesis of plants', 'Quantenchromodynamik', '量子色力学'])
      expect(await found(query), query).toEqual([]);
    const [other] = await found('quantum chromodynamics', 0);
    expect(other!.vector_score).toBeLessThan(0.15);
    expect(await found('network credentials', 0.2)).toEqual([wifi]);
    await model.close();
    await meaning.stop();
  });
});

describe('a wrong call returns what to send instead', () => {
  it.each([['without an argument', 'search', {}, 'missing fields: query', /send arguments such as \{"query":/], [
    'with an empty argument',
    'read',
    { collection: 'blog', key: '' },
    'missing fields: key',
    /send arguments such as/,
  ], ['with a misspelled argument', 'search', { querry: 'x' }, 'there is no argument querry; did you mean query?',
    /such as/], ['with an argument of another tool', 'read', { collection: 'blog', key: 'post-1', zzz: 1 },
    'there is no argument zzz; there are collection, key, lang', /such as/], ['with a value of another type', 'search',
    { query: 'x', limit: 'many' }, 'limit must be an integer from 1 to 50, got "many"', /such as/], [
    'with a choice that there is not',
    'list_documents',
    { collection: 'blog', sort: 'oldest' },
    'sort must be one of key, newest, got "oldest"',
    /such as/,
  ], ['with a collection that there is not', 'search', { query: 'x', collection: 'handbok' },
    'there is no collection handbok', /did you mean handbook\? collections: blog, handbook/], [
    'with a key that there is not',
    'read',
    { collection: 'handbook', key: 'holiday-rule' },
    'there is no document holiday-rule in the language en in handbook',
    /one of these may be meant/,
  ], ['with a language that there is not', 'edit', {
    collection: 'handbook',
    key: 'holiday-rules',
    lang: 'fr',
    new_text: 'x',
  }, 'there is no document holiday-rules in the language fr', /one of these/], ['with a text that does not stand there',
    'edit', { collection: 'handbook', key: 'report', old_text: 'badgers', new_text: 'x' },
    'old_text is not in the document', /copy old_text/], ['with a text that stands there twice', 'edit', {
    collection: 'handbook',
    key: 'report',
    old_text: 'station',
    new_text: 'x',
  }, 'more than once', /make old_text longer/], ['with a version that there is not', 'history', {
    collection: 'notes',
    key: 'list',
    revision: 99,
  }, 'there is no version 99', /versions: \d/]])('%s', async (_, tool, args, error, advice) => {
    const { text, isError } = await call(tool, args);
    const body = JSON.parse(text) as { error: string; advice: string; code: string };
    expect(isError).toBe(true);
    expect(body.error).toContain(error);
    expect(body.advice).toMatch(advice);
    expect(tokensOf(text)).toBeLessThan(MOST_TOKENS);
  });

  it('and accepts other spellings: camelCase, numbers and objects as text, empty values', async () => {
    expect(await read('search', {
      query: 'tulips',
      collection: 'blog',
      limit: '2',
      filter: '{"tags":["n1"]}',
      lang: '',
      offset: null,
    })).toMatchObject({ results: [{ collection: 'blog' }, { collection: 'blog' }] });
  });

  it('shows the documents that may be meant', async () => {
    expect(await read('read', { collection: 'handbook', key: 'holiday-rules', lang: 'fr' })).toMatchObject({
      documents: expect.arrayContaining([{ key: 'holiday-rules', lang: 'en' }, { key: 'holiday-rules', lang: 'de' }]),
    });
  });
});
