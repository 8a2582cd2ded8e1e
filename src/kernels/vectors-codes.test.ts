import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METRIC_CODES, type Metric } from '../search/vector/index.ts';
import { bitsTwin, planesTwin, scalarTwin } from '../testkit/vector/code-twins.ts';
import { dotTwin, storedTwin } from '../testkit/vector/twins.ts';
import type { KernelBuild } from './load.ts';
import { ENTRY_BYTES, SegmentMemory, type StoredType } from './vectors.ts';

/** Vectors none of whose components is exactly between two codes, as small integers would be. */
const sets = fc.record({ dims: fc.integer({ min: 1, max: 150 }), rows: fc.integer({ min: 1, max: 70 }), seed: fc.integer({ min: 1, max: 10_000 }), offset: fc.constantFrom(0, 0.5) })
  .map(({ dims, rows, seed, offset }) => {
    const vector = (number: number) => Float32Array.from({ length: dims }, (_, i) => offset + Math.sin(seed * 0.618 + number * 12.9898 + i * 78.233 + number * i));
    return { rows: Array.from({ length: rows }, (_, number) => vector(number)), query: vector(-0.5) };
  });
const metric = fc.constantFrom<Metric>('cosine', 'dot_product', 'euclidean');

/** Scores by codes, by row. */
function scan(build: KernelBuild, rows: readonly Float32Array[], query: Float32Array, bits: 8 | 4 | 1, by: Metric, type: StoredType = 'float32'): number[] {
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
  segment.u32(table, 1)[0] = segment.allocate(call.codeBlockBytes(bits));
  call.trainCodes(description, bits, table, by === 'cosine' ? 1 : 0, rows.length);
  call.encodeCodes(description, 0, rows.length, segment.allocate(call.encodingBytes()));
  segment.bytes.fill(0, input, input + call.preparedQueryBytes(query.length));
  segment.f32(input, query.length).set(query);
  call.prepareQuery(input, METRIC_CODES[by]);
  const coded = segment.allocate(call.codedQueryBytes());
  call.encodeQuery(description, input, METRIC_CODES[by], coded);
  const heap = segment.allocate(call.heapBytes(rows.length));
  call.openHeap(heap, rows.length, 0);
  call.scanCodes(description, coded, METRIC_CODES[by], 0, rows.length, 0, heap);
  expect(call.closeHeap(heap)).toBe(rows.length);
  const scores = new Array<number>(rows.length);
  for (let at = call.entriesOf(heap), i = 0; i < rows.length; i++, at += ENTRY_BYTES) scores[segment.u32(at + 8, 1)[0]!] = segment.f32(at + 12, 1)[0]!;
  return scores;
}

describe.each(['release', 'debug'] as const)('scans over codes, %s build', (build) => {
  it.each([8, 4] as const)('estimate scores as their twin does, by %s bits', (bits) => {
    fc.assert(fc.property(sets, metric, ({ rows, query }, by) => {
      const scores = scan(build, rows, query, bits, by);
      const { scores: expected, perCode } = scalarTwin(rows, query, bits, by);
      for (const [row, score] of scores.entries()) {
        // If 32-bit rounding differs from 64-bit rounding, a code may be off by one.
        const norm = by === 'cosine' ? Math.sqrt(dotTwin(rows[row]!, rows[row]!)) : 0.5;
        expect(Math.abs(score - expected[row]!)).toBeLessThan((2e-3 + 1.5 * perCode) / norm);
      }
    }), { numRuns: 100 });
  });

  it('estimate scores as their twin does, by 1 bit', () => {
    fc.assert(fc.property(sets, metric, ({ rows, query }, by) => {
      const scores = scan(build, rows, query, 1, by);
      const { scores: expected, perSign } = bitsTwin(rows, query, by);
      // If a rotated component is almost zero, its sign depends on rounding.
      for (const [row, score] of scores.entries()) expect(Math.abs(score - expected[row]!)).toBeLessThan(1e-3 + 3 * perSign[row]!);
    }), { numRuns: 100 });
  });

  it.each(['int8', 'int4'] as const)('estimate cosines as their twin does, by 1 bit and a finer query, for rows of %s', (type) => {
    fc.assert(fc.property(sets, ({ rows, query }) => {
      const scores = scan(build, rows, query, 1, 'cosine', type);
      const { scores: expected, perSign } = planesTwin(rows.map((row) => storedTwin(row, type)), query);
      for (const [row, score] of scores.entries()) expect(Math.abs(score - expected[row]!)).toBeLessThan(2e-3 + 3 * perSign[row]!);
    }), { numRuns: 100 });
  });

  it('find that a query is nearest to itself', () => {
    const rows = Array.from({ length: 64 }, (_, seed) => Float32Array.from({ length: 100 }, (_x, i) => Math.sin(seed * 7.7 + i * i * (seed + 1))));
    for (const bits of [8, 4, 1] as const) {
      for (const by of ['cosine', 'euclidean'] as const) {
        for (const at of [0, 31, 63]) {
          const scores = scan(build, rows, rows[at]!, bits, by);
          expect(scores.indexOf(Math.max(...scores))).toBe(at);
        }
      }
    }
  });
});
