import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './src/testkit/vitest/slowest-first.ts';
import { WITHOUT_POSTGRES } from './src/testkit/postgres-server.ts';

// Tests load the services some hundred times, in their own processes and in others; what Node compiled for one is there for the next.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'node-compile');

/** Rooms whose tests load the document service. Those of the run queue run some suites twice, over another store, in a process of their own. */
const SERVICES = ['docs', 'api', 'operations', 'client'];
const ALL = ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'];
const filesOf = (room: string): string => `src/${room}/**/*.test.ts`;

/** Suites of the document service that CI runs over PostgreSQL, too. */
const ALSO_OVER_POSTGRES = [
  'documents/documents', 'documents/revisions', 'documents/deleted-documents', 'collections/collections', 'access/access', 'temporal/temporal', 'memory/recall/recall-memory', 'view/kept-indexes',
].map((suite) => `src/docs/${suite}.test.ts`);

export default defineConfig({
  test: {
    // Node loads the sources as it does in production. Types are stripped and modules compiled once, then read from the compile cache;
    // vitest's own loader transforms each module in its main process, and each test process compiles it again.
    experimental: { viteModuleRunner: false },
    // Properties are checked with one seed unless QUIRE_TEST_SEED says otherwise.
    setupFiles: ['src/testkit/vitest/setup.ts'],
    // Servers and worker threads belong to their test file.
    pool: 'forks',
    // A small machine has two cores. Suites that kill or cut off services wait for leases and restarts most of their time.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { extends: true, test: { name: 'rooms', include: ALL, exclude: SERVICES.map(filesOf) } },
      // Loading a service takes longer than most tests of it, so that its test files share a process, and put back what they change there.
      // One for each room: in a process that lives long, collecting garbage takes more than that saves.
      ...SERVICES.map((room) => ({ extends: true as const, test: { name: room, include: [filesOf(room)], isolate: false } })),
      ...(WITHOUT_POSTGRES === undefined ? [{
        extends: true as const,
        test: { name: 'postgres', include: ALSO_OVER_POSTGRES, isolate: false, globalSetup: ['src/testkit/postgres-setup.ts'], env: { QUIRE_TEST_POSTGRES: 'own' } },
      }] : []),
    ],
  },
});
