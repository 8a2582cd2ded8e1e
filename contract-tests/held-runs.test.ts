import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../generated/runs/operations.ts';
import type { OperationSpec } from '../src/operations/index.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../src/testkit/runs-server.ts';
import { bearer } from './support/access-server.ts';
import { type WireRequest, wireRequest } from './support/example-requests.ts';
import { exampleCalls } from './support/examples.ts';
import { HeldRequest } from './support/held-request.ts';

const PROJECTS =
  'fleet: {enabled: false}\nprojects:\n  - {id: alpha, repository: org/alpha}\n  - {id: beta, repository: org/beta}\n';

/** A token of the configuration; its text is its name unless another is given. */
const token = (name: string, more = 'scopes: [admin]', text = name) =>
  `  - {name: ${name}, sha256: ${createHash('sha256').update(text).digest('hex')}, ${more}}\n`;

/** Signing in and events of forges need no token: what they bring is checked itself. */
const takesToken = (id: string): boolean =>
  Object.values<OperationSpec>(operations).find((each) => each.id === id)?.access !== 'public';

describe('a request to the run queue that is held while its token changes (decision D-164)', () => {
  let server: RunsServer;
  let client: HttpClient;
  let requests: WireRequest[];
  let base: string;

  beforeAll(async () => {
    server = await startRunsServer(PROJECTS);
    client = new HttpClient(server.url);
    base = await readFile(server.file, 'utf8');
    requests = (await Promise.all(exampleCalls('runs').map(wireRequest))).filter(({ operationId, body }) =>
      body !== undefined && takesToken(operationId)
    );
  });
  afterAll(async () => {
    client.close();
    await server.remove();
  });

  async function configure(tokens: string): Promise<void> {
    await writeFile(server.file, `${base}${tokens === '' ? '' : `tokens:\n${tokens}`}`);
    await server.reload();
  }

  /** What requests may have stored. */
  async function contents(): Promise<unknown> {
    const lists = ['runs?project_id=alpha', 'runs?project_id=beta', 'projects', 'audit'];
    return Promise.all(
      lists.map(async (list) =>
        (await client.send('GET', `/api/v1/${list}`, { headers: bearer(API_TOKEN) })).json<{ data: unknown[] }>().data
      ),
    );
  }

  async function hold(some: readonly WireRequest[], name: string) {
    const held = await Promise.all(
      some.map(async (request) =>
        [request.operationId, await HeldRequest.open(server.url, request, {
          ...bearer(name),
          'Idempotency-Key': `${name}-${request.operationId}`,
        })] as const
      ),
    );
    for (let i = 0; i < 3; i++)
      expect((await client.send('GET', '/api/v1/projects', { headers: bearer(name) })).status).toBe(200);
    return held;
  }

  async function refusals(held: Awaited<ReturnType<typeof hold>>): Promise<string[]> {
    const before = await contents();
    const answers = await Promise.all(held.map(async ([id, request]) => ({ id, ...await request.finish() })));
    expect(await contents()).toEqual(before);
    return answers.filter(({ status }) => status !== 401 && status !== 403).map(({ id, status, text }) =>
      `${id}: ${status} ${text}`
    );
  }

  it('is tried with every operation that takes a body and a token', () => {
    expect(requests.map(({ operationId }) => operationId).sort()).toEqual(
      Object.values<OperationSpec>(operations).filter(({ id, consumes }) => consumes.length > 0 && takesToken(id)).map((
        { id },
      ) => id).sort(),
    );
  });

  it.each([['is removed', ''], ['is replaced by another of its name', token('leaving', 'scopes: [admin]', 'another')], [
    'may only read',
    token('leaving', 'scopes: [read]'),
  ]])('does nothing if the token %s', async (_what, then) => {
    await configure(token('leaving'));
    const held = await hold(requests, 'leaving');
    await configure(then);
    expect(await refusals(held)).toEqual([]);
  });

  it('queues nothing in a project that the token is not for any more', async () => {
    await configure(token('fenced', 'scopes: [submit, read], projects: [alpha]'));
    const run = {
      operationId: 'enqueueRun',
      method: 'POST',
      target: '/api/v1/runs',
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify({ project_id: 'alpha', kind: 'diagnostic' })),
    };
    const held = await hold([run], 'fenced');
    await configure(token('fenced', 'scopes: [submit, read], projects: [beta]'));
    expect(await refusals(held)).toEqual([]);
  });
});
