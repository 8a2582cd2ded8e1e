import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { WITHOUT_POSTGRES } from './src/testkit/postgres-server.ts';
import { SlowestFirst } from './src/testkit/vitest/slowest-first.ts';

// Tests load the services some hundred times, in their own processes and in others; what Node compiled for one is there
// for the next.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'node-compile');

/**
 * Folders whose test files share processes, one row at a time: starting a process and loading a service in it takes
 * longer than most of these tests. Each file puts back what it changes. In a process that lives long, collecting
 * garbage takes more than sharing saves.
 */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  docs: ['src/docs'],
  api: ['src/api'],
  operations: ['src/operations'],
  client: ['src/client'],
  runs: ['src/runs'],
  search: ['src/search'],
  storage: ['src/storage'],
  helpers: ['codegen', 'convert', 'embedding', 'errors', 'kernels', 'lib', 'net', 'text'].map((room) => `src/${room}`),
  app: ['src/app'],
  contract: ['contract-tests'],
};
/** Replaces a module for the suites that it runs, which takes a process of its own. */
const OVER_POSTGRES = 'src/runs/postgres.test.ts';
const ALL = ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'];
const filesOf = (folders: readonly string[]): string[] => folders.map((folder) => `${folder}/**/*.test.ts`);
const SHARED_FILES = filesOf(Object.values(SHARED).flat());

/** Suites of the document service that CI runs over PostgreSQL, too. */
const ALSO_OVER_POSTGRES = ['documents/documents', 'documents/revisions', 'documents/deleted-documents',
  'collections/collections', 'access/access', 'temporal/temporal', 'memory/recall/recall-memory', 'view/kept-indexes',
  'view/resting', 'view/bucket/claims', 'view/bucket/copies', 'fulltext/search/skipped-documents', 'cluster/rows',
  'view/partitions'].map((suite) => `src/docs/${suite}.test.ts`);

export default defineConfig({
  test: {
    // Node loads the sources as it does in production. Types are stripped and modules compiled once, then read from the
    // compile cache; vitest's own loader transforms each module in its main process, and each test process compiles it
    // again.
    experimental: { viteModuleRunner: false },
    // Properties are checked with one seed unless QUIRE_TEST_SEED says otherwise.
    setupFiles: ['src/testkit/vitest/setup.ts'],
    globalSetup: ['src/testkit/vitest/program-setup.ts'],
    // Servers and worker threads belong to their test file.
    pool: 'forks',
    // Most objects of a test live shorter than it takes to fill 64 MB; collecting them at 1 MB, where Node begins,
    // takes a tenth of all processor time.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
    // A small machine has two cores. Suites that kill or cut off services wait for leases and restarts most of their
    // time: three workers use four fifths of the cores.
    maxWorkers: 4,
    // Only what hangs takes so long, also on a machine that others use.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: SlowestFirst },
    projects: [{ extends: true, test: { name: 'alone', include: ALL, exclude: SHARED_FILES } }, {
      extends: true,
      test: { name: 'runs-postgres', include: [OVER_POSTGRES] },
    }, ...Object.entries(SHARED).map(([name, folders]) => ({
      extends: true as const,
      test: { name, include: filesOf(folders), exclude: [OVER_POSTGRES], isolate: false },
    })), ...(WITHOUT_POSTGRES === undefined
      ? [{
        extends: true as const,
        test: {
          name: 'postgres',
          include: ALSO_OVER_POSTGRES,
          isolate: false,
          globalSetup: ['src/testkit/vitest/program-setup.ts', 'src/testkit/postgres-setup.ts'],
          env: { QUIRE_TEST_POSTGRES: 'own' },
        },
      }]
      : [])],
  },
});
