import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Metric, METRIC_CODES } from '../search/vector/index.ts';
import { bitsTwin, planesTwin, scalarTwin } from '../testkit/vector/code-twins.ts';
import { dotTwin, storedTwin } from '../testkit/vector/twins.ts';
import type { KernelBuild } from './load.ts';
import { ENTRY_BYTES, HEAP_KINDS, SegmentMemory, type StoredType } from './vectors.ts';

/**
 * Vectors none of whose components is exactly between two codes, as small integers would be. Signs of 256 dimensions
 * are compared by other code.
 */
const sets = fc.record({
  dims: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 150 }), weight: 3 }, {
    arbitrary: fc.integer({ min: 193, max: 256 }),
    weight: 1,
  }),
  rows: fc.integer({ min: 1, max: 70 }),
  seed: fc.integer({ min: 1, max: 10_000 }),
  offset: fc.constantFrom(0, 0.5),
}).map(({ dims, rows, seed, offset }) => {
  const vector = (number: number) =>
    Float32Array.from({ length: dims }, (_, i) =>
      offset + Math.sin(seed * 0.618 + number * 12.9898 + i * 78.233 + number * i));
  return { rows: Array.from({ length: rows }, (_, number) => vector(number)), query: vector(-0.5) };
});
const metric = fc.constantFrom<Metric>('cosine', 'dot_product', 'euclidean');

interface Coded {
  readonly segment: SegmentMemory;
  /** Addresses of the description, and of the query: prepared, and coded. */
  readonly description: number;
  readonly prepared: number;
  readonly query: number;
}

/** Rows and a query as codes. */
function encoded(build: KernelBuild, rows: readonly Float32Array[], query: Float32Array, bits: 8 | 4 | 1, by: Metric,
  type: StoredType = 'float32'): Coded
{
  const segment = new SegmentMemory(query.length, type, build);
  const { call } = segment;
  const input = segment.allocate(call.preparedQueryBytes(query.length));
  call.makeRoom(rows.length);
  for (const [ord, row] of rows.entries()) {
    segment.f32(input, row.length).set(row);
    call.addRow(input, ord, 0);
  }
  const description = segment.allocate(call.codesBytes(bits));
  const table = segment.allocate(64);
  for (let block = 0; block * call.blockRows() < rows.length; block++)
    segment.u32(table + 4 * block, 1)[0] = segment.allocate(call.codeBlockBytes(bits));
  call.trainCodes(description, bits, table, by === 'cosine' ? 1 : 0, rows.length);
  call.encodeCodes(description, 0, rows.length, segment.allocate(call.encodingBytes()));
  segment.bytes.fill(0, input, input + call.preparedQueryBytes(query.length));
  segment.f32(input, query.length).set(query);
  call.prepareQuery(input, METRIC_CODES[by]);
  const coded = segment.allocate(call.codedQueryBytes());
  call.encodeQuery(description, input, METRIC_CODES[by], coded);
  return { segment, description, prepared: input, query: coded };
}

/** Scores by codes, by row. */
function scan(build: KernelBuild, rows: readonly Float32Array[], asked: Float32Array, bits: 8 | 4 | 1, by: Metric,
  type?: StoredType): number[]
{
  return scores(encoded(build, rows, asked, bits, by, type), rows.length, by);
}

function scores({ segment, description, query }: Coded, rows: number, by: Metric): number[] {
  const { call } = segment;
  const heap = segment.allocate(call.heapBytes(rows, HEAP_KINDS.rows));
  call.openHeap(heap, rows, HEAP_KINDS.rows);
  call.scanCodes(description, query, METRIC_CODES[by], 0, rows, 0, heap);
  expect(call.closeHeap(heap)).toBe(rows);
  const found = new Array<number>(rows);
  for (let at = call.entriesOf(heap), i = 0; i < rows; i++, at += ENTRY_BYTES)
    found[segment.u32(at + 8, 1)[0]!] = segment.f32(at + 12, 1)[0]!;
  return found;
}

/** The `k` candidates of a scan in two parts, ascending. */
function candidates({ segment, description, query }: Coded, rows: number, by: Metric, k: number, middle = 0): number[] {
  const { call } = segment;
  const heaps = [0, 0].map(() => segment.allocate(call.heapBytes(k, HEAP_KINDS.candidates))) as [number, number];
  for (const heap of heaps) call.openHeap(heap, k, HEAP_KINDS.candidates);
  call.scanCodes(description, query, METRIC_CODES[by], 0, middle, 0, heaps[0]);
  call.scanCodes(description, query, METRIC_CODES[by], middle, rows, 0, heaps[1]);
  call.absorb(...heaps);
  const out = segment.allocate(k * 4);
  return [...segment.u32(out, call.drainHeap(heaps[0], out))].toSorted((a, b) => a - b);
}

