import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { WITHOUT_POSTGRES } from './src/testkit/postgres-server.ts';

// Tests start the services some hundred times; what Node compiled for one is there for the next.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'node-compile');

/** Rooms whose tests load the document service. Those of the run queue run some suites twice, over another store, in a process of their own. */
const SERVICES = ['docs', 'api', 'operations', 'client'];
const ALL = ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'];
const filesOf = (room: string): string => `src/${room}/**/*.test.ts`;

/** With these, tests that open a file get a schema of a PostgreSQL server: of the one that QUIRE_TEST_POSTGRES names, for any suite, or of one of their own. */
const OVER_POSTGRES = [{ find: /^\.\/open-database\.ts$/, replacement: join(import.meta.dirname, 'src/testkit/over-postgres.ts') }];

/** Suites of the document service that CI runs over PostgreSQL, too. */
const ALSO_OVER_POSTGRES = [
  'documents/documents', 'documents/revisions', 'documents/deleted-documents', 'collections/collections', 'access/access', 'temporal/temporal', 'memory/recall/recall-memory',
].map((suite) => `src/docs/${suite}.test.ts`);

export default defineConfig({
  resolve: {
    alias: [
      // Packages load graphql's CommonJS build; sources must share that copy, for it compares its classes.
      { find: /^graphql$/, replacement: 'graphql/index.js' },
      // Properties are checked with one seed unless QUIRE_TEST_SEED says otherwise.
      { find: /^fast-check$/, replacement: join(import.meta.dirname, 'src/testkit/seeded-fast-check.ts') },
      ...(process.env['QUIRE_TEST_POSTGRES'] === undefined ? [] : OVER_POSTGRES),
    ],
  },
  test: {
    // Servers and worker threads belong to their test file; two cores are what a small machine has.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'rooms', include: ALL, exclude: SERVICES.map(filesOf), sequence: { groupOrder: 0 } } },
      // Loading a service takes longer than most tests of it, so that its test files share a process, and put back what they change there.
      // One for each room: in a process that lives long, collecting garbage takes more than that saves.
      ...(WITHOUT_POSTGRES === undefined ? [{
        extends: true as const, resolve: { alias: OVER_POSTGRES },
        test: { name: 'postgres', include: ALSO_OVER_POSTGRES, isolate: false, globalSetup: ['src/testkit/postgres-setup.ts'], env: { QUIRE_TEST_POSTGRES: 'own' }, sequence: { groupOrder: SERVICES.length + 1 } },
      }] : []),
      ...SERVICES.map((room, i) => ({ extends: true as const, test: { name: room, include: [filesOf(room)], isolate: false, sequence: { groupOrder: i + 1 } } })),
    ],
  },
});
