import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KernelBuild } from '../../kernels/load.ts';
import { ENTRY_BYTES, HEAP_KINDS, SegmentMemory, type StoredType } from '../../kernels/vectors.ts';
import { type Metric, METRIC_CODES } from './index.ts';

interface Case {
  readonly dims: number;
  readonly rows: number;
  readonly seed: number;
  /** A component common to all rows, and the distance of rows from each other. */
  readonly offset: number;
  readonly spread: number;
  readonly k: number;
  readonly from: number;
  /** Percentage of rows in the bitmap. */
  readonly share: number;
}

// Rows of 600 dimensions are scanned in two streams; with 5000 dimensions, a block has fewer rows than the streams
// need.
const cases: fc.Arbitrary<Case> = fc.record({
  dims: fc.oneof(fc.integer({ min: 1, max: 130 }), fc.constantFrom(512, 600)),
  rows: fc.integer({ min: 1, max: 330 }),
  seed: fc.integer({ min: 1, max: 10_000 }),
  offset: fc.constantFrom(0, 0.5, -3),
  spread: fc.constantFrom(1, 0.01),
  k: fc.integer({ min: 1, max: 12 }),
  from: fc.integer({ min: 0, max: 100 }),
  share: fc.constantFrom(100, 60, 5),
});
const metrics = fc.constantFrom<Metric>('cosine', 'dot_product', 'euclidean');

/** Rows, one of which is zero and some of which are equal. */
function vectorOf({ dims, seed, offset, spread }: Case, row: number): Float32Array {
  if (row === 7) return new Float32Array(dims);
  return Float32Array.from({ length: dims },
    (_, i) =>
      offset + Math.sin(seed + i) + spread * Math.sin(seed * 0.618 + (row % 50) * 12.9898 + i * 78.233 + row * i));
}

function filled(of: Case, type: StoredType, build: KernelBuild): { segment: SegmentMemory; query: number } {
  const segment = new SegmentMemory(of.dims, type, build);
  const bytes = segment.call.preparedQueryBytes(of.dims);
  const query = segment.allocate(bytes);
  segment.bytes.fill(0, query, query + bytes);
  segment.call.makeRoom(of.rows);
  for (let row = 0; row < of.rows; row++) {
    segment.f32(query, of.dims).set(vectorOf(of, row));
    segment.call.addRow(query, 1000 - row, 0);
  }
  segment.f32(query, of.dims).set(vectorOf(of, -0.5));
  return { segment, query };
}

/** The rows that a scan finds, and the rows expected from scoring all rows one by one. */
function found(of: Case, type: StoredType, metric: Metric, build: KernelBuild): { rows: number[]; expected: number[] } {
  const { segment, query } = filled(of, type, build);
  const { call } = segment;
  call.prepareQuery(query, METRIC_CODES[metric]);
  const from = Math.min(of.from, of.rows);
  const selected = Array.from({ length: of.rows }, (_, row) => row).filter((row) => (row * 37) % 100 < of.share);
  const bitmap = segment.allocate(64);
  const words = segment.u32(bitmap, 16).fill(0);
  for (const row of selected) words[row >>> 5]! |= 1 << (row & 31);
  const heap = segment.allocate(call.heapBytes(of.k, HEAP_KINDS.rows));
  call.openHeap(heap, of.k, HEAP_KINDS.rows);
  call.scan(query, METRIC_CODES[metric], from, of.rows, of.share === 100 ? 0 : bitmap, heap);
  const count = call.closeHeap(heap);
  const entries = call.entriesOf(heap);
  const rows = Array.from({ length: count }, (_, i) => segment.u32(entries + i * ENTRY_BYTES + 8, 1)[0]!);
  const scores = selected.filter((row) => row >= from).map((row) => ({
    row,
    score: call.scoreRow(query, METRIC_CODES[metric], row),
  }));
  // Ordinals decrease as row numbers increase.
  const expected = scores.sort((a, b) => b.score - a.score || b.row - a.row).slice(0, of.k).map(({ row }) => row);
  return { rows, expected };
}

describe.each(['release', 'debug'] as const)('a scan, %s build', (build) => {
  it.each(['float32', 'int8', 'int4'] as const)(
    'finds exactly the rows of %s whose own scores are best, whichever it passes over by their bounds',
    (type) => {
      fc.assert(fc.property(cases, metrics, (of, metric) => {
        const { rows, expected } = found(of, type, metric, build);
        expect(rows).toEqual(expected);
      }), { numRuns: build === 'debug' ? 60 : 150 });
    },
  );

  it.each(['float32', 'int8', 'int4'] as const)('does so where a block has fewer rows of %s than two streams take',
    (type) => {
      const { rows, expected } = found({
        dims: 5000,
        rows: 200,
        seed: 5,
        offset: 0,
        spread: 1,
        k: 5,
        from: 3,
        share: 100,
      }, type, 'cosine', build);
      expect(rows).toEqual(expected);
    });
});
