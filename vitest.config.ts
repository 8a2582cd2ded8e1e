import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Tests start the services some hundred times; what Node compiled for one is there for the next.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'node-compile');

export default defineConfig({
  resolve: {
    alias: [
      // Packages load graphql's CommonJS build; sources must share that copy, for it compares its classes.
      { find: /^graphql$/, replacement: 'graphql/index.js' },
      // Properties are checked with one seed unless QUIRE_TEST_SEED says otherwise.
      { find: /^fast-check$/, replacement: join(import.meta.dirname, 'src/testkit/seeded-fast-check.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'],
    // Servers and worker threads belong to their test file; two cores are what a small machine has.
    pool: 'forks',
    maxWorkers: 2,
    // A process reads the sources once for many files, which takes a third off the whole. Tests put back what they change of it.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
