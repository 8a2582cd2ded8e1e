import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DOCUMENT_MIGRATIONS, migrate } from '../../../storage/index.ts';
import { DRIVERS, Fixture } from '../../documents/test-fixture.ts';
import { documentAnalyzers, termAnalyzer } from './analyzers.ts';
import { CheckpointFiles } from './checkpoints.ts';
import { FullTextView } from './fulltext-view.ts';
import { invertedIndexes } from './inverted-text-index.ts';
import type { TextIndexes } from './text-index.ts';

const SETTINGS = { stemming: true, defaultLang: 'en' };
const analyzer = termAnalyzer('en', true);

/** Counts what is indexed, to tell a checkpoint from a rebuild. */
function counted(indexes = invertedIndexes({ build: 'debug' })): { indexes: TextIndexes; puts: string[] } {
  const puts: string[] = [];
  return {
    puts,
    indexes: {
      create() {
        const index = indexes.create();
        const put = index.put.bind(index);
        index.put = (document) => {
          puts.push(document.fields[0]!.join());
          put(document);
        };
        return index;
      },
      async restore(bytes) {
        const index = await indexes.restore(bytes);
        const put = index.put.bind(index);
        index.put = (document) => {
          puts.push(document.fields[0]!.join());
          put(document);
        };
        return index;
      },
    },
  };
}

