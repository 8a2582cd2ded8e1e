import { describe, expect, it } from 'vitest';
import { type Hit, InvertedIndex, type Query, type ScoringAlgorithm, type SearchOptions } from './index.ts';

// A search with a filter finds the matches of the same search without it that pass the filter; filters are kept between
// searches.

const ALGORITHMS: readonly ScoringAlgorithm[] = [{ kind: 'bm25' }, { kind: 'tfidf' }, {
  kind: 'bm25f',
  weights: new Map([[0, 1], [1, 3]]),
}];

/** mulberry32 */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const WORDS = Array.from({ length: 24 }, (_, i) => `word${String.fromCharCode(97 + i)}`);

function bitmapOf(ords: Iterable<number>, end: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(end / 32));
  for (const ord of ords) words[ord >>> 5]! |= 1 << (ord & 31);
  return words;
}

function passes(filter: Uint32Array, ord: number): boolean {
  return (((filter[ord >>> 5] ?? 0) >>> (ord & 31)) & 1) === 1;
}

function ordsOf(words: Uint32Array): number[] {
  return Array.from({ length: words.length * 32 }, (_, ord) => ord).filter((ord) => passes(words, ord));
}

class Subject {
  readonly index: InvertedIndex;
  readonly random: (below: number) => number;

  constructor(options: ConstructorParameters<typeof InvertedIndex>[0], seed: number) {
    this.index = new InvertedIndex(options);
    this.random = generator(seed);
  }

  add(ord: number): void {
    const text = (words: number) =>
      Array.from({ length: words }, () => WORDS[Math.min(this.random(WORDS.length), this.random(WORDS.length))]!).join(
        ' ',
      );
    this.index.add(ord, [{ field: 0, text: text(1 + this.random(8)) },
      ...(ord % 5 === 0 ? [{ field: 1, text: text(2) }] : [])], undefined, ord % 3);
  }

  query(): Query {
    const term = (): Query => ({
      kind: 'term',
      forms: [{ id: this.index.form(WORDS[this.random(WORDS.length)]!)! }],
      ...(this.random(3) === 0 && { classes: 0b011 }),
    });
    const some = [term(), term(), term()].slice(this.random(3));
    return [{ kind: 'or', of: some }, { kind: 'and', of: some }, some[0]!, {
      kind: 'or',
      of: [...some, { kind: 'and', of: [term(), term()] }],
    }][this.random(4)]! as Query;
  }

  check(filter: Uint32Array, options: Omit<SearchOptions, 'algorithm' | 'limit'> = {}): void {
    const query = this.query();
    const algorithm = ALGORITHMS[this.random(3)]!;
    const all = this.index.search(query, { algorithm, limit: 10_000 });
    const expected = all.hits.filter(({ ord }) => passes(filter, ord)).map(({ ord, score }): Hit => ({
      ord,
      score: Math.fround(score * (options.multipliers?.[ord] ?? 1)),
    })).sort((a, b) => b.score - a.score || a.ord - b.ord);
    const found = this.index.search(query, { algorithm, limit: 7, filter, collect: true, ...options });
    expect(found.hits).toEqual(expected.slice(0, 7));
    expect(found.total).toBe(expected.length);
    expect(ordsOf(found.matches!)).toEqual(expected.map(({ ord }) => ord).sort((a, b) => a - b));
    expect(this.index.search(query, { algorithm, limit: 7, filter, ...options })).toEqual({
      hits: found.hits,
      total: found.total,
    });
    const spare = found.matches!.slice().fill(0xffff_ffff);
    expect(this.index.search(query, { algorithm, limit: 7, filter, collect: true, spare, ...options })).toEqual(found);
    expect(spare).toEqual(found.matches);
    expect(this.index.search(query, {
      algorithm,
      limit: 7,
      filter,
      collect: true,
      spare: new Uint32Array(spare.length + 1),
      ...options,
    })).toEqual(found);
    expect(ordsOf(this.index.search(query, { algorithm, limit: 3, collect: true }).matches!)).toEqual(
      all.hits.map(({ ord }) => ord).sort((a, b) => a - b),
    );
  }
}

describe.each(
  [['release', {}], ['debug', {}], ['release', { cacheBytes: 0 }], ['debug', { filterBytes: 0 }], ['release', {
    filterBytes: 10_000,
  }]] as const,
)('a search with a filter, %s build, %j', (build, options) => {
  it('finds what passes, whatever part of the documents that is, and whatever their ordinals are', () => {
    const subject = new Subject({ build, ...options }, build === 'debug' ? 3 : 4);
    const { random } = subject;
    // Ascending runs of ordinals, descending runs, and gaps.
    for (let ord = 0; ord < 900; ord++) subject.add(ord);
    for (let ord = 1400; ord >= 1100; ord--) subject.add(ord);
    for (let ord = 1501; ord < 2100; ord++) subject.add(ord);
    const filters = () =>
      [1, 2, 20, 1000].map((one) =>
        bitmapOf(Array.from({ length: 2100 }, (_, ord) => ord).filter(() => random(one) === 0), 2100)
      );
    let kept = filters();
    for (let turn = 0; turn < 40; turn++) {
      for (const filter of kept)
        subject.check(filter, turn % 4 === 3
          ? { multipliers: Float32Array.from({ length: 1500 }, () => 1 + random(3)) }
          : {});
      if (turn % 8 === 2) { for (let i = 0; i < 5; i++) subject.add(random(2300)); }
      if (turn % 8 === 4) subject.index.remove(random(900));
      if (turn === 20) { for (let ord = 0; ord < 300; ord++) subject.index.remove(ord); }
      if (turn === 22) subject.index.compact(0, true, () => 0);
      if (turn === 24) { while (subject.index.compact(1000)); }
      if (turn % 8 === 6) kept = filters();
    }
    subject.check(new Uint32Array(0));
    subject.check(bitmapOf([5], 32));
    subject.check(new Uint32Array(200).fill(0xffff_ffff));
  });

  it('keeps many filters at once, also when documents need more memory', () => {
    const subject = new Subject({ build, ...options }, 6);
    for (let ord = 0; ord < 200; ord++) subject.add(ord);
    const filters = Array.from({ length: 40 },
      () => bitmapOf(Array.from({ length: 200 }, (_, ord) => ord).filter(() => subject.random(2) === 0), 200));
    const checkAll = () => filters.forEach((filter) => subject.check(filter));
    checkAll();
    checkAll();
    // Levels, and so filters, grow after 16,384 documents.
    for (let ord = 1000; ord < 17_500; ord++) subject.index.add(ord, [{ field: 0, text: 'other' }]);
    checkAll();
    checkAll();
  });

  it('translates matches whose ordinals begin at any bit of a word', () => {
    const any: Query = { kind: 'all' };
    for (let first = 0; first < 66; first++) {
      const subject = new Subject({ build, ...options }, 5);
      for (let ord = first; ord < first + 64 * 3 + first; ord++) subject.add(ord);
      const odd = bitmapOf(Array.from({ length: 400 }, (_, ord) => ord).filter((ord) => ord % 3 !== 0), 400);
      const { matches, total } = subject.index.search(any, { algorithm: ALGORITHMS[0]!, limit: 0, collect: true });
      expect(ordsOf(matches!)).toEqual(Array.from({ length: total }, (_, i) => first + i));
      const { matches: passing } = subject.index.search(any, {
        algorithm: ALGORITHMS[0]!,
        limit: 0,
        collect: true,
        filter: odd,
      });
      expect(ordsOf(passing!)).toEqual(ordsOf(matches!).filter((ord) => passes(odd, ord)));
    }
  });
});