/**
 * The candidates of a scan that two threads could share, ascending, if the one whose heap has the number `first` does
 * everything, and the rows that it scored, the best first, of those below `border`.
 */
function shared({ segment, description, prepared, query }: Coded, rows: number, k: number, first: 0 | 1,
  border: number): { candidates: number[]; scored: [row: number, score: number][] }
{
  const { call } = segment;
  const heaps = [0, 0].map(() => segment.allocate(call.heapBytes(k, HEAP_KINDS.candidates))) as [number, number];
  const [scan, best] = [segment.allocate(call.sharedScanBytes()), segment.allocate(call.heapBytes(k, HEAP_KINDS.rows))];
  call.openHeap(best, k, HEAP_KINDS.rows);
  expect(call.openSharedScan(scan, description, query, METRIC_CODES.cosine, rows, 0, k, ...heaps)).toBe(1);
  call.scoreInto(scan, prepared, border, best, segment.allocate(Math.ceil(rows / 64) * 8), segment.allocate(k * 4));
  expect(call.hasEnded(scan)).toBe(0);
  for (const heap of first === 0 ? heaps : heaps.toReversed()) call.scanParts(scan, heap);
  expect([call.hasEnded(scan), call.areScored(scan)]).toEqual([1, 1]);
  const out = segment.allocate(k * 4);
  const candidates = [...segment.u32(out, call.drainHeap(heaps[0], out))].toSorted((a, b) => a - b);
  const entries = segment.u32(call.entriesOf(best), call.closeHeap(best) * (ENTRY_BYTES / 4));
  const at = Array.from({ length: entries.length / 4 }, (_, i) => call.entriesOf(best) + i * ENTRY_BYTES);
  return { candidates, scored: at.map((entry) => [segment.u32(entry + 8, 1)[0]!, segment.f32(entry + 12, 1)[0]!]) };
}

/** The rows of the `k` best scores, equal ones by row, ascending. */
function bestOf(all: readonly number[], k: number): number[] {
  return all.map((score, row) => ({ score, row })).sort((a, b) => b.score - a.score || a.row - b.row).slice(0, k).map((
    { row },
  ) => row).sort((a, b) => a - b);
}

