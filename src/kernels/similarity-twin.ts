import type { SimilarityMetric, SimilarityResult } from './similarity.ts';

/** Compares all pairs of rows, with the same result as `SimilarityKernel`, in plain loops over 64-bit numbers. */
export function similarTwin(rows: readonly ArrayLike<number>[], metric: SimilarityMetric,
  threshold: number): SimilarityResult
{
  const neighbours = rows.map(() => new Map<number, number>());
  let pairs = 0;
  for (let a = 0; a < rows.length; a++) {
    for (let b = a + 1; b < rows.length; b++) {
      const score = similarityTwin(rows[a]!, rows[b]!, metric);
      if (score < threshold) continue;
      pairs++;
      neighbours[a]!.set(b, score);
      neighbours[b]!.set(a, score);
    }
  }
  return { pairs, groups: components(neighbours).map((members) => toGroup(members, neighbours)) };
}

/** The mean of several vectors. */
export function meanTwin(vectors: readonly ArrayLike<number>[]): number[] {
  return Array.from(vectors[0]!, (_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length);
}

/** Rounded to 32 bits, as all scores are. */
export function similarityTwin(a: ArrayLike<number>, b: ArrayLike<number>, metric: SimilarityMetric): number {
  if (metric === 'euclidean') return Math.fround(1 / (1 + Math.sqrt(sum(a, (x, i) => (x - b[i]!) ** 2))));
  const product = sum(a, (x, i) => x * b[i]!);
  if (metric === 'dot_product') return Math.fround(product);
  const lengths = Math.sqrt(sum(a, (x) => x * x)) * Math.sqrt(sum(b, (x) => x * x));
  return lengths === 0 ? 0 : Math.fround(Math.min(1, Math.max(-1, product / lengths)));
}

/** Connected components of the rows that have neighbours, in ascending order of their lowest row. */
function components(neighbours: readonly ReadonlyMap<number, number>[]): number[][] {
  const seen = new Set<number>();
  const found: number[][] = [];
  for (const [start, { size }] of neighbours.entries()) {
    if (size === 0 || seen.has(start)) continue;
    const members = [start];
    seen.add(start);
    for (const row of members) {
      for (const other of neighbours[row]!.keys()) {
        if (seen.has(other)) continue;
        seen.add(other);
        members.push(other);
      }
    }
    found.push(members.sort((a, b) => a - b));
  }
  return found;
}

function toGroup(rows: readonly number[],
  neighbours: readonly ReadonlyMap<number, number>[]): SimilarityResult['groups'][number]
{
  const scores = rows.map((row) => [...neighbours[row]!.values()]);
  const all = scores.flat();
  return {
    rows,
    best: scores.map((of) => Math.max(...of)),
    score: all.reduce((total, score) => total + score, 0) / all.length,
  };
}

function sum(values: ArrayLike<number>, of: (value: number, index: number) => number): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += of(values[i]!, i);
  return total;
}
