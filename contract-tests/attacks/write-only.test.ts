import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../../generated/docs/operations.ts';
import { type OpenApiDocument, operationsOf } from '../../src/codegen/openapi-types.ts';
import type { OperationSpec } from '../../src/operations/index.ts';
import type { Driver, Input } from '../parity/driver.ts';
import { type Drivers, driversOf } from '../parity/drivers.ts';
import { exampleInput } from '../parity/examples.ts';
import { AccessServer, apiKey, bearer, type Credential } from '../support/access-server.ts';
import { type ExampleCall, exampleCalls, specificationFile } from '../support/examples.ts';

/** What is stored of what a call names: nothing, something else, or just what it sends. */
const WORLDS = ['nothing', 'other', 'same'] as const;
type World = (typeof WORLDS)[number];

/**
 * Operations of `_memory`, whose sessions have random ids, and those that send requests or read dumps, which tests of
 * their own cover.
 */
const ELSEWHERE = new Set(['startSession', 'addMessage', 'summarizeSession', 'deleteSession', 'importUrl', 'importWiki',
  'updateCurationRule', 'deleteCurationRule']);
const CALLS = exampleCalls('docs').filter(({ operationId }) =>
  operations[operationId as OperationId].access === 'write' && !ELSEWHERE.has(operationId)
);
const TELLING = new Map(
  [...operationsOf(JSON.parse(readFileSync(specificationFile('docs'), 'utf8')) as OpenApiDocument)].map((
    { operation },
  ) => [operation.operationId, operation['x-tells']]),
);

let access: AccessServer;
let credential: Credential;
let drivers: Drivers;
let admin: Drivers;

beforeAll(async () => {
  access = await AccessServer.start({ SVC_EMBEDDING_PROVIDER: 'builtin', SVC_SPELL: 'true' });
  credential = bearer(await access.register('letter-box'));
  await access.grant('letter-box', '*', 'write');
  drivers = await driversOf(access.server, credential);
  admin = await driversOf(access.server, access.admin, { mcp: false });
});
afterAll(async () => {
  await Promise.all([drivers.close(), admin.close()]);
  await access.stop();
});

/** The example of an operation, about a collection, as a caller without read permission may send it. */
function inputOf(call: ExampleCall, collection: string): Input {
  const { callbackUrl: _, loadPostcodes: _postcodes, ...input } = exampleInput(call) as Record<string, unknown>;
  const options = input['options'] as object | undefined;
  return { ...input, collection, ...(options && { options: { ...options, skipDuplicates: undefined } }) };
}

/** The documents that an input names. */
function namedBy({ key, lang, documents }: Input): { key: string; lang: string }[] {
  const given = (documents as { key?: string; lang: string }[] | undefined) ??
    (key === undefined ? [] : [{ key, lang }]);
  const named = given.map((each) => ({ key: 'hello-world', ...each }) as { key: string; lang: string }).filter((each) =>
    !each.key.includes('|')
  );
  return [...named, { key: 'streamed-post', lang: 'en' }, { key: 'example', lang: 'en' }];
}

/** Whether a protocol has the operation; only REST has streams of lines. */
function speaks(driver: Driver, call: ExampleCall): boolean {
  const operation = call.operationId as OperationId;
  return driver === drivers.rest ||
    (operation !== 'importDocuments' && driver.lacks(operation, inputOf(call, 'x')) === undefined);
}

/** Stores what a world has, and returns what the call must name of it. */
async function prepare({ operation, world, input }: Trial): Promise<Input> {
  if (world === 'nothing') return {};
  const { collection } = input;
  const documents = namedBy(input).map(({ key, lang }) => ({
    key,
    lang,
    contentMd: 'Something else',
    meta: { size: ['7'] },
    ttl: 3600,
  }));
  await access.manage('POST', '/v1/add-batch', { collection, documents });
  if (world === 'same') await prepareSame(operation, input);
  if (operation !== 'restoreRevision') return {};
  const { revisions } = await access.manage<{ revisions: { revision: number }[] }>('POST', '/v1/revisions', {
    collection,
    key: input['key'],
    lang: input['lang'],
  });
  return { revision: revisions.at(-1)!.revision };
}

/** Does what the caller will do; what the caller removes has to be there. */
async function prepareSame(operation: OperationId, input: Input): Promise<void> {
  const { collection } = input;
  if (operation === 'deleteStopWords')
    await access.manage('POST', '/v1/stopwords', { collection, words: input['words'] });
  else if (operation === 'deleteDictionaryWords')
    await access.manage('PUT', '/v1/spell-dictionary', { collection, lang: 'en', words: input['words'] });
  else if (operation === 'importDocuments') await imported(access.admin, collection as string);
  else if (!/^(delete|truncate|restore)/.test(operation))
    expect(await admin.rest.call(operation, input)).toHaveProperty('value');
}

