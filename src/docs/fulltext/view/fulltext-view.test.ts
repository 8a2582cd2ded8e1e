import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../../storage/index.ts';
import { DRIVERS, Fixture } from '../../documents/test-fixture.ts';
import { CheckpointFiles } from '../../view/index.ts';
import { documentAnalyzers, termAnalyzer } from './analyzers.ts';
import { CODE_CLASSES, PROSE_CLASSES } from './document-classes.ts';
import { CHECKPOINT_MAGIC, createFullTextView, type FullTextView } from './fulltext-view.ts';
import { invertedIndexes } from './inverted-text-index.ts';
import type { TextIndexes } from './text-index.ts';

const SETTINGS = { stemming: true, defaultLang: 'en' };
const analyzer = termAnalyzer('en', true);

/** Counts indexed documents, to distinguish a checkpoint from a rebuild. */
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
          return put(document);
        };
        return index;
      },
      async restore(bytes) {
        const index = await indexes.restore(bytes);
        const put = index.put.bind(index);
        index.put = (document) => {
          puts.push(document.fields[0]!.join());
          return put(document);
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
  });
  afterEach(async () => {
    for (const view of views.splice(0)) await view.stop();
    await fixture.close();
  });

  const folder = (): string => `${fixture.sql.info.path}.fts`;
  const open = (indexes: TextIndexes = invertedIndexes()): FullTextView => {
    const kept = driver === 'node:sqlite' ? { checkpoints: new CheckpointFiles(folder(), CHECKPOINT_MAGIC) } : {};
    const view = createFullTextView(fixture.environment, { indexes, analyzerOf: documentAnalyzers(SETTINGS), ...kept });
    views.push(view);
    return view;
  };
  const started = async (indexes?: TextIndexes): Promise<FullTextView> => {
    const view = open(indexes);
    await view.start();
    await view.settled();
    return view;
  };
  const add = (key: string, contentMd: string, collection = 'c') =>
    fixture.call('addDocument', { collection, key, lang: 'en', contentMd });
  const total = (view: FullTextView, form: string, collection = 'c'): number | undefined =>
    view.indexOf(collection)?.search({
      readings: [{ classes: PROSE_CLASSES | CODE_CLASSES, root: { kind: 'term', form, start: 0, end: 0 }, analyzer }],
      algorithm: 'tfidf',
      limit: 0,
    }).total;

  it('is ready at once on an empty database, and follows what is written', async () => {
    const view = open();
    await view.start();
    expect(view.indexOf('c')).toBeUndefined();
    await add('a', 'fox');
    await view.caughtUp();
    expect(total(view, 'fox')).toBe(1);
    expect(total(view, 'fox', 'C')).toBe(1);
  });

  it('takes changes that come while an index is made for newer than what is read', async () => {
    for (let i = 0; i < 100; i++) await add(`k${i}`, 'old');
    const view = await started();
    const reindexing = view.reindex(['c'], new AbortController().signal);
    await add('k99', 'new');
    await fixture.call('deleteDocument', { collection: 'c', key: 'k98', lang: 'en' });
    await view.caughtUp();
    expect(await reindexing).toBeGreaterThanOrEqual(99);
    await view.caughtUp();
    expect([total(view, 'old'), total(view, 'new')]).toEqual([98, 1]);
  });

  it('removes documents that are excluded from full-text search, and adds them again', async () => {
    const view = await started();
    await add('a', 'fox');
    const [put] = await fixture.changes();
    await fixture.sql.transaction((tx) =>
      fixture.feed.append(tx, [{ kind: 'doc.put', collection: 'c', ord: put!.ord!, flags: CHANGE_FLAGS.SKIP_FTS }])
        .then(() => undefined)
    );
    await view.caughtUp();
    expect(total(view, 'fox')).toBe(0);
    await add('a', 'fox');
    await view.caughtUp();
    expect(total(view, 'fox')).toBe(1);
  });

  it('says what to do when the index of a collection has no room for a document, and goes on with the others', async () => {
    const view = await started(invertedIndexes({ maxBytes: 4 << 20 }));
    await add('a', 'fox');
    await add('b', 'x '.repeat(1 << 19));
    await add('a', 'fox', 'other');
    await view.caughtUp();
    expect(() => view.indexOf('c')).toThrow(/has reached 4 MiB.*raise partitions in its configuration/);
    expect(total(view, 'fox', 'other')).toBe(1);
  });

  it.each([['prose', { key: 'a' }, 12_000_000], ['source code', { key: 'a.js' }, 1_000_000]])(
    'lets others have the event loop while it indexes very long %s, and finds the former version meanwhile',
    async (_, { key }, length) => {
      const view = await started();
      await add(key, 'former');
      await view.caughtUp();
      const words = Array.from({ length: length / 8 }, (_, i) => `word${i % 5000}`).join(' ');
      // The view starts as soon as the document is written, before the write is acknowledged.
      let isWritten = false;
      const leave = fixture.environment.feed.join({
        isEarly: true,
        wake: () => (isWritten = true),
        position: () => undefined,
      });
      const caughtUp = add(key, `${words} latter`).then(() => view.caughtUp()).then(() => true);
      const found = new Set<string>();
      let turns = 0;
      while (!(await Promise.race([caughtUp, new Promise((resolve) => setImmediate(resolve))]))) {
        if (isWritten) turns += 1;
        found.add([total(view, 'former'), total(view, 'latter')].join());
      }
      leave();
      expect([total(view, 'former'), total(view, 'latter')]).toEqual([0, 1]);
      expect(turns).toBeGreaterThan(5);
      expect([...found].filter((each) => each !== '1,0' && each !== '0,1')).toEqual([]);
    },
  );

  it('builds an index of what has not expired', async () => {
    await fixture.call('addDocument', { collection: 'c', key: 'a', lang: 'en', contentMd: 'fox', ttl: 10 });
    await add('b', 'fox');
    fixture.advance(11);
    expect(total(await started(), 'fox')).toBe(1);
  });

  if (driver === 'sql.js') return;

  describe('with checkpoints', () => {
    beforeEach(async () => {
      await add('a', 'fox');
      await add('b', 'fox cat');
      await add('x', 'dog', 'Träume/1');
      await (await started()).stop();
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

    it.each([['damaged', (bytes: Buffer) => {
      bytes[bytes.length >> 1]! ^= 1;
      return bytes;
    }], ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)], ['empty', () => Buffer.alloc(0)], [
      'of an index of another version',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('QUIREFTS', 'QUIREOLD'), 'latin1'),
    ]])('rebuilds what is %s', async (_, change) => {
      const path = join(folder(), 'c.idx');
      await writeFile(path, change(await readFile(path)));
      const { indexes, puts } = counted(invertedIndexes());
      const view = await started(indexes);
      expect([total(view, 'fox'), total(view, 'cat'), total(view, 'dog', 'träume/1')]).toEqual([2, 1, 1]);
      expect(puts.sort()).toEqual(['fox', 'fox cat']);
    });
  });
});
