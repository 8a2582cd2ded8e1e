import type { Columns } from '../../../search/columns/index.ts';

/** Minimum of a factor (contract, "Full-text search": `boost`). */
const FLOOR = 0.001;
/** Maximum of a factor: scores have single precision, and are added up. */
const CEILING = 1e30;

/**
 * The factors of documents by ordinal, 1 for those that no boost matches; undefined when no boost matches any document.
 * Callers must not change them. A positive number multiplies and a negative one divides; several matches multiply.
 */
export function boostFactors(columns: Pick<Columns, 'factors'> | undefined, boost: Readonly<Record<string, number>>):
  | Float32Array
  | undefined
{
  const entries = Object.entries(boost);
  if (entries.length === 0) return undefined;
  return columns?.factors(entries.map(([name, weight]) => ({ ...splitName(name), factor: toFactor(weight) })), {
    least: FLOOR,
    most: CEILING,
  });
}

/** The key ends at the first colon; the rest is the value. */
function splitName(name: string): { key: string; value: string } {
  const colon = name.indexOf(':');
  return { key: name.slice(0, colon), value: name.slice(colon + 1) };
}

function toFactor(weight: number): number {
  return clamp(weight < 0 ? 1 / -weight : weight);
}

function clamp(factor: number): number {
  return Math.min(CEILING, Math.max(FLOOR, factor));
}
