import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../lib/setting-values.ts';
import { type DocsServer, startDocsServer } from '../../../testkit/docs-server.ts';
import { connectHandshake, mcpUrl } from '../../../testkit/mcp-clients.ts';
import type { JsonSchema } from '../core/arguments.ts';
import { BUILT_IN_NAMES, operationOf } from '../core/tools.ts';
import { parseCustomTools } from './custom-tools.ts';

const inputs = JSON.parse(await readFile('generated/docs/inputs.json', 'utf8')) as Record<string, JsonSchema>;

const parse = (text: string) =>
  parseCustomTools('tools.yaml', text, { inputOf: (action) => inputs[operationOf(action)]!, builtIn: BUILT_IN_NAMES });

function problems(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const tool = (...lines: string[]): string =>
  `custom_tools:\n  - name: find_news\n    description: Finds news.\n    action: full_text_search\n${
    lines.map((line) => `    ${line}\n`).join('')
  }`;

describe('a file of custom tools (decision D-119)', () => {
  it('may be empty, and names its fields in either spelling', () => {
    expect(parse('')).toEqual([]);
    expect(parse('custom_tools: []')).toEqual([]);
    expect(
      parse(
        tool('defaults: {collection: blog, filter_meta: {tags: [a]}, includeContent: false}',
          'parameters: [{name: query, type: string, required: true, description: What}]'),
      ),
    ).toEqual([{
      name: 'find_news',
      description: 'Finds news.',
      action: 'full_text_search',
      defaults: { collection: 'blog', filterMeta: { tags: ['a'] }, includeContent: false },
      parameters: [{ name: 'query', type: 'string', required: true, description: 'What' }],
    }]);
  });

  it.each([['custom_tools: [', /^tools\.yaml: .*line 1/], ['- a', 'tools.yaml: expected a mapping'], ['custom_tool: []',
    'tools.yaml: custom_tool: unknown field; did you mean custom_tools?'], ['custom_tools: 5',
    'tools.yaml: custom_tools: expected a list of at most 1000 tools'], ['custom_tools: [7]',
    'tools.yaml: custom_tools[0]: expected a mapping'], [
    'custom_tools: [{name: "a b", description: x, action: full_text_search}]',
    'tools.yaml: custom_tools[0].name: expected 1 to 64 letters, digits, "_" and "-"',
  ], ['custom_tools: [{name: a, action: full_text_search}]',
    'tools.yaml: custom_tools[0].description: expected a text of at most 4096 characters that tells a model what ' +
    'the tool is for'], ['custom_tools: [{name: a, description: x, action: delete_document}]',
    'tools.yaml: custom_tools[0].action: expected one of semantic_search, full_text_search, search_documents, ' +
    'hybrid_search, got "delete_document"'], [
    'custom_tools: [{name: get_stats, description: x, action: full_text_search}]',
    'tools.yaml: custom_tools[0].name: get_stats is a built-in tool',
  ], [tool().concat('  - {name: find_news, description: x, action: semantic_search}'),
    'tools.yaml: custom_tools[1].name: find_news is already the name of custom_tools[0]'], [tool('colour: red'),
    'tools.yaml: custom_tools[0].colour: unknown field'], [tool('defaults: {colection: blog}'),
    'tools.yaml: custom_tools[0].defaults.colection: the action has no argument colection; did you mean collection?'], [
    tool('defaults: {limit: many}'),
    'tools.yaml: custom_tools[0].defaults.limit: must be integer',
  ], [tool('defaults: {filter_meta: {tags: {a: b}}}'),
    'tools.yaml: custom_tools[0].defaults.filter_meta: tags must be array'], [
    tool('defaults: {filter_meta: {}, filterMeta: {}}'),
    'tools.yaml: custom_tools[0].defaults.filterMeta: filterMeta is given twice',
  ], [tool('parameters: {query: string}'), 'tools.yaml: custom_tools[0].parameters: expected a list'], [
    tool('parameters: [{name: querry, type: string}]'),
    'tools.yaml: custom_tools[0].parameters[0].name: the action has no argument querry; did you mean query?',
  ], [tool('parameters: [{name: query, type: text}]'),
    'tools.yaml: custom_tools[0].parameters[0].type: expected one of string, integer, number, boolean, array, ' +
    'object, got "text"'], [tool('parameters: [{name: limit, type: string}]'),
    'tools.yaml: custom_tools[0].parameters[0].type: limit is integer, got string'], [
    tool('parameters: [{name: query, type: string}, {name: query, type: string}]'),
    'tools.yaml: custom_tools[0].parameters[1].name: query is declared twice',
  ], [tool('parameters: [{name: query, type: string, required: maybe}]'),
    'tools.yaml: custom_tools[0].parameters[0].required: expected true or false'], [
    tool('parameters: [{name: __proto__, type: string}]'),
    'tools.yaml: custom_tools[0].parameters[0].name: the action has no argument __proto__',
  ]])('says in one line what is wrong and where: %#', (text, expected) => {
    const [line, ...more] = problems(text);
    expect(more).toEqual([]);
    if (typeof expected === 'string') expect(line).toBe(expected);
    else expect(line).toMatch(expected);
  });

  it('reports all problems at once', () => {
    expect(problems(tool('defaults: {limit: x, nope: 1}', 'colour: red'))).toHaveLength(3);
  });
});

describe('a custom tool', () => {
  let folder: string;
  let server: DocsServer | undefined;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'quire-tools-'))));
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  async function serve(text: string, env: Record<string, string> = {}) {
    const file = join(folder, 'tools.yaml');
    await writeFile(file, text);
    server = await startDocsServer({ env: { SVC_MCP_CONFIG: file, ...env } });
    return connectHandshake(mcpUrl(server));
  }

  const FILE = tool('defaults: {collection: blog, limit: 1}', 'parameters:',
    '  - {name: query, type: string, required: true, description: Words of the news.}',
    '  - {name: limit, type: integer}', '  - {name: collection, type: string}');

  it('is listed with what it declares, and nothing that is locked', async () => {
    const { client } = await serve(FILE);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('full_text_search');
    const { inputSchema, annotations, description } = tools.at(-1)!;
    expect([Object.keys(inputSchema.properties!), inputSchema.required, description]).toEqual([['query', 'limit'], [
      'query',
    ], 'Finds news.']);
    expect(inputSchema.properties!['query']).toMatchObject({ type: 'string', description: 'Words of the news.' });
    expect(annotations).toMatchObject({ readOnlyHint: true, title: 'find_news' });
    await client.close();
  });

  it('works by its defaults: locked ones stand, others yield, what is not declared is dropped', async () => {
    const { client } = await serve(FILE);
    const documents = ['a', 'b', 'c'].map((key) => ({ key, lang: 'en', content_md: 'news of the day' }));
    for (const collection of ['blog', 'secret'])
      await client.callTool({ name: 'add_documents_batch', arguments: { collection, documents } });
    const find = async (args: object) =>
      (await client.callTool({ name: 'find_news', arguments: { query: 'news', ...args } })).structuredContent as {
        results: unknown[];
        total: number;
      };
    expect((await find({})).results).toHaveLength(1);
    expect((await find({ limit: 2 })).results).toHaveLength(2);
    expect(JSON.stringify(await find({ collection: 'secret', limit: 3 }))).not.toContain('secret|');
    expect(JSON.stringify(await find({ fuzzy: 99, filter_meta: { x: ['y'] } }))).toContain('blog|');
    const missing = await client.callTool({ name: 'find_news', arguments: {} });
    expect(missing).toMatchObject({
      isError: true,
      content: [{ text: '{"error":"missing fields: query","code":"missing_fields"}' }],
    });
    await client.close();
  });

  it('can be all that there is: built-in tools are then hidden, and cannot be called', async () => {
    const { client } = await serve(FILE, { SVC_MCP_BUILTIN_TOOLS: 'false' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['find_news']);
    await expect(client.callTool({ name: 'delete_collection', arguments: { collection: 'blog' } })).rejects
      .toMatchObject({ code: -32602 });
    const { mcp } = await (await fetch(`${server!.url}/v1/endpoints`)).json() as { mcp: object[] };
    expect(mcp).toEqual([{ name: 'find_news', description: 'Finds news.' }]);
    await client.close();
  });

  it('in great number comes in pages of a hundred', async () => {
    const { client } = await serve(
      `custom_tools:\n${
        Array.from({ length: 110 }, (_, i) => `  - {name: t${i}, description: x, action: search_documents}\n`).join('')
      }`,
    );
    const sizes: number[] = [];
    const names = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      sizes.push(page.tools.length);
      for (const { name } of page.tools) names.add(name);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const total = sizes.reduce((sum, size) => sum + size);
    expect([sizes.slice(0, -1).every((size) => size === 100), sizes.at(-1)! <= 100, total > 190, names.size]).toEqual([
      true,
      true,
      true,
      total,
    ]);
    await expect(client.listTools({ cursor: 'made-up' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('whose file cannot be used stops the start', async () => {
    await expect(startDocsServer({ env: { SVC_MCP_CONFIG: join(folder, 'none.yaml') } })).rejects.toThrow(
      /SVC_MCP_CONFIG: .*none\.yaml cannot be read: ENOENT/,
    );
    await expect(serve('custom_tools: 5')).rejects.toBeInstanceOf(ConfigError);
  });
});
