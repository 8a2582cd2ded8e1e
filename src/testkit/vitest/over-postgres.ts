import { registerHooks } from 'node:module';

/**
 * Tests that open a file get a schema of a PostgreSQL server: of the one that QUIRE_TEST_POSTGRES names, for any suite,
 * or of one of their own.
 */
const OVER_POSTGRES = new URL('../over-postgres.ts', import.meta.url).href;

if (process.env['QUIRE_TEST_POSTGRES'] !== undefined) {
  registerHooks({
    resolve: (specifier, context, next) => (specifier === './open-database.ts'
      ? { url: OVER_POSTGRES, shortCircuit: true }
      : next(specifier, context)),
  });
}
