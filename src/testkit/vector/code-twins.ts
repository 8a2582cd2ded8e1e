import type { Metric } from '../../search/vector/index.ts';
import { dotTwin, SHORTEST } from './twins.ts';

// The computations of scans over codes (asm/vector/codes.ts, bits.ts, code-scan.ts), in plain loops over 64-bit
// numbers.

/**
 * Scores of rows by codes of 8 or 4 bits, and the effect of a code that differs by one; the Euclidean one lacks the
 * query's own square.
 */
export function scalarTwin(rows: readonly Float32Array[], query: Float32Array, bits: 8 | 4,
  metric: Metric): { scores: number[]; perCode: number }
{
  const levels = 2 ** bits - 1;
  const lows = Array.from(query, (_, i) => Math.min(...rows.map((row) => row[i]!)));
  const steps = Array.from(query, (_, i) => (Math.max(...rows.map((row) => row[i]!)) - lows[i]!) / levels);
  const asked = metric === 'cosine' ? unit(query) : Array.from(query);
  const weights = asked.map((value, i) => value * steps[i]!);
  const least = bits === 8 ? Math.min(0, ...weights) : 0;
  const step = bits === 8 ? (Math.max(0, ...weights) - least) / 127 : Math.max(...weights.map(Math.abs)) / 127;
  const coded = weights.map((
    weight,
  ) => (step === 0 ? 0 : least + step * Math.max(-127, Math.min(127, Math.floor((weight - least) / step + 0.5)))));
  const offset = bits === 8 ? 128 : 0;
  const base = dotTwin(asked, lows.map((low, i) => low + offset * steps[i]!));
  const scores = rows.map((row) => {
    const codes = Array.from(row,
      (value, i) => (steps[i] === 0 ? 0 : Math.round((value - lows[i]!) / steps[i]!)) - offset);
    return applied(base + dotTwin(coded, codes), row, metric);
  });
  return { scores, perCode: step * 2 ** bits + Math.max(...weights.map(Math.abs)) };
}

function applied(product: number, row: Float32Array, metric: Metric): number {
  const squares = dotTwin(row, row);
  if (metric === 'dot_product') return product;
  if (metric === 'euclidean') return 2 * product - squares;
  return Math.sqrt(squares) < SHORTEST ? 0 : product / Math.sqrt(squares);
}

