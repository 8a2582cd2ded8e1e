import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { OWN_USER } from '../../../src/testkit/runs-executor.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../../src/testkit/runs-server.ts';

// Two ways in which runs end, and logs of more than one chunk. Separate users would come from another database.
const YAML = `
local: {enabled: true, capacity: 2, sandbox: none, run_as: ${OWN_USER}}
queue: {run_retention: 1d, backoff: {initial: 1ms, max: 1ms}}
pipelines:
  - name: good
    steps: [{name: print, run: 'seq 250; echo done > "$QUIRE_RESULT_FILE"'}]
  - name: bad
    max_attempts: 2
    retry: {on: [step_failed]}
    steps: [{name: fail, run: 'exit 1'}]
  - {name: long, steps: [{name: sleep, run: 'sleep 60'}]}
projects: [{id: alpha, repository: org/alpha, max_parallel: 2}, {id: off, repository: org/off, enabled: false}]
`;

/** Tables that grow with the number of all runs. */
const HISTORY = 'runs|run_material|run_results|attempts|log_attempts|log_chunks|idempotency|audit';

/** They contain only unfinished work. */
const SMALL =
  'runs_claimable|runs_next|runs_queued|runs_pausing|runs_leased|runs_due|runs_on_ship|runs_held_of_project|runs_unfinished';

/** Reads from one end of the table, in its order, until a page is full. */
const isPage = (sql: string, steps: readonly string[]): boolean =>
  /LIMIT \?$/.test(sql) && !/\bWHERE\b/.test(sql) && !steps.some((step) => step.includes('TEMP B-TREE'));

let server: RunsServer;
let statements: string[];
let database: DatabaseSync;

async function call<T>(method: string, path: string, body?: object, key: string = crypto.randomUUID()): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${API_TOKEN}`,
      'idempotency-key': key,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text.startsWith('{') ? JSON.parse(text) as { data: T } : { data: undefined as T }).data;
}

const submit = (task: string, project = 'alpha', key?: string): Promise<Run> =>
  call('POST', '/api/v1/runs', { project_id: project, kind: 'pipeline', task, input: { ref: 'main' } }, key);

async function reached(id: string, state: string): Promise<void> {
  while ((await call<Run>('GET', `/api/v1/runs/${id}`)).state !== state) await setTimeout(20);
}

/** The requests of clients and ships to a service, once each. */
async function useEverything(): Promise<void> {
  const good = await submit('good', 'alpha', 'key-of-good');
  await submit('good', 'alpha', 'key-of-good');
  const bad = await submit('bad');
  await Promise.all([reached(good.id, 'succeeded'), reached(bad.id, 'failed')]);
  const long = await submit('long');
  await reached(long.id, 'running');
  await call('POST', `/api/v1/runs/${long.id}/cancel`);
  await reached(long.id, 'cancelled');
  await call('POST', `/api/v1/runs/${bad.id}/retry`);
  for (const path of ['result', 'logs', 'logs?offset=150', 'logs/stream'])
    await call('GET', `/api/v1/runs/${good.id}/${path}`);
  for (const filter of ['', '&project_id=alpha', '&state=failed', '&kind=pipeline',
    '&project_id=alpha&state=queued&kind=pipeline'])
  {
    await call('GET', `/api/v1/runs?limit=2${filter}`);
    await call('GET',
      `/api/v1/runs?limit=2${filter}&before=${Buffer.from(`1:${good.created_at}:${good.id}`).toString('base64url')}`);
  }
  for (const path of ['audit', 'audit?action=enqueue', 'ships', 'projects', 'pipelines'])
    await call('GET', `/api/v1/${path}`);
  await call('GET', '/metrics');
  await setTimeout(1100); // the queue's tick
}

beforeAll(async () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  server = await startRunsServer(YAML);
  await useEverything();
  await server.stop();
  statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))].filter((sql) =>
    /^\s*(SELECT|UPDATE|DELETE|INSERT|WITH)\b/i.test(sql)
  );
  prepare.mockRestore();
  database = new DatabaseSync(join(server.folder, 'data', 'runs.db'));
});

afterAll(async () => {
  database.close();
  await server.remove();
});

describe('the statements that the service executes on its own thread', () => {
  it('are known here for each area', () => {
    const all = statements.join('\n');
    for (const table of HISTORY.split('|')) expect(all).toMatch(new RegExp(`(FROM|INTO|UPDATE) ${table}\\b`));
    expect(statements.length).toBeGreaterThan(40);
  });

  it('never read a table that grows with history from its beginning', () => {
    const scan = new RegExp(`^SCAN (${HISTORY}|[a-z])(?! USING (COVERING )?INDEX (${SMALL})\\b)( |$)`);
    const found = statements.flatMap((sql) => {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => String(detail));
      return isPage(sql, steps) ? [] : steps.filter((step) => scan.test(step)).map((step) => ({ step, sql }));
    });
    expect(found).toEqual([]);
  });
});
