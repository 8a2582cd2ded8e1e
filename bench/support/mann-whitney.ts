/**
 * The test of Mann and Whitney (1947), by its normal approximation with a correction for ties, which is accurate from
 * about twenty samples. `superiority` is the probability that a value of the first sample is larger than one of the
 * second, with half of the ties counted; `p` is two-sided.
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): { superiority: number; p: number } {
  const [n, m] = [first.length, second.length];
  const sorted = [...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false }))].sort((a, b) => a.value - b.value);
  let ranksOfFirst = 0;
  let ties = 0;
  for (let i = 0; i < sorted.length;) {
    let end = i;
    while (end < sorted.length && sorted[end]!.value === sorted[i]!.value) end += 1;
    const count = end - i;
    const rank = (i + 1 + end) / 2;
    ranksOfFirst += rank * sorted.slice(i, end).filter(({ isFirst }) => isFirst).length;
    ties += count ** 3 - count;
    i = end;
  }
  const u = ranksOfFirst - (n * (n + 1)) / 2;
  const total = n + m;
  const deviation = Math.sqrt((n * m / 12) * (total + 1 - ties / (total * (total - 1))));
  const z = deviation === 0 ? 0 : (u - (n * m) / 2) / deviation;
  return { superiority: u / (n * m), p: 2 * upperTail(Math.abs(z)) };
}

/** Of the normal distribution: Abramowitz and Stegun, 26.2.17 (error below 7.5e-8). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) * series;
}