/** Scores of rows by codes of 1 bit, except for a constant of the query; and the effect of one sign. */
export function bitsTwin(rows: readonly Float32Array[], query: Float32Array,
  metric: Metric): { scores: number[]; perSign: number[] }
{
  const vectors = rows.map((row) => (metric === 'cosine' ? unit(row) : Array.from(row)));
  const centre = Array.from(query, (_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length);
  const asked = metric === 'cosine' ? unit(query) : Array.from(query);
  const squares = dotTwin(centre, centre);
  const share = metric === 'euclidean' ? 1 : squares > 0 ? dotTwin(asked, centre) / squares : 0;
  const rest = asked.map((value, i) => value - share * centre[i]!);
  const dims = Math.ceil(query.length / 64) * 64;
  const signs = rotate(rest, dims).map((value) => value > 0);
  const lengths = vectors.map((vector) =>
    Math.sqrt(vector.reduce((sum, value, i) => sum + (value - centre[i]!) ** 2, 0))
  );
  const scores = vectors.map((vector, row) => {
    const other = rotate(vector.map((value, i) => value - centre[i]!), dims);
    const different = other.filter((value, i) => value > 0 !== signs[i]).length;
    const product = Math.sqrt(dotTwin(rest, rest)) * lengths[row]! * Math.cos((Math.PI * different) / dims);
    return metric === 'euclidean' ? 2 * product - lengths[row]! ** 2 : product + share * dotTwin(vector, centre);
  });
  return { scores, perSign: lengths.map((length) => ((2 * Math.PI) / dims) * length * Math.sqrt(dotTwin(rest, rest))) };
}

export interface PlanesTwin {
  readonly scores: number[];
  readonly perSign: number[];
  /** Different bits of the two lesser planes, weighted, by row; and the number below which a scan may miss a row. */
  readonly lesser: number[];
  readonly least: number;
}

/**
 * Estimates of the cosines of rows by codes of 1 bit and a query of eight levels, except for a constant; and the effect
 * of one sign.
 */
export function planesTwin(rows: readonly ArrayLike<number>[], query: Float32Array): PlanesTwin {
  const vectors = rows.map(unit);
  const centre = Array.from(query, (_, i) => vectors.reduce((sum, vector) => sum + vector[i]!, 0) / vectors.length);
  const asked = unit(query);
  const squares = dotTwin(centre, centre);
  const share = squares > 0 ? dotTwin(asked, centre) / squares : 0;
  const dims = Math.ceil(query.length / 64) * 64;
  const rest = rotate(asked.map((value, i) => value - share * centre[i]!), dims);
  const length = Math.sqrt(dotTwin(rest, rest));
  const step = 0.293 * length / Math.sqrt(dims);
  const levels = rest.map((
    value,
  ) => (step === 0 ? 0 : 2 * Math.max(0, Math.min(7, Math.floor((value / step + 8) / 2))) - 7));
  const scale = length === 0 ? 0 : length ** 2 / dotTwin(rest, levels);
  const factors: number[] = [];
  const lesser: number[] = [];
  const scores = vectors.map((vector) => {
    const other = rotate(vector.map((value, i) => value - centre[i]!), dims);
    const sum = other.reduce((total, value) => total + Math.abs(value), 0);
    const factor = sum > 0 ? dotTwin(other, other) / sum : 0;
    factors.push(factor);
    lesser.push(levels.reduce((total, level, i) => total + differentBits(level, other[i]! > 0), 0));
    return factor * scale * levels.reduce((total, level, i) => total + (other[i]! > 0 ? level : -level), 0) +
      share * dotTwin(vector, centre);
  });
  const least = Math.max(0, Math.floor(1.5 * dims - 2 * Math.sqrt(1.25 * dims)));
  return { scores, perSign: factors.map((factor) => 14 * factor * scale), lesser, least };
}

/** Of the two lesser planes, weighted: bits of a level from -7 to 7 that differ from a sign. */
function differentBits(level: number, sign: boolean): number {
  const bits = (level + 7) / 2;
  return ((bits & 1) === 1 === sign ? 0 : 1) + (((bits >> 1) & 1) === 1 === sign ? 0 : 2);
}

/** Four rounds of random signs and a Walsh-Hadamard transform, alternately of the first and the last power of two. */
function rotate(vector: readonly number[], dims: number): number[] {
  const values = [...vector, ...new Array<number>(dims - vector.length).fill(0)];
  const size = 2 ** Math.floor(Math.log2(dims));
  let state = 0x9e37_79b9n;
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < dims; i++) {
      state = BigInt.asUintN(64, state ^ (state << 13n));
      state ^= state >> 7n;
      state = BigInt.asUintN(64, state ^ (state << 17n));
      if (((state >> 40n) & 1n) === 0n) values[i] = -values[i]!;
    }
    const from = round % 2 === 0 ? 0 : dims - size;
    const part = values.slice(from, from + size);
    for (let half = 1; half < size; half *= 2) {
      for (let i = 0; i < size; i++) {
        if ((i & half) !== 0) continue;
        const [a, b] = [part[i]!, part[i + half]!];
        part[i] = a + b;
        part[i + half] = a - b;
      }
    }
    values.splice(from, size, ...part.map((value) => value / Math.sqrt(size)));
  }
  return values;
}

function unit(vector: ArrayLike<number>): number[] {
  const length = Math.sqrt(dotTwin(vector, vector));
  return Array.from(vector, (value) => (length < SHORTEST ? 0 : value / length));
}
