import type { Clock } from './clock.ts';

/**
 * A function whose result is kept for some milliseconds. Calls made while it loads share one load. A load that fails is
 * not kept; every caller that waited for it receives the error.
 */
export function cached<T>(load: () => Promise<T>, milliseconds: number, clock: Clock): () => Promise<T> {
  let entry: { readonly value: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (entry !== undefined && clock.now() < entry.until) return entry.value;
    const fresh = { value: load(), until: clock.now() + milliseconds };
    fresh.value.catch(() => {
      if (entry === fresh) entry = undefined;
    });
    entry = fresh;
    return fresh.value;
  };
}
