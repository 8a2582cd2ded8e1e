import type fastCheck from 'fast-check';
import { createRequire } from 'node:module';

/**
 * The module that tests import as `fast-check` (vitest/seed-properties.ts): the library with a fixed seed, so that the
 * same commit passes or fails on every machine. `QUIRE_TEST_SEED` names another seed, or `random` for a new one in
 * every property.
 */
const { default: fc } = createRequire(import.meta.url)('fast-check') as { readonly default: typeof fastCheck };

const SEED = 20_261_122;

const named = process.env['QUIRE_TEST_SEED'];
if (named !== 'random') fc.configureGlobal({ seed: seedOf(named) });

/** The numbers of code points between which the surrogates are, of which no character consists. */
const [BEFORE_SURROGATES, SURROGATES] = [0xd800, 0x800];

/**
 * Any character, as `unit: 'binary'` of the library makes it from the same numbers. To find the number of a character,
 * the library builds a table of all 1.1 million, which takes a second in each process.
 */
const anyCharacter = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (number) => String.fromCodePoint(number < BEFORE_SURROGATES ? number : number + SURROGATES),
  (character) => {
    if (typeof character !== 'string' || [...character].length !== 1 || !character.isWellFormed()) throw new TypeError(
        `${String(character)} is no character`,
      );
    const code = character.codePointAt(0)!;
    return code < BEFORE_SURROGATES ? code : code - SURROGATES;
  },
);

// oxlint-disable-next-line import/no-default-export -- it stands for a package whose default is its whole interface
export default {
  ...fc,
  string: (constraints: fastCheck.StringConstraints = {}) =>
    fc.string(constraints.unit === 'binary' ? { ...constraints, unit: anyCharacter } : constraints),
};

function seedOf(text: string | undefined): number {
  if (text === undefined || text === '') return SEED;
  if (!/^-?\d{1,10}$/.test(text)) throw new RangeError(`QUIRE_TEST_SEED must be an integer or "random", got "${text}"`);
  return Number(text);
}
