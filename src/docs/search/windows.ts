/** A hit with the run of chunks that is shown for it; without one for a document that only the lexical side found. */
export interface Placed<H> {
  readonly hit: H;
  /** Numbers of chunks, both inclusive. The last one may be behind the end of the document. */
  readonly first: number | undefined;
  readonly last: number | undefined;
}

interface Hit {
  readonly ord: number;
  readonly chunk?: number | undefined;
}

interface Window<H> {
  readonly hit: H;
  first: number;
  last: number;
}

/**
 * Hits in the order of their rank with `size` neighbours on each side; windows of a document that share a chunk are
 * merged, at the place of the best.
 */
export function toWindows<H extends Hit>(hits: readonly H[], size: number): Placed<H>[] {
  const placed = new Set<Placed<H>>();
  const byDocument = new Map<number, Set<Window<H>>>();
  for (const hit of hits) {
    const { ord, chunk } = hit;
    if (chunk === undefined) {
      placed.add({ hit, first: undefined, last: undefined });
      continue;
    }
    let windows = byDocument.get(ord);
    if (windows === undefined) byDocument.set(ord, windows = new Set());
    const own: Window<H> = { hit, first: Math.max(0, chunk - size), last: chunk + size };
    const [best, ...others] = [...windows].filter(({ first, last }) => first <= own.last && own.first <= last);
    if (best === undefined) {
      windows.add(own);
      placed.add(own);
      continue;
    }
    for (const { first, last } of [own, ...others]) {
      best.first = Math.min(best.first, first);
      best.last = Math.max(best.last, last);
    }
    for (const other of others) {
      windows.delete(other);
      placed.delete(other);
    }
  }
  return [...placed];
}
