import { afterAll, beforeAll, describe, vi } from 'vitest';
import { RUN_QUEUE_MIGRATIONS } from '../storage/index.ts';
import type * as opening from '../storage/open-database.ts';
import { PostgresDatabases } from '../testkit/postgres-databases.ts';
import { PostgresServer, WITHOUT_POSTGRES } from '../testkit/postgres-server.ts';

/* Runs the suites of the queue over PostgreSQL: when they open a database, they get a schema of the server. */

let server: PostgresServer;
let databases: PostgresDatabases;

vi.mock('../storage/open-database.ts', async (original) => {
  const real = await original<typeof opening>();
  const openDatabase: typeof real.openDatabase = ({ path }) =>
    databases.open(path, (url) => real.openPostgres({ url, pool: 4 }));
  return { ...real, openDatabase };
});

/** Fewer runs of the model than over SQLite, because each step takes several transactions. */
process.env['QUIRE_MODEL_RUNS'] ??= '3';

const SUITES: Readonly<Record<string, () => Promise<unknown>>> = {
  queue: () => import('./queue/queue.test.ts'),
  lists: () => import('./queue/list.test.ts'),
  completion: () => import('./queue/completion.test.ts'),
  loops: () => import('./queue/loops.test.ts'),
  scenarios: () => import('./queue/scenarios.test.ts'),
  model: () => import('./queue/queue-model.test.ts'),
  matrices: () => import('./queue/matrix.test.ts'),
  approvals: () => import('./queue/approvals.test.ts'),
  groups: () => import('./queue/groups.test.ts'),
  idempotency: () => import('./idempotency/once.test.ts'),
  logs: () => import('./logs/append.test.ts'),
  'logs with the queue': () => import('./logs/with-queue.test.ts'),
  retention: () => import('./logs/retention.test.ts'),
  caches: () => import('./caches/caches.test.ts'),
  artifacts: () => import('./artifacts/artifacts.test.ts'),
  people: () => import('./people/people.test.ts'),
  'tokens of steps': () => import('./id-tokens/id-tokens.test.ts'),
  'test reports': () => import('./reports/reports.test.ts'),
  'searches of logs': () => import('./logs/search.test.ts'),
  'events of forges': () => import('./forge/forge.test.ts'),
  polling: () => import('./forge/polling/polling.test.ts'),
};

// Skipped on platforms without a server.
describe.skipIf(WITHOUT_POSTGRES !== undefined)('over PostgreSQL', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
    databases = new PostgresDatabases(server.url, RUN_QUEUE_MIGRATIONS);
  });
  afterAll(() => server.stop());
  // Each in a suite of its own, so that its hooks apply only to its own tests.
  for (const [name, load] of Object.entries(SUITES)) describe(name, async () => void await load());
});
