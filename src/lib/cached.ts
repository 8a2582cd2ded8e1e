import type { Clock } from './clock.ts';

/**
 * A function whose answer is kept for some milliseconds. Calls meanwhile share one load; a load that
 * fails is not kept, and is told to all who waited for it.
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