describe.each(['release', 'debug'] as const)('scans over codes, %s build', (build) => {
  it.each([8, 4] as const)('estimate scores as their twin does, by %s bits', (bits) => {
    fc.assert(fc.property(sets, metric, ({ rows, query }, by) => {
      const found = scan(build, rows, query, bits, by);
      const { scores: expected, perCode } = scalarTwin(rows, query, bits, by);
      for (const [row, score] of found.entries()) {
        // If 32-bit rounding differs from 64-bit rounding, a code may be off by one.
        const norm = by === 'cosine' ? Math.sqrt(dotTwin(rows[row]!, rows[row]!)) : 0.5;
        expect(Math.abs(score - expected[row]!)).toBeLessThan((2e-3 + 1.5 * perCode) / norm);
      }
    }), { numRuns: build === 'debug' ? 40 : 100 });
  });

  it('estimate scores as their twin does, by 1 bit', () => {
    fc.assert(fc.property(sets, metric, ({ rows, query }, by) => {
      const found = scan(build, rows, query, 1, by);
      const { scores: expected, perSign } = bitsTwin(rows, query, by);
      // If a rotated component is almost zero, its sign depends on rounding.
      for (const [row, score] of found.entries())
        expect(Math.abs(score - expected[row]!)).toBeLessThan(1e-3 + 3 * perSign[row]!);
    }), { numRuns: build === 'debug' ? 40 : 100 });
  });

  it.each(['int8', 'int4'] as const)('estimate cosines as their twin does, by 1 bit and a finer query, for rows of %s',
    (type) => {
      fc.assert(fc.property(sets, ({ rows, query }) => {
        const found = scan(build, rows, query, 1, 'cosine', type);
        const { scores: expected, perSign } = planesTwin(rows.map((row) => storedTwin(row, type)), query);
        for (const [row, score] of found.entries())
          expect(Math.abs(score - expected[row]!)).toBeLessThan(2e-3 + 3 * perSign[row]!);
      }), { numRuns: build === 'debug' ? 40 : 100 });
    });

  it.each([8, 4, 1] as const)('have the rows of the best scores as candidates, by %s bits', (bits) => {
    fc.assert(
      fc.property(sets, metric, fc.integer({ min: 1, max: 80 }), fc.double({ min: 0, max: 1, noNaN: true }),
        ({ rows, query }, by, k, cut) => {
          const coded = encoded(build, rows, query, bits, by);
          expect(candidates(coded, rows.length, by, k, Math.floor(rows.length * cut))).toEqual(
            bestOf(scores(coded, rows.length, by), k),
          );
        }),
      { numRuns: build === 'debug' ? 24 : 60 },
    );
  });

  it('miss a candidate by a finer query only if its lesser planes differ unusually little', () => {
    fc.assert(fc.property(sets, fc.integer({ min: 1, max: 20 }), ({ rows, query }, k) => {
      const coded = encoded(build, rows, query, 1, 'cosine', 'int8');
      const found = candidates(coded, rows.length, 'cosine', k);
      expect(found).toHaveLength(Math.min(k, rows.length));
      const all = scores(coded, rows.length, 'cosine');
      const { lesser, least } = planesTwin(rows.map((row) => storedTwin(row, 'int8')), query);
      // If a rotated component is almost zero, its sign depends on rounding.
      for (const row of bestOf(all, k)) if (!found.includes(row)) expect(lesser[row]!).toBeLessThan(least + 6);
    }), { numRuns: build === 'debug' ? 40 : 100 });
  });

  it('have the same candidates among many rows, even if a sample of them is nearer than the others', () => {
    const many = 17_000;
    const query = Float32Array.from({ length: 16 }, (_, i) => Math.cos(i));
    for (const nearer of [0, 3]) {
      const rows = Array.from({ length: many }, (_, row) =>
        Float32Array.from({ length: 16 }, (_x, i) =>
          Math.sin(row * 12.9898 + i * 78.233 + row * i) + (row % 1024 < 64 ? nearer : 0) * query[i]!));
      const coded = encoded(build, rows, query, 8, 'dot_product');
      expect(candidates(coded, many, 'dot_product', 1200)).toEqual(bestOf(scores(coded, many, 'dot_product'), 1200));
    }
  });

  it.each([64, 256])(
    'have the same candidates if threads share the scan, whichever does it, and their scores, by %s dimensions',
    (dims) => {
      const many = 17_000;
      const rows = Array.from({ length: many }, (_, row) =>
        Float32Array.from({ length: dims }, (_x, i) => Math.sin(row * 12.9898 + i * 78.233 + row * i)));
      const coded = encoded(build, rows, Float32Array.from({ length: dims }, (_, i) => Math.cos(i)), 1, 'cosine',
        'int8');
      const expected = candidates(coded, many, 'cosine', 600);
      for (const [first, border] of [[0, many], [1, many], [0, 9_000]] as const) {
        const found = shared(coded, many, 600, first, border);
        expect(found.candidates).toEqual(expected);
        const below = expected.filter((row) => row < border);
        const scores = new Map(
          below.map((row) => [row, coded.segment.call.scoreRow(coded.prepared, METRIC_CODES.cosine, row)]),
        );
        expect(found.scored).toEqual([...scores].toSorted(([a, x], [b, y]) => y - x || a - b));
      }
    },
  );

  it('have no scores if a shared scan has too few rows above the bar of its sample', () => {
    const many = 17_000;
    const query = Float32Array.from({ length: 64 }, (_, i) => Math.cos(i));
    // The rows of the sample are nearer than the others.
    const rows = Array.from({ length: many },
      (_, row) =>
        Float32Array.from({ length: 64 }, (_x, i) =>
          Math.sin(row * 12.9898 + i * 78.233 + row * i) + (row % 1024 < 64 ? 3 : 0) * query[i]!));
    const { segment, description, prepared, query: coded } = encoded(build, rows, query, 1, 'cosine', 'int8');
    const { call } = segment;
    const heaps = [0, 0].map(() => segment.allocate(call.heapBytes(1200, HEAP_KINDS.candidates))) as [number, number];
    const [scan, best] = [segment.allocate(call.sharedScanBytes()),
      segment.allocate(call.heapBytes(1200, HEAP_KINDS.rows))];
    call.openHeap(best, 1200, HEAP_KINDS.rows);
    call.openSharedScan(scan, description, coded, METRIC_CODES.cosine, many, 0, 1200, ...heaps);
    call.scoreInto(scan, prepared, many, best, segment.allocate(Math.ceil(many / 64) * 8), segment.allocate(1200 * 4));
    for (const heap of heaps) call.scanParts(scan, heap);
    expect([call.hasEnded(scan), call.areScored(scan), call.heldBy(best)]).toEqual([1, 0, 0]);
  });

  it('find that a query is nearest to itself', () => {
    const rows = Array.from({ length: 64 },
      (_, seed) => Float32Array.from({ length: 100 }, (_x, i) => Math.sin(seed * 7.7 + i * i * (seed + 1))));
    for (const bits of [8, 4, 1] as const) {
      for (const by of ['cosine', 'euclidean'] as const) {
        for (const at of [0, 31, 63]) {
          const found = scan(build, rows, rows[at]!, bits, by);
          expect(found.indexOf(Math.max(...found))).toBe(at);
        }
      }
    }
  });
});
