import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from '../lib/ord-set.ts';
import { Buffers, Column, ColumnsKernel } from './columns.ts';

const VALUES = ['first', 'second', 'third'];
const KEY = Column.keys;
const FORMS = { array: 0, bitmap: 1, runs: 2 };

/** Consecutive or evenly spaced ordinals, which cover up to two and a half containers. */
const ordinals = fc.record({
  from: fc.integer({ min: 0, max: 160_000 }),
  count: fc.oneof(fc.nat(20), fc.nat(6000)),
  apart: fc.constantFrom(1, 1, 2, 3, 7),
}).map(({ from, count, apart }) =>
  Array.from({ length: count }, (_, i) => from + i * apart).filter((ord) => ord < 160_000)
);
const step = fc.record({ ords: ordinals, value: fc.constantFrom(...VALUES, undefined) });

/** A run that is split into a bitmap, and the bitmap into an array. */
const OF_EVERY_FORM = [1, 2, 3].map((apart) => ({
  ords: Array.from({ length: 5000 }, (_, i) => i * apart),
  value: apart === 1 ? 'first' : undefined,
}));

/** A document with at most one value. */
function put(kernel: ColumnsKernel, ord: number, value: string | undefined): void {
  const at = kernel.reserve(Buffers.input, 256);
  const { view, bytes } = kernel;
  const entries = [[Column.identity, `k${ord}|en`], [Column.lang, 'en'],
    ...(value === undefined ? [] : [[KEY, value]])] as [number, string][];
  view.setUint32(at, ord, true);
  view.setUint32(at + 4, entries.length, true);
  for (const place of [8, 16, 24]) view.setFloat64(at + place, Number.NaN, true);
  let end = at + 32;
  for (const [column, text] of entries) {
    view.setUint32(end, column, true);
    view.setUint32(end + 4, text.length, true);
    view.setUint32(end + 8, text.length, true);
    bytes.write(text, end + 12);
    end += 12 + ((text.length + 3) & ~3);
  }
  kernel.call.putDocument();
}

/** The documents of values as sets, with which the kernel's bitmaps are compared. */
class Twin {
  readonly documents = new Map<number, string | undefined>();

  with(value: string): OrdSet {
    return OrdSet.of([...this.documents].filter(([, own]) => own === value).map(([ord]) => ord));
  }
}

function valueOf(kernel: ColumnsKernel, text: string): number {
  return kernel.call.valueWith(KEY, kernel.inputText(text));
}

function levelOf(kernel: ColumnsKernel, text: string, level: number): void {
  kernel.call.clearLevel(level);
  const value = valueOf(kernel, text);
  if (value !== 0) kernel.call.uniteValue(level, KEY, value);
}

function ordsIn(kernel: ColumnsKernel, level: number): number[] {
  return [...OrdSet.fromWords(kernel.exportSet(level))];
}