/** An outcome without what the caller has chosen and what is random; times are in seconds from now. */
function comparable(outcome: unknown, collection: string): string {
  return JSON.stringify(outcome).replaceAll(collection, 'WORLD').replaceAll(/job_\d+_[0-9a-f]{6}/g, 'JOB').replaceAll(
    /cur_[0-9a-f]{24}/g,
    'RULE',
  ).replaceAll(/("durationMs":)\d+/g, '$10').replaceAll(/\b17664\d{5}\b/g, (time) => `NOW${Number(time) - access.now}`);
}

/** A call of the caller in a world. */
interface Trial {
  readonly operation: OperationId;
  readonly driver: Driver;
  readonly world: World;
  readonly input: Input;
}

function trialsOf(call: ExampleCall, driver: Driver, more: Input = {}): Trial[] {
  const operation = call.operationId as OperationId;
  return WORLDS.map((world) => {
    const collection = `${driver.protocol}-${operation}-${world}`.toLowerCase().replaceAll(/[^a-z-]/g, '');
    return { operation, driver, world, input: { ...inputOf(call, collection), ...more } };
  });
}

/** The outcomes of trials, which are prepared together and a minute before. */
async function outcomesOf(trials: readonly Trial[]): Promise<string[]> {
  const prepared = await Promise.all(trials.map(prepare));
  access.advance(60);
  return Promise.all(trials.map(async ({ operation, driver, input }, i) => {
    const collection = input['collection'] as string;
    return comparable(
      await (operation === 'importDocuments'
        ? imported(credential, collection)
        : driver.call(operation, { ...input, ...prepared[i] })),
      collection,
    );
  }));
}

async function imported(headers: Credential, collection: string): Promise<{ value: string }> {
  const body =
    '{"key":"streamed-post","lang":"en","contentMd":"x","meta":{"size":["7"]}}\n{"key":"next-post","lang":"en","contentMd":"x"}\n';
  const { status, text } = await access.client.send('POST', `/v1/import?collection=${collection}&profile=fast`, {
    headers: { 'Content-Type': 'application/x-ndjson', ...headers },
    body,
  });
  expect(status).toBe(200);
  return { value: text };
}

