import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../generated/docs/operations.ts';
import { type Client, createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import { RPCS } from '../src/api/grpc/docs/rpcs.ts';
import { decodeMessage } from '../src/api/grpc/message/decode.ts';
import { encodeMessage } from '../src/api/grpc/message/encode.ts';
import { readSchema } from '../src/api/grpc/message/plan.ts';
import { type ErrorCode, ERRORS } from '../src/errors/index.ts';
import { Reply } from '../src/operations/index.ts';
import type { DocsServer } from '../src/testkit/docs-server.ts';
import { GrpcClient, IMAGE, methodOf } from '../src/testkit/grpc-client.ts';
import { LocalIssuer } from '../src/testkit/local-issuer.ts';
import { access } from './scenarios/access.ts';
import { codegraph } from './scenarios/codegraph.ts';
import { collections } from './scenarios/collections.ts';
import { curation } from './scenarios/curation.ts';
import { documents } from './scenarios/documents.ts';
import { embeddings } from './scenarios/embeddings.ts';
import { encryption } from './scenarios/encryption.ts';
import { fulltext } from './scenarios/fulltext.ts';
import { hybrid } from './scenarios/hybrid.ts';
import { memory } from './scenarios/memory.ts';
import { revisions } from './scenarios/revisions.ts';
import type { DocsScenarios } from './scenarios/scenario.ts';
import { schemas } from './scenarios/schemas.ts';
import { system } from './scenarios/system.ts';
import { temporal } from './scenarios/temporal.ts';
import { vectorOperations } from './scenarios/vector-operations.ts';
import { vectors } from './scenarios/vectors.ts';
import { webhooks } from './scenarios/webhooks.ts';
import { ADMIN, AT_REST, startWithAuth, tokenOf } from './support/access-server.ts';

/**
 * Everything that the scenarios read over HTTP is read again over gRPC with the same input, and must have the same
 * result: the values that messages can represent, and the errors with their code and message.
 */
const SCENARIOS: DocsScenarios = {
  ...access,
  ...encryption,
  ...documents,
  ...revisions,
  ...collections,
  ...schemas,
  ...system,
  ...fulltext,
  ...curation,
  ...codegraph,
  ...memory,
  ...embeddings,
  ...vectors,
  ...vectorOperations,
  ...hybrid,
  ...webhooks,
  ...temporal,
};

/** Operations whose result differs each time: a backup needs a new name, a token is a new one. */
const NOT_REPEATABLE = new Set<OperationId>(['createBackup', 'login']);

/** Values that change over time. */
const VOLATILE = new Set(['durationMs', 'uptime', 'uptimeSeconds', 'memory', 'memoryUsed', 'memoryHeap', 'memoryRss',
  'numGoroutines', 'cpuUsagePercent', 'eventLoopLagMs', 'freeBytes', 'databaseSize', 'depth']);

const schema = readSchema(IMAGE);
const byRoute = new Map(Object.values(operations).map((spec) => [`${spec.method} ${spec.path}`, spec]));
const rpcOf = new Map(Object.entries(RPCS).map(([rpc, row]) => [row.operation, { rpc, row }]));

interface Exchange {
  readonly url: string;
  readonly body?: unknown;
  readonly path?: object;
  readonly query?: object;
}

let server: DocsServer;
let issuer: LocalIssuer;
let grpc: GrpcClient;
let client: Client;
const compared = new Map<string, number>();
const differences: unknown[] = [];

beforeAll(async () => {
  issuer = await LocalIssuer.start();
  server = await startWithAuth({ ...AT_REST, ...issuer.environment });
  grpc = new GrpcClient(server.listeners.grpc!.url);
  const token = await tokenOf(server.url, ADMIN);
  client = createClient(
    createConfig({ baseUrl: server.url, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) }),
  );
  client.interceptors.response.use(async (response, request, options) => {
    await compare(request, options as Exchange, response.clone());
    return response;
  });
});
afterAll(async () => {
  grpc.close();
  await server.stop();
  await issuer.stop();
});