describe.each(['release', 'debug'] as const)('bitmaps of values, %s build', (build) => {
  const opened = (): ColumnsKernel => {
    const kernel = new ColumnsKernel(build);
    expect(kernel.call.openColumn()).toBe(KEY);
    return kernel;
  };

  it('are the sets that their twin has, and so is what is made of them', () => {
    const seen = new Set<number>();
    fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 8, size: 'max' }), ordinals, (steps, others) => {
      const kernel = opened();
      const twin = new Twin();
      for (const { ords, value } of steps) {
        for (const ord of ords) {
          put(kernel, ord, value);
          twin.documents.set(ord, value);
        }
        for (const form of Object.values(FORMS))
          if (valueOf(kernel, 'first') !== 0 && kernel.call.formsOf(KEY, valueOf(kernel, 'first'), form) > 0)
            seen.add(form);
      }
      const [one, two] = [twin.with('first'), twin.with('second')];
      const pairs: [name: 'uniteLevels' | 'intersectLevels' | 'subtractLevels', expected: (ord: number) => boolean][] =
        [['uniteLevels', (ord) => one.has(ord) || two.has(ord)], ['intersectLevels', () => false], ['subtractLevels',
          (ord) => one.has(ord)]];
      const all = [...twin.documents.keys()].sort((a, b) => a - b);
      for (const [name, expected] of pairs) {
        levelOf(kernel, 'first', 0);
        levelOf(kernel, 'second', 1);
        kernel.call[name](0, 1);
        expect(ordsIn(kernel, 0)).toEqual(all.filter(expected));
      }
      kernel.importSet(OrdSet.of(others).words, 2);
      expect(ordsIn(kernel, 2)).toEqual(all.filter((ord) => others.includes(ord)));
      levelOf(kernel, 'first', 3);
      kernel.call.intersectLevels(3, 2);
      expect(kernel.call.countLevel(3)).toBe(others.filter((ord) => one.has(ord)).length);
      kernel.call.invertLevel(3);
      expect(kernel.call.countLevel(3)).toBe(all.length - others.filter((ord) => one.has(ord)).length);
    }), { numRuns: build === 'debug' ? 12 : 30, examples: [[OF_EVERY_FORM, [1, 2, 3]]] });
    expect(seen).toEqual(new Set(Object.values(FORMS)));
  });

  it('have as many documents in common with a set as are in both, however many these are', () => {
    // The second container ends in the middle of a vector.
    const ords = Array.from({ length: 65_536 + 3000 }, (_, ord) => ord);
    const kernel = opened();
    for (const ord of ords) put(kernel, ord, VALUES[ord % 8 === 5 ? 0 : 1]);
    const random = fc.sample(fc.nat(999), { numRuns: ords.length, seed: 17 });
    const check = (): void => {
      for (const share of [1, 300, 990, 1000]) {
        const set = OrdSet.of(ords.filter((ord) => random[ord]! < share));
        kernel.importSet(set.words, 0);
        kernel.call.countValues(KEY, 0, set.size);
        const counts = new Uint32Array(kernel.memory.buffer, kernel.address(Buffers.counts));
        const expected = [0, 1].map((value) => [...set].filter((ord) => (ord % 8 === 5 ? 0 : 1) === value).length);
        expect([0, 1].map((value) => counts[valueOf(kernel, VALUES[value]!)])).toEqual(expected);
      }
    };
    check();
    // Values without documents, and documents without a value, of which there are none so far.
    put(kernel, 3, 'third');
    put(kernel, 3, 'second');
    check();
    put(kernel, ords.length, undefined);
    check();
    expect(kernel.call.formsOf(KEY, valueOf(kernel, 'second'), FORMS.bitmap)).toBeGreaterThan(0);
  });

  it('return all of their bytes', () => {
    const kernel = opened();
    for (let ord = 0; ord < 20_000; ord++) put(kernel, ord, VALUES[ord % 7 === 0 ? 0 : ord < 9000 ? 1 : 2]);
    for (let ord = 0; ord < 20_000; ord += 3) put(kernel, ord, undefined);
    for (let ord = 19_999; ord >= 0; ord--) kernel.call.removeDocument(ord);
    expect(kernel.parts().bitmaps).toBe(0);
    expect(kernel.counts()).toEqual({ documents: 0, pairs: 0 });
  });

  it('take little room: runs for what follows each other, and slots of the collection alone', () => {
    const kernel = opened();
    expect(kernel.memory.buffer.byteLength).toBe(65_536);
    for (let ord = 0; ord < 30_000; ord++) put(kernel, 200_000_000 + ord, 'first');
    const value = valueOf(kernel, 'first');
    expect(Object.values(FORMS).map((form) => kernel.call.formsOf(KEY, value, form))).toEqual([0, 0, 1]);
    expect(kernel.parts().bitmaps).toBeLessThan(8192);
    expect(kernel.parts().columns / 30_000).toBeLessThan(40);
  });
});