describe('a caller who may write and not read (decisions D-139, D-171)', () => {
  it('gets the same answer whatever is stored, over every protocol; 404 alone tells that nothing is there',
    async () => {
      const protocols = [drivers.rest, ...drivers.others].filter(({ protocol }) =>
        protocol !== 'MCP without a session'
      );
      const said = CALLS.flatMap((call) =>
        protocols.filter((driver) => speaks(driver, call)).map((driver) => trialsOf(call, driver))
      );
      const outcomes = await outcomesOf(said.flat());
      for (const [i, [{ operation, driver }]] of said.entries() as IterableIterator<[number, [Trial]]>) {
        const [nothing, other, same] = outcomes.slice(i * WORLDS.length, (i + 1) * WORLDS.length);
        expect.soft(same, `${driver.protocol}: ${operation}`).toBe(other);
        expect.soft(other, `${driver.protocol}: ${operation}`).toMatch(/^\{"value":/);
        // GraphQL deletes what is not there with `false`.
        if (TELLING.get(operation) === undefined) expect.soft(nothing, `${driver.protocol}: ${operation}`).toBe(other);
        else expect.soft(nothing, `${driver.protocol}: ${operation}`).toMatch(/not found|^\{"value":false\}$/);
      }
      expect(said.length).toBeGreaterThan(60);
    }, 60_000);

  it.each([['ingestDocuments', { options: { profile: 'fast' } }], ['uploadFiles', { profile: 'fast' }]])(
    'is not told by %s with %j what was skipped',
    async (operation, more) => {
      const [nothing, other, same] = await outcomesOf(
        trialsOf(CALLS.find(({ operationId }) => operationId === operation)!, drivers.rest, more),
      );
      expect([other, same]).toEqual([nothing, nothing]);
    },
  );

  it('may put no condition on what is stored, over any protocol, whether it holds or not', async () => {
    let refused = 0;
    for (const call of exampleCalls('docs')) {
      const { conditions = [] }: OperationSpec = operations[call.operationId as OperationId];
      for (const condition of conditions) {
        for (const driver of [drivers.rest, ...drivers.others]) {
          const input = {
            ...inputOf(call, 'refused'),
            ...(condition === 'options.skipDuplicates'
              ? { options: { skipDuplicates: true } }
              : { [condition]: condition === 'ifChecksum' ? '0123456789abcdef' : '*' }),
          };
          if (driver.lacks(call.operationId as OperationId, input) !== undefined) continue;
          const outcome = await driver.call(call.operationId as OperationId, input);
          // GraphQL has one message for all that is forbidden.
          const message = driver.protocol === 'GraphQL'
            ? 'permission denied'
            : `forbidden: ${condition} asks what is stored, which needs read permission`;
          expect.soft(outcome, `${driver.protocol}: ${call.operationId} with ${condition}`).toMatchObject({
            failure: { code: 'forbidden', message: expect.stringContaining(message) },
          });
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(30);
  });

  it('is not told by a job, nor by its record later, which documents were there before', async () => {
    await access.manage('POST', '/v1/add', { collection: 'job-other', key: 'a', lang: 'en', contentMd: 'x' });
    access.advance(60);
    const records = await Promise.all(['job-nothing', 'job-other'].map(async (collection) => {
      const { id } = (await access.send('POST', '/v1/bulk-ingest-job', credential, {
        collection,
        documents: [{ key: 'a', lang: 'en', contentMd: 'x' }],
      })).json<{ id: string }>();
      const read = async () =>
        (await access.send('GET', `/v1/bulk-ingest-job/${id}`, credential)).json<{ status: string }>();
      await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe('completed');
      // The callback, whoever sees it, has what is stored in the job.
      const stored = await access.manage('GET', `/v1/bulk-ingest-job/${id}`);
      return [await read(), stored].map((record) => comparable(record, collection));
    }));
    expect(records[0]).toEqual(records[1]);
    expect(records[0]![0]).toContain('"added":1');
  });

  it('does not learn from the request for a page whether and as what the page is stored', async () => {
    const validators: (string | undefined)[] = [];
    const web = createServer((request, response) => {
      validators.push(request.headers['if-none-match']);
      response.writeHead(200, { 'Content-Type': 'text/markdown', ETag: '"v1"' }).end('# Page');
    });
    await once(web.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/page`;
    await access.manage('POST', '/v1/import-url', { collection: 'page-same', url, lang: 'en', ttl: 3600 });
    access.advance(60);
    const answers = await Promise.all(
      ['page-same', 'page-nothing'].map(async (collection) =>
        comparable((await access.send('POST', '/v1/import-url', credential, { collection, url, lang: 'en' })).json(),
          collection)
      ),
    );
    web.closeAllConnections();
    web.close();
    expect(answers[0]).toBe(answers[1]);
    expect(validators).toEqual([undefined, undefined, undefined]);
  });

  it('is also the holder of a key for searches and writes, who may not see bodies', async () => {
    const token = await access.register('finder');
    await access.grant('finder', '*', 'read', 'write');
    const key = apiKey(await access.keyOf(token, { operations: ['search', 'write'] }));
    const document = { key: 'a', lang: 'en', contentMd: 'x' };
    await access.manage('POST', '/v1/add', { collection: 'found', ...document });
    const ingest = async (contentMd: string, options: object) =>
      (await access.send('POST', '/v1/ingest', key, {
        collection: 'found',
        documents: [{ ...document, contentMd }],
        options,
      })).json();
    const counts = { added: 1, updated: 0, skipped: 0 };
    expect([await ingest('x', { profile: 'fast' }), await ingest('y', { profile: 'fast' })]).toMatchObject([counts,
      counts]);
    expect(await ingest('y', { skipDuplicates: true })).toMatchObject({ code: 'forbidden' });
    expect(
      (await access.send('PATCH', '/v1/update', { ...key, 'If-Match': '*' }, { collection: 'found', ...document }))
        .status,
    ).toBe(403);
  });

  it('cannot restore a revision where a schema tells by its verdict what the revision has', async () => {
    const name = { collection: 'schemed', key: 'a', lang: 'en' };
    for (const size of ['7', '8'])
      await access.manage('POST', '/v1/add', { ...name, contentMd: 'x', meta: { size: [size] } });
    const { revisions } = await access.manage<{ revisions: { revision: number }[] }>('POST', '/v1/revisions', name);
    const restore = () =>
      access.send('POST', '/v1/revisions/restore', credential, { ...name, revision: revisions.at(-1)!.revision });
    const answers = [];
    for (const allowed of ['7', '9']) {
      await access.manage('POST', '/v1/schema/set', {
        collection: 'schemed',
        schema: { properties: { size: { enum: [allowed] } } },
      });
      answers.push(await restore());
    }
    expect(answers.map(({ status, text }) => [status, text.replace(/"requestId".*/, '')])).toEqual(
      Array.from({ length: 2 }, () => [403, expect.stringContaining('has a schema')]),
    );
  });
});

it('every exception tells why, and belongs to a write', () => {
  for (const [operation, reason] of TELLING) {
    if (reason === undefined) continue;
    expect([operations[operation as OperationId].access, operation]).toEqual(['write', operation]);
    expect(reason).toMatch(/^4\d\d where .+[,;] .+/);
  }
});
