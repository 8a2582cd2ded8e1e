import type { Queries } from '../../../storage/index.ts';

/** A factor is never below (contract, "Full-text search": `boost`). */
const FLOOR = 0.001;
/** Nor above: scores have single precision, and are added up. */
const CEILING = 1e30;

/**
 * The factors of documents by ordinal, 1 for those that no boost matches; undefined when none matches
 * any. A positive number multiplies and a negative one divides; several matches multiply.
 */
export async function boostFactors(queries: Queries, cid: number, boost: Readonly<Record<string, number>>): Promise<Float32Array | undefined> {
  const entries = Object.entries(boost).map(([name, weight]) => ({ pair: splitName(name), factor: toFactor(weight) }));
  if (entries.length === 0) return undefined;
  const factors = new Map(entries.map(({ pair, factor }) => [pair.join('\0'), factor]));
  const rows = await queries.all<{ k: string; v: string; ord: number }>(
    `SELECT k, v, ord FROM doc_meta WHERE cid = ? AND (k, v) IN (VALUES ${entries.map(() => '(?, ?)').join(', ')})`,
    [cid, ...entries.flatMap(({ pair }) => pair)],
  );
  if (rows.length === 0) return undefined;
  const products = new Float64Array(rows.reduce((last, { ord }) => Math.max(last, ord), 0) + 1).fill(1);
  for (const { k, v, ord } of rows) products[ord]! *= factors.get(`${k}\0${v}`)!;
  return Float32Array.from(products, clamp);
}

/** The key ends at the first colon, the rest is the value. */
function splitName(name: string): [key: string, value: string] {
  const colon = name.indexOf(':');
  return [name.slice(0, colon), name.slice(colon + 1)];
}

function toFactor(weight: number): number {
  return clamp(weight < 0 ? 1 / -weight : weight);
}

function clamp(factor: number): number {
  return Math.min(CEILING, Math.max(FLOOR, factor));
}
