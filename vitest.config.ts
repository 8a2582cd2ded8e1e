import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Packages load graphql's CommonJS build; sources must share that copy, for it compares its classes.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'],
    // Servers and worker threads belong to their test file; two cores are what a small machine has.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
