import { registerHooks } from 'node:module';

/** Tests that import `fast-check` receive the library with a fixed seed. */
const SEEDED = new URL('../seeded-fast-check.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'fast-check' && context.parentURL !== SEEDED
      ? { url: SEEDED, shortCircuit: true }
      : next(specifier, context),
});
