import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { operations } from '../generated/docs/operations.ts';
import type { SchemaObject } from '../src/codegen/openapi-types.ts';
import type { OperationSpec } from '../src/operations/index.ts';
import { startDocsServer } from '../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../src/testkit/http-client.ts';
import { mutatedRequests } from './fuzz/mutations.ts';
import { createOracle } from './fuzz/oracle.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from './fuzz/run.ts';
import { hostileTargets } from './fuzz/targets.ts';
import { expectRefusal, WatchedState } from './fuzz/watched-state.ts';
import { WatchedWrites } from './fuzz/watched-writes.ts';
import { sendWire, type WireRequest } from './fuzz/wire-request.ts';
import { type ExampleCall, exampleCalls } from './support/examples.ts';

const inputs = JSON.parse(readFileSync(new URL('../generated/docs/inputs.json', import.meta.url), 'utf8')) as Record<
  string,
  SchemaObject
>;
const isValidBody = createOracle(inputs);

// Started here, because the server determines which operations are tested. Its clock stands still, so that no document
// expires between two reads of a collection.
const server = await startDocsServer({
  clock: { now: () => 1_766_400_000_000 },
  env: { SVC_MAX_BODY_BYTES: '262144', SVC_EMBEDDING_PROVIDER: 'builtin' },
});
const client = new HttpClient(server.url);
const state = new WatchedState(client);
const writes = new WatchedWrites(server.database);
afterAll(async () => {
  client.close();
  writes.close();
  await server.stop();
});

/** State before the next request, if it is known: a rejected request has changed nothing. */
let known: string | undefined;

/**
 * Never an error of the server, and never a change by a rejected request: the state is read again if anything was
 * written.
 */
async function expectHarmless(send: () => Promise<Answer>): Promise<Answer> {
  const before = known ?? await state.everything();
  known = undefined;
  writes.sawAny();
  const answer = await send();
  if (answer.status < 400) return answer;
  // 501: an option that this build does not have, such as a storage backend.
  if (answer.status !== 501)
    expect(answer.status, `${answer.text.slice(0, 500)} ${causeOf(server.errors.at(-1))}`).toBeLessThan(500);
  expectRefusal(answer);
  if (writes.sawAny()) await expectState(before);
  known = before;
  return answer;
}

async function expectState(before: string): Promise<void> {
  expect(await state.everything(), 'a rejected request changed something').toBe(before);
}

async function seed(): Promise<void> {
  await state.seed();
  known = undefined;
}

/** The server's log, because its response reveals nothing. */
function causeOf(logged: { err?: unknown } | undefined): string {
  return logged?.err instanceof Error ? (logged.err.stack ?? '') : '';
}

function expectVerdict(spec: OperationSpec, request: WireRequest, answer: Answer): void {
  const isBad = request.verdict === 'bad' ||
    (request.verdict === 'as its body' && !isValidBody(spec.id, request.body!, spec));
  if (isBad) expect(answer.status, `a bad request succeeded: ${answer.text.slice(0, 500)}`).toBeGreaterThanOrEqual(400);
}

describe('a request that differs from the specification', () => {
  const specs: Record<string, OperationSpec> = operations;
  const calls = exampleCalls('docs').filter(({ operationId }) => server.built.includes(operationId));

  it.each(calls.map((call) => [call.operationId, call] as const))('%s', async (operationId, call) => {
    await seed();
    const bystander = await state.bystander();
    await fuzz(operationId, mutatedRequests(withoutStrangers(call), inputs[operationId]!), async (request) => {
      const answer = await expectHarmless(() => sendWire(client, request));
      expectVerdict(specs[operationId]!, request, answer);
      // A rejected request has changed nothing at all.
      if (answer.status < 400)
        expect(await state.bystander(), 'a collection changed that the request does not name').toBe(bystander);
    });
    // What the service keeps in memory has not changed either.
    if (known !== undefined) await expectState(known);
    expect(({} as Record<string, unknown>)['polluted'], 'the prototype of all objects was changed').toBeUndefined();
  }, FUZZ_TIMEOUT_MS);
});

/** The example of a configuration names a bucket that belongs to others. */
function withoutStrangers(call: ExampleCall): ExampleCall {
  if (call.operationId !== 'setCollectionConfig') return call;
  const body = call.options.body as { readonly storageConfig: object };
  return {
    ...call,
    options: {
      body: { ...body, storageBackend: 'boltdb', storageConfig: { ...body.storageConfig, endpoint: '127.0.0.1:1' } },
    },
  };
}

it('a path or a method that is not in the specification', async () => {
  await seed();
  await fuzz('targets', hostileTargets(Object.values(operations)), async ({ method, target }) => {
    const send = async (): Promise<Answer> => {
      const answer = await client.send(method, target);
      expect(answer.text).not.toMatch(/root:.*:0:0:|allowScripts/);
      return answer;
    };
    if (method !== 'HEAD') await expectHarmless(send);
    else expect((await send()).status).toSatisfy((status: number) => status === 501 || status < 500);
  }, { factor: 10 });
}, FUZZ_TIMEOUT_MS);
