/**
 * The Node options with which the server is started, in part by `bin/quire.js` (docs/operations.md, "How it is
 * started").
 */
export const SERVER_FLAGS: readonly string[] = ['--no-concurrent-marking', '--no-allocation-site-pretenuring',
  '--no-separate-gc-phases', '--no-memory-reducer-favors-memory', '--minor-gc-task-trigger=50',
  '--page-promotion-threshold=30'];
