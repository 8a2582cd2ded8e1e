import { createHash } from 'node:crypto';

/** Files in the folder of a cache. */
export const [CONTENT, META] = ['content.tar', 'meta.json'] as const;

export interface CacheMeta {
  readonly project: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** A cache in the store of the ship. */
export interface CacheEntry {
  /** Name of its folder. */
  readonly name: string;
  readonly key: string;
}

/** Adds a line of the ship to the log of the run. */
export type NoteLine = (level: 'info' | 'warn', text: string) => Promise<void>;

export const nameOf = (project: string, key: string): string =>
  createHash('sha256').update(`${project}\0${key}`).digest('hex').slice(0, 40);
