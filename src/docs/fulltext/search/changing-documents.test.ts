import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemTimer } from '../../../lib/clock.ts';
import type { Columns } from '../../../search/columns/index.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { columnsFactory } from '../../columns/columns-view.ts';
import type { ColumnsFactory } from '../../columns/index.ts';
import { DRIVERS } from '../../documents/test-fixture.ts';
import { invertedIndexes } from '../view/inverted-text-index.ts';
import type { TextIndex, TextIndexes } from '../view/text-index.ts';
import { SearchFixture } from './test-fixture.ts';

/** Indexes in which changes wait while they are held: committed, but not findable yet. */
class HeldIndexes implements TextIndexes {
  readonly #indexes = invertedIndexes();
  held = false;
  #reached = Promise.withResolvers<void>();

  create(): TextIndex {
    const index = this.#indexes.create();
    const put = index.put.bind(index);
    index.put = (document) => {
      let more: (() => boolean) | undefined;
      let begun = false;
      const step = (): boolean => {
        if (this.held) {
          this.#reached.resolve();
          return true;
        }
        if (!begun) more = put(document);
        begun = true;
        return more?.() ?? false;
      };
      return step() ? step : undefined;
    };
    return index;
  }

  restore(bytes: AsyncIterable<Uint8Array>): Promise<TextIndex> {
    return this.#indexes.restore(bytes);
  }

  /** Resolves when a change waits. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }
}

/** The same for columns. */
class HeldColumns implements ColumnsFactory {
  held = false;
  readonly #columns: ColumnsFactory;
  readonly #reached = Promise.withResolvers<void>();

  constructor(columns: ColumnsFactory) {
    this.#columns = columns;
  }

  create(): Columns {
    const columns = this.#columns.create();
    const settle = columns.settle.bind(columns);
    columns.settle = () => {
      if (this.held) this.#reached.resolve();
      return this.held || settle();
    };
    return columns;
  }

  restore(bytes: AsyncIterable<Uint8Array>): Promise<Columns> {
    return this.#columns.restore(bytes);
  }

  get reached(): Promise<void> {
    return this.#reached.promise;
  }
}

const CASES = DRIVERS.flatMap((driver) => [[driver, 'words'], [driver, 'columns']] as const);

describe.each(CASES)('a search over %s while a document changes whose %s lag', (driver, lagging) => {
  let fixture: SearchFixture;
  let indexes: HeldIndexes | HeldColumns;
  beforeEach(async () => {
    const held = lagging === 'words' ? { words: new HeldIndexes() } : { columns: new HeldColumns(columnsFactory) };
    indexes = held.words ?? held.columns;
    fixture = await SearchFixture.open(driver, {}, {}, held.words, held.columns);
    await fixture.add('a', 'old fox', { kind: ['wild'] });
    await fixture.add('b', 'fox', { kind: ['tame'] });
  });
  afterEach(async () => {
    indexes.held = false;
    await fixture.close();
  });

  /** Searches after a change of `a` was committed, which reaches the index only then. */
  async function during(change: object, query: string, more: object = {}) {
    indexes.held = true;
    const update = fixture.call('updateDocument', { collection: 'c', key: 'a', lang: 'en', ...change });
    await indexes.reached;
    // A search waits a quarter of a second for the index. A busy machine may need longer, so that this one waits until
    // the index has the change.
    const sleep = vi.spyOn(systemTimer, 'sleep').mockImplementation((_, signal) => new ManualTimer().sleep(0, signal));
    try {
      const search = fixture.find(query, { highlight: true, ...more });
      for (let i = 0; i < 20; i++) await new Promise(setImmediate);
      indexes.held = false;
      await update;
      return await search;
    } finally {
      sleep.mockRestore();
    }
  }
  const shown = (
    { results, totalMatches }: Awaited<ReturnType<SearchFixture['find']>>,
  ) => [totalMatches,
    ...results.map(({ document: { key, contentMd }, matchedTerms, highlights }) =>
      `${key}: ${contentMd} | ${matchedTerms.join()} | ${highlights!.map(({ fragment }) => fragment).join()}`
    )];

  it('does not find what the new version has no more', async () => {
    expect(shown(await during({ contentMd: 'cat' }, 'old'))).toEqual([0]);
  });

  it('finds one version of what both have, its terms and passages included', async () => {
    expect(shown(await during({ contentMd: 'new fox cat' }, 'fox new old', { filterMeta: { kind: ['wild'] } })))
      .toEqual([1, 'a: new fox cat | fox,new | <mark>new</mark> <mark>fox</mark> cat']);
  });

  it('does not mix the filter of one version with the words of another', async () => {
    expect(
      shown(await during({ contentMd: 'cat', meta: { kind: ['tame'] } }, 'fox', { filterMeta: { kind: ['tame'] } })),
    ).toEqual([1, 'b: fox | fox | <mark>fox</mark>']);
  });

  it('counts facets of what it finds', async () => {
    const { totalMatches, facets } = await during({ contentMd: 'cat' }, 'fox', { facetBy: ['kind'] });
    expect([totalMatches, facets]).toEqual([1, { kind: [{ value: 'tame', count: 1 }] }]);
  });

  it('does not find by the words of one version what the filter knows by another', async () => {
    const change = { contentMd: 'cat', meta: { kind: ['tame'] } };
    for (const more of [{}, { sort: 'kind:asc, score' }])
      expect(shown(await during(change, 'cat', { filterMeta: { kind: ['wild'] }, ...more }))).toEqual([0]);
  });

  it.runIf(lagging === 'words')('searches although the index does not catch up', async () => {
    indexes.held = true;
    const update = fixture.call('updateDocument', { collection: 'c', key: 'a', lang: 'en', contentMd: 'cat' });
    await indexes.reached;
    expect((await fixture.find('fox')).totalMatches).toBe(2);
    indexes.held = false;
    await update;
    expect((await fixture.find('fox')).totalMatches).toBe(1);
  });
});
