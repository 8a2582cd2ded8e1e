import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METRIC_CODES } from '../search/vector/index.ts';
import { dotTwin, l2sqTwin, quantizeTwin, scoreTwin, storedTwin } from '../testkit/vector/twins.ts';
import { ENTRY_BYTES, SegmentFullError, SegmentMemory, type StoredType } from './vectors.ts';

const component = fc.oneof(fc.float({ min: -4, max: 4, noNaN: true }), fc.integer({ min: -3, max: 3 }));
const pair = fc.integer({ min: 1, max: 150 }).chain((dims) => fc.tuple(vectorOf(dims), vectorOf(dims)));

function vectorOf(dims: number): fc.Arbitrary<Float32Array> {
  return fc.array(component, { minLength: dims, maxLength: dims, size: 'max' }).map((numbers) =>
    Float32Array.from(numbers)
  );
}

/** Writes a vector to the memory, padded with zeros. */
function place(segment: SegmentMemory, vector: Float32Array,
  room = segment.call.preparedQueryBytes(segment.dims)): number
{
  const address = segment.allocate(room);
  segment.bytes.fill(0, address, address + room);
  segment.f32(address, vector.length).set(vector);
  return address;
}

function addRow(segment: SegmentMemory, vector: Float32Array, ord: number, chunk = 0): number {
  expect(segment.call.makeRoom(segment.rowCount + 1)).toBe(1);
  return segment.call.addRow(place(segment, vector), ord, chunk);
}

interface Entry {
  readonly row: number;
  readonly ord: number;
  readonly score: number;
}

function entries(segment: SegmentMemory, heap: number): Entry[] {
  const count = segment.call.closeHeap(heap);
  const at = segment.call.entriesOf(heap);
  return Array.from({ length: count }, (_, i) => {
    const [ord, , row] = segment.u32(at + i * ENTRY_BYTES, 3);
    return { row: row!, ord: ~ord! >>> 0, score: segment.f32(at + i * ENTRY_BYTES + 12, 1)[0]! };
  });
}

