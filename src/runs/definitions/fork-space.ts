import type { ForgeOrigin } from '../forge/port.ts';

/** Beginning of the names of everything that runs for forks share with other runs; no other name begins with it. */
export const FORK_SPACE = 'fork/';

/**
 * The beginning of the names of caches and groups of a run for a pull request of a fork, such as `fork/7/`; empty for
 * all other runs. Approved runs have it, too: they are strangers' code, whoever has looked at it.
 */
export function forkSpace(forge: ForgeOrigin | undefined): string {
  const request = forge?.pullRequest;
  return request?.isFork ? `${FORK_SPACE}${request.number}/` : '';
}

/** Keys of a cache, as they are in configurations: with placeholders. */
interface CacheKeys {
  readonly key: string;
  readonly restore_keys: readonly string[];
}

/** Most restore keys that a ship may ask for. */
const MAX_RESTORE_KEYS = 16;

/**
 * A cache of a run with such a space: it is saved in the space alone, and restored from there or else from what the
 * repository's own runs have saved.
 */
export function cacheInSpace<Cache extends CacheKeys>(cache: Cache, space: string): Cache {
  if (space === '' || cache.key === '') return cache;
  const { key, restore_keys: restoreKeys } = cache;
  return {
    ...cache,
    key: `${space}${key}`,
    restore_keys: [...restoreKeys.map((each) => `${space}${each}`), key, ...restoreKeys].slice(0, MAX_RESTORE_KEYS),
  };
}
