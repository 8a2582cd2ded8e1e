import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyRing, type Sql } from '../../storage/index.ts';
import { Fixture } from '../documents/test-fixture.ts';
import { createEncryption, type Encryption } from './index.ts';

const key = (id: number) => ({ id, bytes: Buffer.alloc(32, id) });
const BOTH = new KeyRing(key(4), [key(3)]);

/** Runs `move` before the nth table is read that may have encrypted values. */
function before(sql: Sql, nth: number, move: () => Promise<unknown>): void {
  const stream = sql.stream.bind(sql);
  let reads = 0;
  sql.stream = async function*(query, params, options) {
    if (/ FROM main\./.test(query) && reads++ === nth) await move();
    yield* stream(query, params, options) as AsyncIterable<never[]>;
  };
}

/** A deletion moves the versions of a document to another table, and a restore moves them back. */
describe.each([0, 1, 2, 3, 4])('versions that are moved before table %i is read', (nth) => {
  let fixture: Fixture;
  let encryption: Encryption;

  beforeEach(async () => {
    fixture = await Fixture.open('node:sqlite', {}, BOTH);
    await start(new KeyRing(key(3)));
    for (const name of ['back', 'gone'])
      for (const contentMd of ['one', 'two'])
        await fixture.call('addDocument', {
          collection: 'c',
          key: name,
          lang: 'en',
          contentMd,
        });
    await fixture.call('deleteDocument', { collection: 'c', key: 'back', lang: 'en' });
  });
  afterEach(async () => {
    await encryption.stop();
    await fixture.close();
  });

  async function start(keys: KeyRing): Promise<void> {
    encryption = createEncryption({ ...fixture.environment, keys }, { collections: fixture.collections });
    fixture.use(encryption.handlers);
    await encryption.work();
  }

  const move = async () => {
    await fixture.call('restoreRevision', { collection: 'c', key: 'back', lang: 'en', revision: 1 });
    await fixture.call('deleteDocument', { collection: 'c', key: 'gone', lang: 'en' });
  };
  const encrypt = async () => {
    await fixture.call('setCollectionConfig', { collection: 'c', encrypted: true });
    await encryption.settled();
  };
  const bodies = async (name: string) =>
    (await fixture.call('listRevisions', { collection: 'c', key: name, lang: 'en' })).revisions.map(({ contentMd }) =>
      contentMd
    );
  const status = async () => (await fixture.call('getEncryptionStatus', {})).collections[0];

  it('are encrypted with their collection', async () => {
    before(fixture.sql, nth, move);
    await encrypt();
    expect(await status()).toMatchObject({ plaintext: 0 });
    expect([await bodies('back'), await bodies('gone')]).toEqual([['one', 'two', 'one'], ['two', 'one']]);
  });

  it('get the new key', async () => {
    await encrypt();
    await encryption.stop();
    await start(BOTH);
    before(fixture.sql, nth, move);
    const { id } = await fixture.call('rotateEncryption', {});
    await encryption.settled();
    expect(await status()).toMatchObject({ withLegacy: 0 });
    const { scanned, reencrypted, skipped, ...job } = await fixture.call('getEncryptionJob', { id });
    expect(job).toMatchObject({ status: 'completed', errors: 0 });
    expect(reencrypted + skipped).toBe(scanned);
    expect([await bodies('back'), await bodies('gone')]).toEqual([['one', 'two', 'one'], ['two', 'one']]);
  });
});
