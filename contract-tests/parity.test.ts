import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../generated/docs/operations.ts';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import { exportDocuments } from '../generated/docs/sdk/sdk.gen.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { decode, encode, GrpcClient } from '../src/testkit/grpc-client.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { inputFields } from '../src/testkit/input-fields.ts';
import { connectHandshake, mcpUrl } from '../src/testkit/mcp-clients.ts';
import { type Drivers, driversOf } from './parity/drivers.ts';
import { exampleInput } from './parity/examples.ts';
import { documents } from './parity/scenarios-documents.ts';
import { rules } from './parity/scenarios-rules.ts';
import { searches } from './parity/scenarios-search.ts';
import { play, type Scenario, shown, type Step, verdict } from './parity/transcript.ts';
import { exampleCalls } from './support/examples.ts';

const SCENARIOS = { ...documents, ...searches, ...rules };

/** Operations whose every field some scenario sends. */
const EVERY_FIELD: readonly OperationId[] = ['addDocument', 'getDocument', 'updateDocument', 'setDocumentTtl',
  'deleteDocument', 'deleteDocuments', 'listRevisions', 'restoreRevision', 'searchDocuments', 'searchFullText',
  'searchVectors', 'findSimilar', 'searchHybrid', 'searchAcrossCollections', 'recallMemory', 'searchGeo',
  'searchGeoWithin', 'searchGeoPolygon', 'aggregateDocuments', 'autocomplete'];
/** Headers of HTTP, which other protocols say otherwise or not at all. */
const HEADERS = ['ifMatch', 'ifNoneMatch'];

function unused(operation: OperationId, steps: readonly Step[]): string[] {
  const used = new Set([...HEADERS,
    ...steps.filter((step) => step.operation === operation).flatMap(({ input }) => Object.keys(input))]);
  return inputFields(operation).filter((name) => !used.has(name)).map((name) => `${operation}.${name}`);
}

let server: DocsServer;
let drivers: Drivers;
/** What each scenario does over REST, to which the other protocols are compared. */
const references = new Map<string, Step[]>();

async function referenceOf(name: string, scenario: Scenario): Promise<Step[]> {
  let reference = references.get(name);
  if (reference === undefined) {
    reference = await play(scenario, drivers.rest, drivers.rest, `parity-${Object.keys(SCENARIOS).indexOf(name)}-0`);
    references.set(name, reference);
  }
  return reference;
}

beforeAll(async () => {
  // A clock that stands still makes the times of two runs the same.
  server = await startDocsServer({
    clock: { now: () => 1_766_400_000_000 },
    env: { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_SPELL: 'true' },
  });
  drivers = await driversOf(server);
});
afterAll(async () => {
  await drivers.close();
  await server.stop();
});

describe('one behaviour over four protocols', () => {
  it.each(Object.entries(SCENARIOS).map(([name, scenario], i) => [name, scenario, i] as const))('%s',
    async (name, scenario, i) => {
      const { rest, others } = drivers;
      const reference = await referenceOf(name, scenario);
      expect(reference.map(verdict)).toEqual(reference.map((step) => ({ call: shown(step), outcome: step.expected })));
      for (const [n, driver] of others.entries()) {
        const steps = await play(scenario, driver, rest, `parity-${i}-${n + 1}`);
        expect(steps).toHaveLength(reference.length);
        for (const [at, { outcome, input, operation, borrowed }] of steps.entries()) {
          const expected = reference[at]!.outcome;
          expect(outcome, `${driver.protocol}: ${shown(reference[at]!)}`).toEqual(
            borrowed === undefined ? driver.view(operation, expected, input) : expected,
          );
        }
      }
    }, 60_000);

  it('is compared in every operation that a protocol has', async () => {
    const { others } = drivers;
    const steps: Step[] = [];
    for (const [name, scenario] of Object.entries(SCENARIOS)) steps.push(...(await referenceOf(name, scenario)));
    const all = new Set(steps.map(({ operation }) => operation));
    expect(EVERY_FIELD.flatMap((operation) => unused(operation, steps))).toEqual([]);
    const compared = others.map((driver) => {
      const said = steps.filter(({ operation, input }) => driver.lacks(operation, input) === undefined);
      const operationsSaid = new Set(said.map(({ operation }) => operation));
      return [driver.protocol, {
        lacks: [...all].filter((operation) => !operationsSaid.has(operation)).sort(),
        some: said.length > 0.3 * steps.length,
        most: said.length > 0.85 * steps.length,
      }];
    });
    const beyondGraphql = ['addDictionaryWords', 'addMessage', 'addStopWords', 'addSynonyms', 'classifyDocument',
      'cleanSpelling', 'createAutomationRule', 'createCurationRule', 'decodeGeohash', 'deleteAutomationRule',
      'deleteCollectionConfig', 'deleteCurationRule', 'deleteDictionaryWords', 'deleteDocuments', 'deleteSession',
      'deleteStopWords', 'deleteSynonym', 'encodeGeohash', 'findDuplicates', 'getAutomationRule', 'getChecksum',
      'getCollectionConfig', 'getDocumentMeta', 'getSessionHistory', 'listAutomationLogs', 'listCurationRules',
      'listDictionary', 'listFullTextLanguages', 'listMetaKeys', 'listSessions', 'listStopWords', 'listSynonyms',
      'reindexFullText', 'reindexGeo', 'reindexVectors', 'searchGeo', 'searchGeoPolygon', 'searchGeoWithin',
      'setCollectionConfig', 'startSession', 'suggestSpelling', 'summarizeSession', 'testAutomationRule',
      'truncateRevisions', 'updateAutomationRule', 'updateCurationRule'];
    expect(Object.fromEntries(compared)).toEqual({
      gRPC: { lacks: [], some: true, most: true },
      GraphQL: { lacks: beyondGraphql, some: true, most: false },
      MCP: { lacks: [], some: true, most: true },
      'MCP without a session': { lacks: [], some: true, most: true },
    });
  }, 60_000);
});

