import type { NearestHit } from '../vector-search.ts';

/** A passage with its neighbours; represented by the best of its hits. */
export interface Window extends NearestHit {
  /** Numbers of chunks, both inclusive. */
  readonly first: number;
  readonly last: number;
}

/**
 * Adds `size` neighbours on each side of hits, which are in the order of their rank, and merges windows of a document
 * that share a chunk. Hits are added until another window would exceed `limit`. `chunksOf` returns the number of chunks
 * of a document.
 */
export function toWindows(hits: readonly NearestHit[], size: number, limit: number,
  chunksOf: (ord: number) => number): Window[]
{
  let windows: Window[] = [];
  for (const hit of hits) {
    const { ord, chunk } = hit;
    const own: Window = { ...hit, first: Math.max(0, chunk - size), last: Math.min(chunksOf(ord) - 1, chunk + size) };
    const overlaps = (other: Window): boolean =>
      other.ord === ord && other.first <= own.last && own.first <= other.last;
    const merged = windows.filter(overlaps);
    if (merged.length === 0) {
      if (windows.length === limit) break;
      windows.push(own);
      continue;
    }
    // The joined window replaces the best of those that it merges.
    const [best] = merged as [Window];
    const joined: Window = {
      ...best,
      first: Math.min(own.first, ...merged.map(({ first }) => first)),
      last: Math.max(own.last, ...merged.map(({ last }) => last)),
    };
    windows = windows.filter((each) => each === best || !merged.includes(each)).map((
      each,
    ) => (each === best ? joined : each));
  }
  return windows;
}
