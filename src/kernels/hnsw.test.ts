import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hnswKernel, M0 } from './hnsw.ts';
import { SegmentMemory } from './vectors.ts';

const COSINE = 0;
const DOT = 1;
const EUCLIDEAN = 2;

const vector = (dims: number) =>
  fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: dims, maxLength: dims }).map((numbers) =>
    Float32Array.from(numbers, (x) => x / 100)
  );
const pair = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(128, 200, 784)).chain((dims) =>
  fc.tuple(vector(dims), vector(dims))
);

/** The distance that the graph uses. */
function distance(p: Float32Array, x: Float32Array, metric: number): number {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  if (metric === EUCLIDEAN) return dot(p, p) + dot(x, x) - 2 * dot(p, x);
  if (metric === DOT) return -dot(p, x);
  const norms = Math.sqrt(dot(p, p) * dot(x, x));
  return norms === 0 ? 1 : 1 - dot(p, x) / norms;
}

/**
 * Maximum error of codes: half a step for each component of either vector, where a step is a share of the vector's
 * range. `shareOfP` is the share for the probe, which has more bits than a row if it is a query.
 */
function tolerance(p: Float32Array, x: Float32Array, metric: number, shareOfP: number, shareOfX: number,
  bits: number): number
{
  const spread = (v: Float32Array) => Math.max(...v.map(Math.abs));
  const length = (v: Float32Array) => v.reduce((sum, value) => sum + Math.abs(value), 0);
  const norms = Math.hypot(...p) * Math.hypot(...x);
  const error = spread(p) * length(x) * shareOfP + spread(x) * length(p) * shareOfX +
    p.length * spread(p) * spread(x) * shareOfP * shareOfX + 1e-3;
  if (metric === COSINE) return norms === 0 ? 1e-6 : (1.01 * error) / norms + 1e-5;
  if (metric === DOT) return 1.01 * error;
  // Rows that are stored as bytes have the squares of these bytes.
  const ofSquare = (v: Float32Array,
    share: number) => (bits === 8 ? 2 * spread(v) * length(v) * share + v.length * (spread(v) * share) ** 2 : 0);
  return 1.01 * (2 * error + ofSquare(p, shareOfP) + ofSquare(x, shareOfX));
}

/** Slightly more than half a step, for vectors whose range is at most twice their largest component. */
const HALF_STEPS = { 8: 1 / 120, 7: 1 / 120, 4: 1 / 14.9 } as const;

describe.each([['release', 7], ['debug', 7], ['release', 4], ['debug', 4], ['release', 8], ['debug', 8]] as const)(
  'distances (%s build) by codes of %i bits',
  (build, bits) => {
    it.each([COSINE, DOT, EUCLIDEAN])('are near the true ones, of queries and of rows, for all dimensions (metric %i)',
      (metric) => {
        fc.assert(fc.property(pair, ([p, x]) => {
          const rows = new SegmentMemory(p.length, bits === 8 ? 'int8' : 'float32', build);
          const kernel = hnswKernel(rows.memory, build);
          const bytes = rows.call.queryBytes(p.length);
          const input = rows.allocate(bytes);
          rows.bytes.fill(0, input, input + bytes);
          rows.call.makeRoom(2);
          for (const each of [x, p]) {
            rows.f32(input, p.length).set(each);
            rows.call.addRow(input, 0, 0);
          }
          const [graph, scratch, probe] = [rows.allocate(kernel.graphBytes()), rows.allocate(kernel.scratchBytes()),
            rows.allocate(bytes + 64)];
          kernel.initializeGraph(graph, metric, p.length, bits, M0);
          kernel.initializeScratch(scratch);
          expect(kernel.insertRows(graph, scratch, 2, 2, 10)).toBe(2);
          const norm = Math.hypot(...p);
          kernel.probeQuery(graph, probe, input, metric === COSINE ? (norm > 0 ? 1 / norm : 0) : 1);
          const off = () => Math.abs(kernel.distanceTo(graph, probe, 0) - distance(p, x, metric));
          expect(off()).toBeLessThanOrEqual(tolerance(p, x, metric, HALF_STEPS[7], HALF_STEPS[bits], bits));
          kernel.probeRow(graph, probe, 1);
          expect(off()).toBeLessThanOrEqual(tolerance(p, x, metric, HALF_STEPS[bits], HALF_STEPS[bits], bits));
        }), { numRuns: 60, examples: [[[Float32Array.of(-2.1, -0.94, 1.56), new Float32Array(3)]]] });
      });
  },
);