describe('an operation that is not built', () => {
  it('says so in every protocol', async () => {
    const unbuilt = exampleCalls('docs').filter(({ operationId }) =>
      !server.built.includes(operationId) &&
      operations[operationId as OperationId].consumes[0] !== 'multipart/form-data'
    );
    for (const call of unbuilt) {
      const [operation, input] = [call.operationId as OperationId, exampleInput(call)];
      const reference = await drivers.rest.call(operation, input);
      expect(reference).toEqual({
        failure: { code: 'not_implemented', message: `${operation} is not implemented`, status: 501 },
      });
      for (const driver of drivers.others) {
        if (driver.lacks(operation, input) !== undefined) continue;
        expect(await driver.call(operation, input), `${driver.protocol}: ${operation}`).toEqual(
          driver.view(operation, reference, input),
        );
      }
    }
  });
});

describe('a value of a type that the GraphQL schema does not have', () => {
  it.each([['addDocument', 'mutation', 'input: { collection: "c", key: 5, lang: "en", contentMd: "" }', '{ id }'], [
    'addDocument',
    'mutation',
    'input: { collection: "c", key: "k", lang: "en" }',
    '{ id }',
  ], ['search', 'query', 'input: { collection: "c", limit: 1.5 }', '{ totalCount }'], ['search', 'query',
    'input: { collection: "c", unknown: 1 }', '{ totalCount }']])(
      'is refused under the same code, in terms of its own protocol: %s (%#)',
      async (field, kind, args, selection) => {
        const client = new HttpClient(server.url);
        const { status, ...answer } = await client.post('/graphql', {
          query: `${kind} { ${field}(${args}) ${selection} }`,
        });
        client.close();
        expect([status, answer.json()]).toEqual([200, {
          errors: [expect.objectContaining({
            extensions: expect.objectContaining({ code: 'invalid_argument', status: 400 }) as object,
          })],
        }]);
      },
    );
});

describe('null in GraphQL', () => {
  it('is the same as absent, since clients send it for what they leave out', async () => {
    const client = new HttpClient(server.url);
    const ask = async (query: string, input: object) =>
      (await client.post('/graphql', { query, variables: { input } })).json();
    const add = (input: object) =>
      ask('mutation ($input: AddDocumentInput!) { addDocument(input: $input) { meta contentMd expiresAt } }', {
        collection: 'nulls',
        key: 'k',
        lang: 'en',
        contentMd: 'x',
        ...input,
      });
    expect(await add({ meta: null, ttl: null })).toEqual(await add({}));
    const search = (input: object) =>
      ask('query ($input: SearchInput!) { search(input: $input) { totalCount edges { node { key } } } }', {
        collection: 'nulls',
        ...input,
      });
    expect(await search({ filterMeta: null, sort: null, asc: null, limit: null, offset: null })).toEqual(
      await search({}),
    );
    client.close();
  });
});

describe('streams', () => {
  const items = Array.from({ length: 1203 }, (_, i) => ({
    key: i % 400 === 7 ? `bad|${i}` : `key ${String(i % 1200).padStart(4, '0')}`,
    lang: 'en',
    contentMd: `Body ${i}. 🧭`,
    meta: { n: { values: [String(i)] } },
  }));

  it('of documents over gRPC store and report what a batch over REST does', async () => {
    const { rest } = drivers;
    const documents = items.map((item) => ({ ...item, meta: { n: item.meta.n.values } }));
    const batch = await rest.call('addDocuments', { collection: 'stream-0', documents });
    const client = new GrpcClient(server.listeners.grpc!.url);
    const { call, answer } = client.send('AddBatchStream');
    for (const document of items) call.write(encode('AddBatchStream', { collection: 'stream-1', document }));
    call.end();
    const { added, updated, failed, errors } = await answer;
    client.close();
    expect({ value: { added: Number(added), updated: Number(updated), failed: Number(failed), errors } }).toEqual(
      batch,
    );
    const stored = async (collection: string) =>
      JSON.stringify(await rest.call('searchDocuments', { collection, limit: 2000 })).replaceAll(collection, 'C');
    expect(await stored('stream-1')).toBe(await stored('stream-0'));
  });

  it('of an export are the same lines over REST, over gRPC, and in the pages of MCP', async () => {
    const collection = 'exported';
    await drivers.rest.call('addDocuments', { collection, documents: items.map((item) => ({ ...item, meta: {} })) });
    const client = createClient(createConfig({ baseUrl: server.url }));
    const { data } = await exportDocuments({ client, body: { collection, format: 'ndjson' }, parseAs: 'text' });
    const file = String(data);
    expect(file.trimEnd().split('\n')).toHaveLength(1197);

    const grpc = new GrpcClient(server.listeners.grpc!.url);
    const pieces: Buffer[] = [];
    for await (const bytes of grpc.stream('Export', { collection, format: 'ndjson' }))
      pieces.push(Buffer.from(decode<{ data: string }>('Export', bytes as Buffer).data, 'base64'));
    grpc.close();
    expect(Buffer.concat(pieces).toString()).toBe(file);

    const { client: mcp } = await connectHandshake(mcpUrl(server));
    let [pages, offset] = ['', 0 as number | undefined];
    while (offset !== undefined) {
      const { structuredContent } = await mcp.callTool({
        name: 'export_documents',
        arguments: { collection, offset, limit: 500 },
      });
      const window = structuredContent as { ndjson: string; nextOffset?: number };
      pages += window.ndjson;
      offset = window.nextOffset;
    }
    await mcp.close();
    expect(pages).toBe(file);
  });
});
