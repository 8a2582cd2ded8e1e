/** `QUIRE_BENCH_SCALE=0.1` shrinks the parts that support it, to try them; their results are then meaningless. */
export const SCALE = Number(process.env['QUIRE_BENCH_SCALE'] ?? 1);

if (!(SCALE > 0 && SCALE <= 1))
  throw new RangeError(
    `QUIRE_BENCH_SCALE must be a number above 0 and at most 1, got ${process.env['QUIRE_BENCH_SCALE']}`,
  );

/** A number of documents, or of seconds, at the scale of the run. */
export function scaled(value: number, least = 1): number {
  return Math.max(Math.min(value, least), value * SCALE);
}
