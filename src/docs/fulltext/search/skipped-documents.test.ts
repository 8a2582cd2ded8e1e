import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../../storage/index.ts';
import { DRIVERS, OVER_POSTGRES } from '../../documents/test-fixture.ts';
import { CheckpointFiles } from '../../view/index.ts';
import { documentAnalyzers } from '../view/analyzers.ts';
import { CHECKPOINT_MAGIC, createFullTextView, type FullTextView } from '../view/fulltext-view.ts';
import { invertedIndexes } from '../view/inverted-text-index.ts';
import { SearchFixture } from './test-fixture.ts';

const { SKIP_FTS } = CHANGE_FLAGS;

describe.each(DRIVERS)('documents written with `skipFts` over %s (contract section 4, "Import")', (driver) => {
  let fixture: SearchFixture;
  beforeEach(async () => {
    fixture = await SearchFixture.open(driver);
  });
  afterEach(() => fixture.close());

  const skip = async (...keys: string[]): Promise<void> => {
    await fixture.base.documents.writer.put('c',
      keys.map((key) => ({ key, lang: 'en', contentMd: `fox ${key}`, saveRevision: true })), { flags: SKIP_FTS });
    await fixture.search.view.caughtUp();
  };
  const reindex = (collection = 'c') => fixture.call('reindexFullText', { collection });
  const found = async (query = 'fox') => (await fixture.keys(query)).sort();

  it('are found after reindexing, alone in their collection', async () => {
    await skip('a', 'b');
    expect(await found()).toEqual([]);
    expect(await reindex('C')).toEqual({ reindexed: 2, collection: 'C' });
    expect(await found()).toEqual(['a', 'b']);
    expect(await reindex()).toEqual({ reindexed: 2, collection: 'c' });
    expect((await fixture.find('fox')).totalMatches).toBe(2);
  });

  it('are found after reindexing, beside others', async () => {
    await fixture.add('z', 'fox');
    await skip('a');
    expect(await found()).toEqual(['z']);
    expect(await reindex()).toEqual({ reindexed: 2, collection: 'c' });
    expect(await found()).toEqual(['a', 'z']);
  });

  it('are found once they are written without it, counted once, and left out again if they are written with it', async () => {
    await skip('a', 'b');
    await fixture.call('updateDocument', { collection: 'c', key: 'a', lang: 'en', meta: { tag: ['x'] } });
    expect(await found()).toEqual(['a']);
    expect(await reindex()).toEqual({ reindexed: 2, collection: 'c' });
    await fixture.add('b', 'fox again');
    expect((await fixture.find('fox')).totalMatches).toBe(2);
    await skip('b');
    expect(await found()).toEqual(['a']);
  });

  it('need a collection with documents: another has nothing to reindex', async () => {
    expect(await reindex('none')).toEqual({ reindexed: 0, collection: 'none' });
    await skip('a');
    await fixture.call('deleteDocument', { collection: 'c', key: 'a', lang: 'en' });
    expect(await reindex()).toEqual({ reindexed: 0, collection: 'c' });
  });

  if (driver === 'sql.js') return;

  describe('and other processes', () => {
    const views: FullTextView[] = [];
    afterEach(async () => {
      for (const view of views.splice(0)) await view.stop();
    });
    /** A view of another process, with checkpoints of its own. */
    const follow = async (): Promise<FullTextView> => {
      const { environment, sql } = fixture.base;
      const analyzerOf = documentAnalyzers({ stemming: true, defaultLang: 'en' });
      const view = createFullTextView(environment, {
        indexes: invertedIndexes(),
        analyzerOf,
        checkpoints: CheckpointFiles.beside(sql, 'other', CHECKPOINT_MAGIC),
      });
      views.push(view);
      await view.start();
      await view.settled();
      return view;
    };

    it('are reindexed by all that follow the feed', async () => {
      const view = await follow();
      await fixture.add('z', 'fox');
      await skip('a');
      await view.caughtUp();
      expect(view.indexOf('c')!.documents).toBe(1);
      await reindex();
      await view.caughtUp();
      await view.settled();
      expect(view.indexOf('c')!.documents).toBe(2);
    });

    it.skipIf(OVER_POSTGRES)('are reindexed by a process that starts from an earlier checkpoint, as after a crash',
      async () => {
        const view = await follow();
        await fixture.add('z', 'fox');
        await skip('a');
        await view.stop();
        await reindex();
        await view.start();
        await view.settled();
        expect(view.indexOf('c')!.documents).toBe(2);
      });
  });
});
