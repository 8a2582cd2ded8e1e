import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OVER_POSTGRES } from '../documents/test-fixture.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import { languages, MAGIC, Views } from './test-fixture.ts';

describe('the checkpoints of a view', () => {
  const views = new Views('node:sqlite');
  const { started, add, remove } = views;
  const folder = (): string => `${views.fixture.sql.info.ownFiles ?? views.fixture.sql.info.path}.test`;
  beforeEach(async () => {
    await add('de', 'a');
    await add('en', 'b');
    await add('fr', 'x', 'Träume/1');
    await (await started()).view.stop();
  });

  it('loads them, catches up, and reads nothing else', async () => {
    expect(await readdir(folder())).toHaveLength(2);
    await add('it', 'd');
    await remove('de', 'a');
    const { view, kind } = await started();
    expect([languages(view), languages(view, 'träume/1')]).toEqual([['en', 'it'], ['fr']]);
    expect(kind.puts).toEqual(['it']);
  });

  it.each([['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)], ['empty', () => Buffer.alloc(0)], [
    'something else',
    () => Buffer.from(`${MAGIC} and so on, which is no checkpoint at all`),
  ], ['of another kind of view',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(MAGIC, 'QFTIDX01'), 'latin1')], ['of another feed',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"at":\d/, '"at":9'), 'latin1')], [
    'ahead of the feed',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/"lsn":\d/, '"lsn":9'), 'latin1'),
  ], ['of another collection',
    (bytes: Buffer) =>
      Buffer.from(bytes.toString('latin1').replace('"collection":"c"', '"collection":"d"'), 'latin1')]])(
      'rebuilds what is %s',
      async (_, change) => {
        const path = join(folder(), 'c.idx');
        await writeFile(path, change(await readFile(path)));
        const { view, kind } = await started();
        expect([languages(view), languages(view, 'träume/1')]).toEqual([['de', 'en'], ['fr']]);
        expect(kind.puts.sort()).toEqual(['de', 'en']);
      },
    );

  it('writes one while it runs, when much has changed', async () => {
    const { view, kind } = await started();
    const items = Array.from({ length: 5000 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: 'x' }));
    for (let i = 0; i < items.length; i += 1000)
      await views.fixture.call('addDocuments', { collection: 'c', documents: items.slice(i, i + 1000) });
    await view.caughtUp();
    await view.settled();
    expect(kind.puts).toHaveLength(5000);
    const other = await started();
    expect(other.kind.puts.length).toBeLessThan(1000);
    expect(languages(other.view)).toHaveLength(5002);
  });

  it('needs nothing of the feed that was pruned, whether a collection changed or not', async () => {
    const { view } = await started();
    await add('it', 'd');
    await view.caughtUp();
    expect(await views.fixture.feed.prune({ entries: 0 })).toBeGreaterThan(0);
    await add('es', 'e');
    const other = await started();
    expect([languages(other.view), languages(other.view, 'träume/1')]).toEqual([['de', 'en', 'es', 'it'], ['fr']]);
    expect(other.kind.puts).toEqual(['es']);
  });

  it('does not read again what was written before it stopped, however old a checkpoint is', async () => {
    const { view } = await started();
    await add('it', 'd');
    await view.caughtUp();
    await view.stop();
    const read = vi.spyOn(views.fixture.feed, 'read');
    expect(languages((await started()).view, 'träume/1')).toEqual(['fr']);
    expect(read.mock.calls.map(([after]) => after)).toEqual([await views.fixture.feed.head()]);
  });

  it('takes no confirmation that was made for another checkpoint', async () => {
    const { view } = await started();
    await add('it', 'd');
    await view.caughtUp();
    await view.stop();
    const path = join(folder(), 'confirmed.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/"written":\{"lsn":\d/, '"written":{"lsn":1'));
    const { kind, view: again } = await started();
    expect([languages(again, 'träume/1'), kind.puts]).toEqual([['fr'], []]);
  });

  it('tries again to write a checkpoint that could not be written', async () => {
    const { view } = await started();
    await add('it', 'd');
    await view.caughtUp();
    const save = vi.spyOn(CheckpointFiles.prototype, 'save').mockRejectedValueOnce(new Error('full'));
    await views.fixture.feed.prune({ entries: 0 });
    await view.stop();
    save.mockRestore();
    const other = await started();
    expect([languages(other.view), other.kind.puts]).toEqual([['de', 'en', 'it'], []]);
  });

  it('removes what a crash left half written, and what belongs to no collection any more', async () => {
    await writeFile(join(folder(), 'c.idx.12345678.tmp'), 'half');
    await writeFile(join(folder(), 'gone.idx'), 'words');
    await started();
    expect((await readdir(folder())).filter((name) => name.endsWith('.tmp') || name.startsWith('gone'))).toEqual([]);
  });

  it('leaves none of a collection that is gone or must not have one', async () => {
    const { view } = await started(undefined, { isSecret: (collection) => collection === 'c' });
    expect(await readdir(folder())).toHaveLength(1);
    await views.fixture.call('deleteCollection', { collection: 'träume/1' });
    await add('it', 'd');
    await view.caughtUp();
    await view.stop();
    expect(await readdir(folder())).toEqual([]);
  });

  describe.skipIf(!OVER_POSTGRES)('of a database on a server, which may be restored without its latest commits', () => {
    /** Another commit takes the number of the lost one. */
    const lose = async (key: string, lang: string): Promise<void> => {
      const { sql, feed } = views.fixture;
      const head = await feed.head();
      await sql.transaction(async (tx) => {
        await tx.run('DELETE FROM revisions WHERE ord IN (SELECT ord FROM documents WHERE key = ?)', [key]);
        await tx.run('DELETE FROM spellings WHERE ord IN (SELECT ord FROM documents WHERE key = ?)', [key]);
        await tx.run('DELETE FROM documents WHERE key = ?', [key]);
        await tx.run('DELETE FROM changes WHERE lsn = ?', [head]);
      });
      views.fixture.advance(1);
      await add(lang, 'other');
    };

    it('builds anew what may contain a lost commit, even if its own position is there', async () => {
      const { view } = await started();
      await add('it', 'd');
      await view.caughtUp();
      await view.stop();
      const path = join(folder(), 'c.idx');
      // It was written while the last change was being applied.
      const before = await readFile(path, 'latin1');
      await writeFile(path,
        before.replace(/"lsn":4,"at":\d+,"newest"/, '"lsn":2,"at":__,"newest"').replace('__',
          String((await views.fixture.sql.get('SELECT at FROM changes WHERE lsn = 2'))!['at'])), 'latin1');
      await lose('d', 'pt');
      expect(languages((await started()).view)).toEqual(['de', 'en', 'pt']);
    });

    it('builds anew what belongs to another database', async () => {
      const path = join(folder(), 'c.idx');
      await writeFile(path,
        (await readFile(path, 'latin1')).replace(/("database":"\d+\/)/,
          (start) => `${start.slice(0, -2)}${start.at(-2) === '1' ? '2' : '1'}/`), 'latin1');
      expect((await started()).kind.puts.sort()).toEqual(['de', 'en']);
    });
  });
});