describe.each(['release', 'debug'] as const)('kernels of vectors, %s build', (build) => {
  it('multiply and subtract as their twins, whatever the length', () => {
    fc.assert(fc.property(pair, ([a, b]) => {
      const segment = new SegmentMemory(a.length, 'float32', build);
      const [x, y] = [place(segment, a), place(segment, b)];
      const size = 1e-5 * (1 + dotTwin(a.map(Math.abs), b.map(Math.abs)) + l2sqTwin(a, b));
      expect(Math.abs(segment.call.dot(x, y, segment.stride) - dotTwin(a, b))).toBeLessThan(size);
      expect(Math.abs(segment.call.l2sq(x, y, segment.stride) - l2sqTwin(a, b))).toBeLessThan(size);
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it.each(['int8', 'int4'] as const)('store vectors as %s as the twin does, and multiply them', (type) => {
    fc.assert(fc.property(pair, ([query, vector]) => {
      const segment = new SegmentMemory(query.length, type, build);
      const row = addRow(segment, vector, 7, 3);
      const at = segment.call.vectorOf(row);
      const { codes, minimum, step } = quantizeTwin(vector, type);
      const bytes = segment.bytes.slice(at, at + segment.stride);
      expect(
        codes.map((_, i) => (type === 'int8' ? bytes[i]! : i % 2 === 0 ? bytes[i >> 1]! >> 4 : bytes[i >> 1]! & 15)),
      ).toEqual(codes);
      expect([...segment.f32(at + segment.stride - 16, 2)]).toEqual([minimum, step]);
      const out = segment.allocate(query.length * 4);
      segment.call.decodeVector(at, out);
      expect([...segment.f32(out, query.length)]).toEqual([...Float32Array.from(storedTwin(vector, type))]);
      const prepared = place(segment, query);
      segment.call.prepareQuery(prepared, 1);
      const greatest = Math.max(...query.map(Math.abs));
      const error = Math.abs(segment.call.scoreRow(prepared, 1, row) - dotTwin(query, storedTwin(vector, type)));
      expect(error).toBeLessThan(1e-4 * (1 + greatest * (1 + Math.abs(minimum)) * query.length));
      expect(segment.call.exactScore(prepared, 1, row)).toBeCloseTo(dotTwin(query, storedTwin(vector, type)), 3);
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it('keep a vector that was rounded before as it would be read from its codes', () => {
    const rounded = fc.integer({ min: 1, max: 70 }).chain((dims) =>
      fc.record({
        least: fc.float({ noNaN: true, min: -4, max: 4 }),
        step: fc.float({ noNaN: true, min: 0, max: Math.fround(0.1) }),
        codes: fc.array(fc.nat(255), { minLength: dims, maxLength: dims }),
      })
    );
    fc.assert(fc.property(rounded, ({ least, step, codes }) => {
      const segment = new SegmentMemory(codes.length, 'int8', build);
      segment.call.makeRoom(1);
      const input = segment.allocate(segment.call.queryBytes(codes.length) + 8);
      segment.bytes.set(new Uint8Array(Float32Array.of(least, step).buffer), input);
      segment.bytes.set(codes, input + 8);
      const row = segment.call.addRounded(input, 7, 3);
      const at = segment.call.vectorOf(row);
      const tail = at + segment.stride - 16;
      const expected = codes.map((code) => least + step * code);
      expect([...segment.bytes.subarray(at, at + codes.length)]).toEqual(codes);
      expect([...segment.f32(tail, 2)]).toEqual([least, step]);
      expect(new Int32Array(segment.memory.buffer, tail + 8, 1)[0]).toBe(
        codes.reduce((sum, code) => sum + code - 128, 0),
      );
      const length = Math.hypot(...expected);
      if (length > 1e-3) expect(segment.call.inverseNormOf(row) * length).toBeCloseTo(1, 4);
      expect([segment.call.ordOf(row), segment.call.chunkOf(row), segment.rowCount]).toEqual([7, 3, 1]);
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it('score stored rows in 64 bits, whatever the length and the metric', () => {
    const pairs = fc.constantFrom(15, 16, 17, 32, 48).chain((dims) => fc.tuple(vectorOf(dims), vectorOf(dims)));
    fc.assert(
      fc.property(pairs, fc.constantFrom('int8', 'int4'), fc.constantFrom('cosine', 'dot_product', 'euclidean'),
        ([query, vector], type, metric) => {
          const segment = new SegmentMemory(query.length, type, build);
          const row = addRow(segment, vector, 7);
          const expected = scoreTwin(query, storedTwin(vector, type), metric);
          expect(Math.abs(segment.call.exactScore(place(segment, query), METRIC_CODES[metric], row) - expected))
            .toBeLessThan(1e-6 * (1 + Math.abs(expected)));
        }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  });

  it.each(['float32', 'int8'] as const)('score many rows of %s as each of them, whatever their order', (type) => {
    const rows = fc.constantFrom(16, 17).chain((dims) =>
      fc.tuple(vectorOf(dims), fc.array(vectorOf(dims), { minLength: 1, maxLength: 80, size: 'max' }))
    );
    fc.assert(fc.property(rows, fc.constantFrom('cosine', 'dot_product', 'euclidean'), ([query, vectors], metric) => {
      const segment = new SegmentMemory(query.length, type, build);
      const added = vectors.map((vector, i) => addRow(segment, vector, 7 + (i >> 2))).toReversed();
      const asked = place(segment, query);
      const [list, scores, chunks] = [0, 0, 0].map(() => segment.allocate(added.length * 4)) as [number, number,
        number];
      segment.u32(list, added.length).set(added);
      segment.call.exactScores(asked, METRIC_CODES[metric], list, added.length, scores, chunks);
      expect([...segment.f32(scores, added.length)]).toEqual(
        added.map((row) => Math.fround(segment.call.exactScore(asked, METRIC_CODES[metric], row))),
      );
      expect([...segment.u32(chunks, added.length)]).toEqual(added.map((row) => segment.call.chunkOf(row)));
    }), { numRuns: build === 'debug' ? 24 : 60 });
  });

  it('keep the k best rows, equal ones by ordinal and row, in whatever order and parts they come', () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: -3, max: 3 })), {
      minLength: 1,
      maxLength: 300,
      size: 'max',
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (list, k, cut) => {
        const segment = new SegmentMemory(1, 'float32', build);
        for (const [ord, value] of list) addRow(segment, Float32Array.of(value), ord);
        const query = place(segment, Float32Array.of(1));
        const heaps = [segment.allocate(segment.call.heapBytes(k, 0)),
          segment.allocate(segment.call.heapBytes(k, 0))] as const;
        for (const heap of heaps) segment.call.openHeap(heap, k, 0);
        const middle = Math.floor(list.length * cut);
        segment.call.scan(query, 1, 0, middle, 0, heaps[1]);
        segment.call.scan(query, 1, middle, list.length, 0, heaps[0]);
        segment.call.absorb(...heaps);
        const expected = list.map(([ord, score], row) => ({ row, ord, score })).sort((a, b) =>
          b.score - a.score || a.ord - b.ord || a.row - b.row
        ).slice(0, k);
        expect(entries(segment, heaps[0])).toEqual(expected);
      }),
      { numRuns: build === 'debug' ? 80 : 200 },
    );
  });

  it('keep the best row of each document', () => {
    const documents = fc.array(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 120,
      size: 'max',
    });
    fc.assert(fc.property(documents, fc.integer({ min: 1, max: 20 }), (list, k) => {
      const segment = new SegmentMemory(1, 'float32', build);
      for (const [ord, values] of list.entries())
        for (const value of values) addRow(segment, Float32Array.of(value), ord);
      const heap = segment.allocate(segment.call.heapBytes(k, 1));
      segment.call.openHeap(heap, k, 1);
      segment.call.scan(place(segment, Float32Array.of(1)), 1, 0, segment.rowCount, 0, heap);
      const expected = list.map((values, ord) => ({ ord, score: Math.max(...values) })).sort((a, b) =>
        b.score - a.score || a.ord - b.ord
      ).slice(0, k);
      expect(entries(segment, heap).map(({ ord, score }) => ({ ord, score }))).toEqual(expected);
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it('select the rows that live and whose document is in the filter', () => {
    const rows = fc.array(fc.record({ ord: fc.nat(200), dies: fc.boolean() }), {
      minLength: 1,
      maxLength: 300,
      size: 'max',
    });
    fc.assert(fc.property(rows, fc.uniqueArray(fc.nat(150)), fc.boolean(), (list, ords, isFiltered) => {
      const segment = new SegmentMemory(2, 'float32', build);
      for (const { ord } of list) addRow(segment, Float32Array.of(1, 2), ord);
      for (const [row, { dies }] of list.entries()) if (dies) segment.call.kill(row);
      const filter = new Uint32Array(5);
      for (const ord of ords) filter[ord >>> 5]! |= 1 << (ord & 31);
      const at = segment.allocate(20);
      segment.u32(at, 5).set(filter);
      const bitmap = segment.allocate(64);
      const count = segment.call.selectRows(bitmap, 0, list.length, isFiltered ? at : 0, 5);
      const expected = list.map(({ ord, dies }, row) => (dies || (isFiltered && !ords.includes(ord)) ? -1 : row))
        .filter((row) => row >= 0);
      const words = segment.u32(bitmap, Math.ceil(list.length / 64) * 2);
      expect(
        [...words].flatMap((word, i) =>
          Array.from({ length: 32 }, (_, bit) => ((word >>> bit) & 1 ? i * 32 + bit : -1))
        ).filter((row) => row >= 0),
      ).toEqual(expected);
      expect(count).toBe(expected.length);
      expect(segment.liveCount).toBe(list.filter(({ dies }) => !dies).length);
    }), { numRuns: build === 'debug' ? 60 : 150 });
  });

  it('allocate memory that nobody else has, and take it back', () => {
    const step = fc.oneof(fc.record({ take: fc.integer({ min: 0, max: 70_000 }) }),
      fc.record({ giveBack: fc.nat(50) }));
    fc.assert(fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
      const segment = new SegmentMemory(8, 'float32', build);
      const held: { at: number; bytes: number }[] = [];
      for (const each of steps) {
        if ('take' in each) {
          const chunk = { at: segment.allocate(each.take), bytes: each.take };
          expect(chunk.at % 64).toBe(0);
          for (const other of held)
            expect(chunk.at >= other.at + Math.max(1, other.bytes) || chunk.at + Math.max(1, chunk.bytes) <= other.at)
              .toBe(true);
          held.push(chunk);
        } else if (held.length > 0) {
          const [chunk] = held.splice(each.giveBack % held.length, 1);
          segment.release(chunk!.at, chunk!.bytes);
        }
      }
      const top = segment.reserved;
      for (const { at, bytes } of held.splice(0)) segment.release(at, bytes);
      for (let i = 0; i < 3; i++) segment.release(segment.allocate(500), 500);
      expect(segment.reserved - top).toBeLessThanOrEqual(512);
    }), { numRuns: build === 'debug' ? 40 : 100 });
  });

  it('end a segment at its limit, and still have room for searches', () => {
    const segment = new SegmentMemory(64, 'float32', build, 4 * 1024 * 1024);
    expect(segment.call.makeRoom(1_000_000)).toBe(0);
    expect(() => {
      for (;;) segment.allocate(100_000);
    }).toThrow(SegmentFullError);
    expect(segment.call.allocateScratch(1_000_000)).toBeGreaterThan(0);
    expect(() => segment.allocate(100_000)).toThrow(SegmentFullError);
  });

  it.each(['float32', 'int8', 'int4'] as const)('cross the border of blocks of %s', (type: StoredType) => {
    const segment = new SegmentMemory(700, type, build);
    const count = 2 * (1 << segment.layout.shift) + 5;
    expect(segment.call.makeRoom(count)).toBe(1);
    const input = place(segment, new Float32Array(700).map((_, i) => i % 5));
    for (let row = 0; row < count; row++) segment.call.addRow(input, row * 3, row % 7);
    for (const row of [0, (1 << segment.layout.shift) - 1, 1 << segment.layout.shift, count - 1]) {
      expect([segment.call.ordOf(row), segment.call.chunkOf(row), segment.call.isLive(row)]).toEqual([row * 3, row % 7,
        1]);
      expect(segment.call.inverseNormOf(row)).toBeCloseTo(1 / Math.sqrt(700 * 6), 3);
    }
    expect(segment.used).toBeLessThan(count * (segment.stride + 13) + 20_000);
  });
});

it('refuses vectors without dimensions, or with too many', () => {
  expect(() => new SegmentMemory(0, 'float32')).toThrow(RangeError);
  expect(() => new SegmentMemory(65_537, 'float32')).toThrow(RangeError);
});
