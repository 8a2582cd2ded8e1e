import { afterEach, describe, expect, it } from 'vitest';
import { createDocuments, keepChecksumKey } from './index.ts';
import { DRIVERS, Fixture } from './test-fixture.ts';

const NAME = { collection: 'blog', key: 'page', lang: 'en' };

describe.each(DRIVERS)('checksums over %s (decision D-170)', (driver) => {
  const opened: Fixture[] = [];
  afterEach(async () => {
    for (const fixture of opened.splice(0)) await fixture.close();
  });

  async function open(): Promise<Fixture> {
    const fixture = await Fixture.open(driver);
    opened.push(fixture);
    await keepChecksumKey(fixture.sql);
    await fixture.documents.load();
    await fixture.call('addDocument', { ...NAME, contentMd: 'The salary is 4217', meta: { who: ['eve'] } });
    return fixture;
  }

  const shown = async (
    fixture: Fixture,
  ) => [(await fixture.call('getDocument', NAME)).checksum!, (await fixture.call('getDocumentMeta', NAME)).checksum!,
    (await fixture.call('addDocument', { ...NAME, contentMd: 'The salary is 4217', meta: { who: ['eve'] } })).checksum!,
    (await fixture.call('updateDocument', { ...NAME, ttl: 0 })).checksum!,
    (await fixture.call('setDocumentTtl', { ...NAME, ttl: 0 })).checksum!,
    (await fixture.call('getChecksum', { collection: 'blog' })).checksum];

  it('of equal documents in two databases differ, so nobody can compute them from a guess', async () => {
    const [one, other] = [await shown(await open()), await shown(await open())];
    expect(one).toHaveLength(other.length);
    expect(one.filter((checksum) => other.includes(checksum))).toEqual([]);
  });

  it('of equal documents in two collections differ, so a copy that one may read confirms nothing', async () => {
    const fixture = await open();
    const copy = await fixture.call('addDocument', {
      ...NAME,
      collection: 'mine',
      contentMd: 'The salary is 4217',
      meta: { who: ['eve'] },
    });
    expect(await shown(fixture)).not.toContain(copy.checksum);
  });

  it('agree among all processes of a database, also after its key was asked for again', async () => {
    const fixture = await open();
    const before = await shown(fixture);
    await keepChecksumKey(fixture.sql);
    const { collections, columns, schemas } = fixture;
    fixture.documents = createDocuments(fixture.environment, { collections, columns, schemas });
    await fixture.documents.load();
    const { checksum } = await fixture.documents.reader.checksum('blog');
    expect(checksum).toBe(before.at(-1));
  });

  it('of a collection without documents are zeros', async () => {
    expect((await (await open()).call('getChecksum', { collection: 'none' })).checksum).toBe('00000000');
  });
});
