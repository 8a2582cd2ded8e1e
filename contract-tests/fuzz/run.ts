import fc from 'fast-check';
import { crc32 } from 'node:zlib';

/** Number of runs, with new seeds, for longer searches than the quick tests: `QUIRE_FUZZ_RUNS=5000`. */
const RUNS = Number(process.env['QUIRE_FUZZ_RUNS'] ?? 0);
const DEFAULT_RUNS = 20;
const DEFAULT_SEED = 20_261_120;

/**
 * Checks a property against generated values. The seed is derived from the property's name, so a failure is
 * reproducible; with `QUIRE_FUZZ_RUNS` each run has a new seed. A failure prints its seed, with which `QUIRE_FUZZ_SEED`
 * repeats it. `factor` multiplies the quick number of runs, for cheap properties.
 */
export function fuzz<T>(name: string, values: fc.Arbitrary<T>, property: (value: T) => Promise<void>,
  { factor = 1 } = {}): Promise<void>
{
  const given = process.env['QUIRE_FUZZ_SEED'];
  const seed = given !== undefined ? Number(given) : (RUNS > 0 ? Date.now() | 0 : DEFAULT_SEED) ^ crc32(name);
  return fc.assert(fc.asyncProperty(values, property), {
    seed,
    numRuns: RUNS > 0 ? RUNS : Math.ceil(DEFAULT_RUNS * factor),
    verbose: fc.VerbosityLevel.None,
  });
}

/** Vitest's time limit for one test; longer runs need a larger one. */
export const FUZZ_TIMEOUT_MS = 60_000 + RUNS * 200;
