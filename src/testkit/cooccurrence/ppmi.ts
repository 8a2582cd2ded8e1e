/**
 * The neighbours of terms as decision D-84 defines them, computed with probabilities: slow and obvious. A gap is
 * undefined.
 */
export function referenceNeighbours(
  documents: readonly (readonly (readonly (string | undefined)[])[])[],
): Map<string, Map<string, number>> {
  const occurrences = new Map<string, number>();
  /** Documents for each occurrence of a pair, in both directions. */
  const pairs = new Map<string, Map<string, number[]>>();
  for (const [document, texts] of documents.entries()) {
    for (const text of texts) {
      for (const [i, a] of text.entries()) {
        if (a === undefined) continue;
        occurrences.set(a, (occurrences.get(a) ?? 0) + 1);
        for (const [j, b] of text.entries()) {
          if (b === undefined || b === a || i === j || Math.abs(i - j) >= 5) continue;
          const near = pairs.get(a) ?? new Map<string, number[]>();
          pairs.set(a, near.set(b, [...(near.get(b) ?? []), document]));
        }
      }
    }
  }
  const sum = (near: ReadonlyMap<string, number[]>): number =>
    [...near.values()].reduce((total, { length }) => total + length, 0);
  const total = [...pairs.values()].reduce((all, near) => all + sum(near), 0);
  const p = (a: string): number => sum(pairs.get(a)!) / total;
  return new Map([...pairs].map(([a, near]) => {
    const candidates = [...near].filter(([b]) => occurrences.get(a)! >= 2 && occurrences.get(b)! >= 2).map((
      [b, where],
    ) => ({ b, several: new Set(where).size > 1, ppmi: Math.max(0, Math.log2(where.length / total / (p(a) * p(b)))) }))
      .filter(({ ppmi }) => ppmi > 1e-9);
    const usable = candidates.some(({ several }) => several) ? candidates.filter(({ several }) => several) : candidates;
    const largest = Math.max(...candidates.map(({ ppmi }) => ppmi));
    return [a, new Map(usable.map(({ b, ppmi }) => [b, ppmi / largest]))];
  }));
}
