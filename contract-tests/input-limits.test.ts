import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations as docs } from '../generated/docs/operations.ts';
import { operations as runs } from '../generated/runs/operations.ts';
import type { OperationSpec } from '../src/operations/index.ts';
import { createInputCheck } from '../src/operations/input-check.ts';
import { createInputValidators } from '../src/operations/input-validators.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { mcpUrl, RawClient } from '../src/testkit/mcp-clients.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const COUNT = 100_000;

/** A field of an input that holds many values, and how to put a value there. */
interface Place {
  readonly path: string;
  readonly kind: 'list' | 'map';
  readonly item: Schema;
  readonly put: (value: unknown) => unknown;
}

/** Every list and every map of an input, also within others. */
function placesOf(root: Schema): Place[] {
  const found: Place[] = [];
  const visit = (given: Schema, path: string, put: Place['put'], outer: readonly Schema[]): void => {
    const schema = given.$ref === undefined ? given : root.$defs![given.$ref.slice('#/$defs/'.length)]!;
    if (outer.includes(schema)) return;
    const within = [...outer, schema];
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      visit(field, `${path}.${name}`, (value) => put({ [name]: value }), within);
    if (schema.items !== undefined) {
      found.push({ path, kind: 'list', item: schema.items, put });
      visit(schema.items, `${path}[]`, (value) => put([value]), within);
    }
    if (typeof schema.additionalProperties === 'object') {
      found.push({ path, kind: 'map', item: schema.additionalProperties, put });
      visit(schema.additionalProperties, `${path}.KEY`, (value) => put({ key: value }), within);
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      visit(part, path, put, within);
  };
  visit(root, '', (value) => value, []);
  return found;
}

/** A value that no item of this schema may be: a number, or an empty list. */
function wrongFor({ type, $ref }: Schema, { $defs = {} }: Schema): 0 | '[]' {
  const own = $ref === undefined ? type : $defs[$ref.slice('#/$defs/'.length)]!.type;
  return [own].flat().includes('array') ? 0 : '[]';
}

/** A list that counts how often its items are looked at. */
function counted(list: readonly unknown[]): { readonly list: readonly unknown[]; readonly visits: () => number } {
  let visits = 0;
  const get = (target: readonly unknown[], name: string | symbol): unknown => {
    if (typeof name === 'string' && /^\d/.test(name)) visits += 1;
    return Reflect.get(target, name);
  };
  return { list: new Proxy(list, { get }), visits: () => visits };
}

const inputsOf = (service: string) =>
  JSON.parse(readFileSync(new URL(`../generated/${service}/inputs.json`, import.meta.url), 'utf8')) as Readonly<
    Record<string, Schema>
  >;

const SERVICES: readonly (readonly [service: string, operations: Readonly<Record<string, OperationSpec>>])[] = [['docs',
  docs], ['runs', runs]];

describe.each(SERVICES)('an input of the service %s with 100,000 wrong values in a field', (service, operations) => {
  const inputs = inputsOf(service);
  const validators = createInputValidators(inputs);
  const check = createInputCheck(inputs, true);
  const refusal = async (id: string,
    input: object): Promise<{ status: number; message: string; errors?: readonly string[] } | undefined> =>
  {
    try {
      await check(operations[id]!, id, await validators.compile(id), input);
      return undefined;
    } catch (error) {
      return error as { status: number; message: string };
    }
  };

  it('is refused after few errors, and no item is looked at more than a few times', { timeout: 120_000 }, async () => {
    const listsOf = new Map(
      [0, '[]'].map((name) => [name, Array.from({ length: COUNT }, () => (name === 0 ? 0 : []))]),
    );
    const mapsOf = new Map(
      [0, '[]'].map((name) => [name, Object.fromEntries(listsOf.get(name)!.map((value, i) => [`key${i}`, value]))]),
    );
    for (const [id, schema] of Object.entries(inputs)) {
      for (const { path, kind, item, put } of placesOf(schema)) {
        const wrong = wrongFor(item, schema);
        const { list, visits } = counted(listsOf.get(wrong)!);
        const error = await refusal(id, put(kind === 'list' ? list : mapsOf.get(wrong)) as object);
        expect([400, 413], `${id} ${path}: ${error?.message.slice(0, 200)}`).toContain(error?.status);
        expect(error!.errors?.length ?? 1, `${id} ${path}`).toBeLessThanOrEqual(42);
        expect(error!.message.length, `${id} ${path}`).toBeLessThan(20_000);
        expect(visits(), `${id} ${path}`).toBeLessThanOrEqual(4 * COUNT);
      }
    }
  });
});

describe('a request', () => {
  let server: DocsServer;
  let drivers: Drivers;
  let http: HttpClient;
  beforeAll(async () => {
    server = await startDocsServer();
    drivers = await driversOf(server);
    http = new HttpClient(server.url);
  });
  afterAll(async () => {
    http.close();
    await drivers.close();
    await server.stop();
  });

  const many = (value: unknown): unknown[] => Array.from({ length: COUNT }, () => value);
  const meta = Object.fromEntries(many('').map((_, i) => [`k${i}`, ['v']]));

  it.each([['searchFullText', { collection: 'blog', query: 'x', langs: many('') }], ['searchFullText', {
    collection: 'blog',
    query: 'x',
    filterMeta: meta,
  }], ['searchDocuments', { collection: 'blog', filter: { field: 'a', in: many('') } }], ['searchVectors', {
    collection: 'blog',
    queryVector: many(0),
  }], ['addDocuments', { collection: 'blog', documents: many({}) }], ['addDocument', {
    collection: 'blog',
    key: 'k',
    lang: 'en',
    contentMd: 'a',
    meta,
  }], ['deleteDocuments', { collection: 'blog', documents: many({}) }]] as const)(
    'with too many values is refused in every protocol: %s',
    { timeout: 60_000 },
    async (operation, input) => {
      for (const driver of [drivers.rest, ...drivers.others]) {
        if (driver.lacks(operation, input) !== undefined) continue;
        const outcome = await driver.call(operation, input).catch((error: unknown) => ({
          failure: { code: String(error) },
        }));
        expect(outcome, driver.protocol).toMatchObject({ failure: {} });
        expect(JSON.stringify(outcome).length, driver.protocol).toBeLessThan(20_000);
      }
      expect(server.errors).toEqual([]);
    },
  );

  it('with more bytes than its operation takes is refused before it is read to its end (413)', async () => {
    const { status, text } = await http.post('/v1/webhooks', {
      url: `https://example.com/${'x'.repeat(70_000)}`,
      events: ['doc.added'],
    });
    expect([status, text]).toEqual([413, expect.stringContaining('body larger than 65536 bytes')]);
    expect((await http.post('/v1/fts', { collection: 'blog', query: 'x'.repeat(300_000) })).status).toBe(413);
    expect(
      (await http.post('/v1/add', { collection: 'blog', key: 'k', lang: 'en', contentMd: 'x'.repeat(300_000) })).status,
    ).toBe(200);
  });

  it('with more bytes than its operation takes is refused over gRPC, GraphQL and MCP, too (413)', async () => {
    const input = { collection: 'blog', query: 'x', highlightPre: undefined, langs: ['e'.repeat(300_000)] };
    for (const driver of drivers.others) {
      if (driver.lacks('searchFullText', input) !== undefined) continue;
      expect(await driver.call('searchFullText', input), driver.protocol).toMatchObject({
        failure: { code: 'payload_too_large' },
      });
    }
  });

  it('with a number that is not finite is refused by the name of its field', async () => {
    const send = async (path: string, body: string) =>
      (await http.send('POST', path, { headers: { 'Content-Type': 'application/json' }, body })).text;
    expect(await send('/v1/add', '{"collection":"blog","key":"k","lang":"en","contentMd":"a","meta":{"size":[1e999]}}'))
      .toContain('meta.size[0] must be a finite number, got Infinity');
    expect(await send('/v1/search', '{"collection":"blog","filter":{"field":"size","gt":-1e999}}')).toContain(
      'filter.gt must be a finite number, got -Infinity',
    );
    expect(
      await send('/graphql',
        JSON.stringify({ query: '{ search(collection: "blog", filter: { field: "size", gt: 1e999 }) { total } }' })),
    ).toMatch(/finite|Unknown argument|Float/);
    const mcp = new RawClient(mcpUrl(server));
    const { answer } = await mcp.stateless('tools/call', {
      name: 'search_documents',
      arguments: { collection: 'blog', limit: 5 },
    });
    expect(answer.result).toBeDefined();
    mcp.close();
  });
});
