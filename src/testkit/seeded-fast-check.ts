import { createRequire } from 'node:module';
import type fastCheck from 'fast-check';

/**
 * The module that tests import as `fast-check` (vitest/seed-properties.ts): the library with a fixed seed, so that the same
 * commit passes or fails
 * on every machine. `QUIRE_TEST_SEED` names another seed, or `random` for a new one in every property.
 */
const { default: fc } = createRequire(import.meta.url)('fast-check') as { readonly default: typeof fastCheck };

const SEED = 20_261_122;

const named = process.env['QUIRE_TEST_SEED'];
if (named !== 'random') fc.configureGlobal({ seed: seedOf(named) });

// oxlint-disable-next-line import/no-default-export -- it stands for a package whose default is its whole interface
export default fc;

function seedOf(text: string | undefined): number {
  if (text === undefined || text === '') return SEED;
  if (!/^-?\d{1,10}$/.test(text)) throw new RangeError(`QUIRE_TEST_SEED must be an integer or "random", got "${text}"`);
  return Number(text);
}