async function compare({ method, headers }: Request, { url, body, path, query }: Exchange,
  response: Response): Promise<void>
{
  const spec = byRoute.get(`${method} ${url}`);
  const found = spec && rpcOf.get(spec.id as OperationId);
  if (spec === undefined || found === undefined || spec.effect === 'write' ||
    NOT_REPEATABLE.has(spec.id as OperationId)) return;
  const request = requestOf(found.rpc, { ...(body as object | undefined), ...path, ...query });
  if (request === undefined) return;
  let overHttp = await httpAnswer(found, response);
  const credential = credentialOf(headers);
  let overGrpc = await grpcAnswer(found.rpc, request, credential);
  // Background work, such as embedding, may change a result between the two.
  const again = { method, headers, ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }) };
  for (let tries = 0; tries < 20 && !equal(overHttp, overGrpc); tries++) {
    overHttp = await httpAnswer(found, await fetch(response.url, again));
    overGrpc = await grpcAnswer(found.rpc, request, credential);
  }
  compared.set(spec.id, (compared.get(spec.id) ?? 0) + 1);
  if (!equal(overHttp, overGrpc)) differences.push({ operation: spec.id, body, overHttp, overGrpc });
}

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(steady(a)) === JSON.stringify(steady(b));

/** Without values that change, and with the names in order. */
function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !VOLATILE.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)).map((
      [name, item],
    ) => [name, steady(item)]),
  );
}

/** Undefined for values that a message cannot represent: null, empty lists, values of another type, unknown fields. */
function requestOf(rpc: string, input: object): Buffer | undefined {
  const plan = schema.plan(methodOf(rpc).input);
  try {
    const bytes = encodeMessage(input, plan);
    return equal(decodeMessage(bytes, plan), JSON.parse(JSON.stringify(input))) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

async function httpAnswer({ rpc, row }: { rpc: string; row: (typeof RPCS)[string] },
  response: Response): Promise<unknown>
{
  const value: unknown = await response.json();
  if (!response.ok) {
    const { code, error } = value as { code: ErrorCode; error: string };
    return { status: status[ERRORS[code].grpc], code, message: error.slice(0, 1024) };
  }
  const plan = schema.plan(methodOf(rpc).output);
  const headers = {
    'X-Total-Count': response.headers.get('X-Total-Count') ?? '',
    'X-Context-Truncated': response.headers.get('X-Context-Truncated') ?? '',
  };
  return decodeMessage(encodeMessage(row.output?.(new Reply(value, headers)) ?? value, plan), plan);
}

/** The same credential, in the metadata of the same name. */
function credentialOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const name of ['authorization', 'x-api-key']) {
    const value = headers.get(name);
    if (value !== null) metadata.set(name, value);
  }
  return metadata;
}

async function grpcAnswer(rpc: string, request: Buffer, credential: Metadata): Promise<unknown> {
  const { output, parent, name } = methodOf(rpc);
  const asIs = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    grpc.raw.makeUnaryRequest(`/${parent.typeName}/${name}`, asIs, asIs, request, credential, (error, answer) => {
      if (error === null) resolve(decodeMessage(answer!, schema.plan(output)));
      else resolve({ status: error.code, code: error.metadata.get('quire-code')[0], message: error.details });
    });
  });
}

describe('gRPC returns what HTTP returns', () => {
  it.each(Object.entries(SCENARIOS))('in the scenario of %s', async (operationId, scenario) => {
    differences.length = 0;
    await scenario({ client, direct: client, server, collection: `parity-${operationId.toLowerCase()}` });
    expect(differences).toEqual([]);
  });

  it('in every read that has a scenario', () => {
    const reads = Object.keys(SCENARIOS).filter((id) =>
      operations[id as OperationId].effect === 'read' && rpcOf.has(id as OperationId)
    );
    expect(reads.filter((id) => !compared.has(id))).toEqual([]);
    expect([...compared.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
  });
});