describe.each(DRIVERS)('the full-text view over %s (design, sections 1 and 5)', (driver) => {
  let fixture: Fixture;
  const views: FullTextView[] = [];
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    await migrate(fixture.sql, DOCUMENT_MIGRATIONS);
  });
  afterEach(async () => {
    for (const view of views.splice(0)) await view.stop();
    await fixture.close();
  });

  const folder = (): string => `${fixture.sql.info.path}.fts`;
  const open = (indexes: TextIndexes = invertedIndexes(), mayKeep?: (collection: string) => boolean): FullTextView => {
    const kept = driver === 'node:sqlite' ? { checkpoints: new CheckpointFiles(folder()) } : {};
    const view = new FullTextView(fixture.environment, { indexes, analyzerOf: documentAnalyzers(SETTINGS), ...kept, ...(mayKeep && { mayKeep }) });
    views.push(view);
    return view;
  };
  const started = async (indexes?: TextIndexes, mayKeep?: (collection: string) => boolean): Promise<FullTextView> => {
    const view = open(indexes, mayKeep);
    await view.start();
    await view.settled();
    return view;
  };
  const add = (key: string, contentMd: string, collection = 'c') => fixture.call('addDocument', { collection, key, lang: 'en', contentMd });
  const total = (view: FullTextView, form: string, collection = 'c'): number | undefined =>
    view.indexOf(collection)?.search({ root: { kind: 'term', form, start: 0, end: 0 }, analyzer, algorithm: 'tfidf', limit: 0 }).total;

  it('is ready at once on an empty database, and follows what is written', async () => {
    const view = open();
    await view.start();
    expect(view.indexOf('c')).toBeUndefined();
    await add('a', 'fox');
    await view.caughtUp();
    expect(total(view, 'fox')).toBe(1);
    expect(total(view, 'fox', 'C')).toBe(1);
  });

  it('refuses searches until the indexes are loaded, and lets writes pass meanwhile', async () => {
    const view = open();
    expect(() => view.indexOf('c')).toThrow(expect.objectContaining({ code: 'index_loading' }) as Error);
    await expect(view.reindex('c')).rejects.toMatchObject({ code: 'index_loading' });
    await view.caughtUp();
    await add('a', 'fox');
    await view.start();
    expect(() => view.indexOf('c')).toThrow(expect.objectContaining({ code: 'index_loading' }) as Error);
    await view.caughtUp();
    await view.settled();
    expect(total(view, 'fox')).toBe(1);
  });

  it('takes changes that come while an index is made for newer than what is read', async () => {
    for (let i = 0; i < 100; i++) await add(`k${i}`, 'old');
    const view = await started();
    const reindexing = view.reindex('c');
    await add('k99', 'new');
    await fixture.call('deleteDocument', { collection: 'c', key: 'k98', lang: 'en' });
    await view.caughtUp();
    expect(await reindexing).toBeGreaterThanOrEqual(99);
    await view.caughtUp();
    expect([total(view, 'old'), total(view, 'new')]).toEqual([98, 1]);
  });

  it('gives a build up when its collection is deleted', async () => {
    for (let i = 0; i < 100; i++) await add(`k${i}`, 'fox');
    const view = await started();
    const reindexing = view.reindex('c').catch(() => undefined);
    await fixture.call('deleteCollection', { collection: 'c' });
    await reindexing;
    await view.caughtUp();
    expect(view.indexOf('c')).toBeUndefined();
    await add('k1', 'fox');
    await view.caughtUp();
    expect(total(view, 'fox')).toBe(1);
  });

  it('may be started and stopped in any order and repeatedly', async () => {
    const view = open();
    await view.stop();
    await view.start();
    await view.start();
    await view.stop();
    await view.stop();
    await view.caughtUp();
    await add('a', 'fox');
    await view.start();
    await view.settled();
    expect(total(view, 'fox')).toBe(1);
  });

  it('begins anew when the database was replaced', async () => {
    await add('a', 'fox');
    const view = await started();
    await fixture.sql.transaction((tx) => fixture.feed.restart(tx, 1000).then(() => undefined));
    await view.restart();
    await view.settled();
    expect(total(view, 'fox')).toBe(1);
    // Without being told, it notices by the gap in the feed.
    await fixture.sql.transaction((tx) => fixture.feed.restart(tx, 5000).then(() => undefined));
    await add('b', 'fox');
    await view.caughtUp();
    await view.settled();
    expect(total(view, 'fox')).toBe(2);
  });

  it('puts an index that fails out of service, goes on with the others, and mends by reindexing', async () => {
    const indexes = invertedIndexes();
    let failing = true;
    const view = await started({
      ...indexes,
      create() {
        const index = indexes.create();
        const put = index.put.bind(index);
        index.put = (document) => {
          if (failing && document.fields[0]![0] === 'poison') throw new Error('no room');
          put(document);
        };
        return index;
      },
    });
    await add('a', 'poison');
    await add('b', 'fox', 'other');
    await view.caughtUp();
    expect(() => view.indexOf('c')).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error);
    expect(total(view, 'fox', 'other')).toBe(1);
    failing = false;
    expect(await view.reindex('c')).toBe(1);
    expect(total(view, 'poison')).toBe(1);
  });

  if (driver === 'sql.js') return;

  describe('with checkpoints', () => {
    beforeEach(async () => {
      await add('a', 'fox');
      await add('b', 'fox cat');
      await add('x', 'dog', 'Träume/1');
      await (await started()).stop();
    });

    it('removes what a crash left half written', async () => {
      await writeFile(join(folder(), 'c.idx.12345678.tmp'), 'half');
      await started();
      expect((await readdir(folder())).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });

    it('loads them and catches up', async () => {
      expect(await readdir(folder())).toHaveLength(2);
      await add('b', 'cat');
      await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
      await add('d', 'fox');
      const { indexes, puts } = counted(invertedIndexes());
      const view = await started(indexes);
      expect([total(view, 'fox'), total(view, 'cat'), total(view, 'dog', 'träume/1')]).toEqual([1, 1, 1]);
      expect(puts.sort()).toEqual(['cat', 'fox']);
    });

    it.each([
      ['damaged', (bytes: Buffer) => { bytes[bytes.length >> 1]! ^= 1; return bytes; }],
      ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
      ['empty', () => Buffer.alloc(0)],
      ['something else', () => Buffer.from('QFTIDX01 and so on, which is no checkpoint at all')],
      ['of another feed', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"at":\d/, '"at":9'), 'latin1')],
      ['ahead of the feed', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"lsn":\d/, '"lsn":9'), 'latin1')],
      ['of another collection', (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"collection":"c"', '"collection":"d"'), 'latin1')],
    ])('builds anew what is %s', async (_, change) => {
      const path = join(folder(), 'c.idx');
      await writeFile(path, change(await readFile(path)));
      const { indexes, puts } = counted(invertedIndexes());
      const view = await started(indexes);
      expect([total(view, 'fox'), total(view, 'cat'), total(view, 'dog', 'träume/1')]).toEqual([2, 1, 1]);
      expect(puts.sort()).toEqual(['fox', 'fox cat']);
    });

    it('leaves one of a collection that is gone or must not have one', async () => {
      const view = await started(undefined, (collection) => collection !== 'c');
      await fixture.call('deleteCollection', { collection: 'träume/1' });
      await add('d', 'fox');
      await view.caughtUp();
      await view.stop();
      expect(await readdir(folder())).toEqual([]);
    });
  });
});
