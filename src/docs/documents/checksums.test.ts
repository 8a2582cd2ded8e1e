import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

const CHANGED = {
  code: 'precondition_failed',
  status: 412,
  message: 'the document has changed since it was read; read it again',
};
const ABSENT = { code: 'precondition_failed', message: 'there is no such document, and the request expects one' };
const PRESENT = {
  code: 'precondition_failed',
  status: 412,
  message: 'there is such a document, and the request expects none',
};
const OTHER = '0123456789abcdef';

describe.each(DRIVERS)('writes that expect a state of their document over %s', (driver) => {
  let fixture: Fixture;
  const name = { collection: 'blog', key: 'page', lang: 'en' };
  const read = () => fixture.call('getDocument', name);
  const checksum = async () => (await read()).checksum!;

  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    await fixture.call('addDocument', { ...name, contentMd: 'one', meta: { b: ['2'], a: ['1'] } });
  });
  afterEach(() => fixture.close());

  it('read it with its checksum, which every write returns, too', async () => {
    const first = await fixture.call('addDocument', { ...name, contentMd: 'two', meta: { b: ['2'], a: ['1'] } });
    expect(first.checksum).toMatch(/^[0-9a-f]{16}$/);
    expect(await checksum()).toBe(first.checksum);
    expect((await fixture.call('getDocumentMeta', name)).checksum).toBe(first.checksum);
    fixture.advance(5);
    for (const written of [await fixture.call('updateDocument', { ...name, meta: { c: ['3'] } }),
      await fixture.call('updateDocument', { ...name, contentMd: 'three' }),
      await fixture.call('updateDocument', { ...name, ttl: 60 }),
      await fixture.call('setDocumentTtl', { ...name, ttl: 90 }),
      await fixture.call('restoreRevision', { ...name, revision: 1 })])
    {
      expect(written.checksum).not.toBe(first.checksum);
    }
    expect((await fixture.call('updateDocument', { ...name, contentMd: 'four' })).checksum).toBe(await checksum());
  });

  it('is another one after each change, within a second as well', async () => {
    const seen = [await checksum()];
    for (const change of [{ contentMd: 'two' }, { meta: {} }, { meta: { a: ['1', '2'] } }, { ttl: 60 }, { ttl: 61 }]) {
      seen.push((await fixture.call('updateDocument', { ...name, ...change })).checksum!);
    }
    seen.push((await fixture.call('addDocument', { ...name, key: 'Page', contentMd: 'two' })).checksum!);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('happen when it is in that state', async () => {
    await fixture.call('updateDocument', { ...name, contentMd: 'two', ifChecksum: await checksum() });
    await fixture.call('addDocument', { ...name, contentMd: 'three', ifChecksum: await checksum() });
    await fixture.call('setDocumentTtl', { ...name, ttl: 60, ifChecksum: await checksum() });
    expect(await fixture.call('restoreRevision', { ...name, revision: 2, ifChecksum: await checksum() })).toMatchObject(
      { contentMd: 'two', checksum: await checksum() },
    );
    await fixture.call('deleteDocument', { ...name, ifChecksum: await checksum() });
    await expect(read()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('do nothing when it is not', async () => {
    const before = await read();
    const count = await fixture.count('revisions');
    await expect(fixture.call('updateDocument', { ...name, contentMd: 'two', ifChecksum: OTHER })).rejects
      .toMatchObject(CHANGED);
    await expect(fixture.call('addDocument', { ...name, contentMd: 'two', ifChecksum: OTHER })).rejects.toMatchObject(
      CHANGED,
    );
    await expect(fixture.call('setDocumentTtl', { ...name, ttl: 60, ifChecksum: OTHER })).rejects.toMatchObject(
      CHANGED,
    );
    await expect(fixture.call('deleteDocument', { ...name, ifChecksum: OTHER })).rejects.toMatchObject(CHANGED);
    await expect(fixture.call('restoreRevision', { ...name, revision: 1, ifChecksum: OTHER })).rejects.toMatchObject(
      CHANGED,
    );
    await expect(fixture.call('restoreRevision', { ...name, revision: 1, ifMatch: `"${OTHER}"` })).rejects
      .toMatchObject(CHANGED);
    expect([await read(), await fixture.count('revisions')]).toEqual([before, count]);
  });

  it('are refused where there is nothing to be in a state, or it has expired', async () => {
    await expect(fixture.call('addDocument', { ...name, key: 'new', contentMd: '', ifChecksum: OTHER })).rejects
      .toMatchObject(ABSENT);
    await expect(fixture.call('updateDocument', { ...name, key: 'new', contentMd: '', ifChecksum: OTHER })).rejects
      .toMatchObject({ code: 'not_found' });
    await expect(fixture.call('deleteDocument', { ...name, key: 'new', ifChecksum: OTHER })).rejects.toMatchObject({
      code: 'not_found',
    });
    const sum = await checksum();
    await fixture.call('deleteDocument', name);
    await expect(fixture.call('restoreRevision', { ...name, revision: 1, ifChecksum: sum })).rejects.toMatchObject(
      ABSENT,
    );
    await fixture.call('restoreRevision', { ...name, revision: 1 });
    const { checksum: brief } = await fixture.call('setDocumentTtl', { ...name, ttl: 5 });
    fixture.advance(10);
    await expect(fixture.call('addDocument', { ...name, contentMd: '', ifChecksum: brief! })).rejects.toMatchObject(
      ABSENT,
    );
  });

  it.each<[string, (sum: string) => string, boolean]>([['any', () => '*', true], ['its tag', (sum) => `"${sum}"`, true],
    ['its tag among others', (sum) => `"x", "${sum}" , W/"y"`, true], ['its tag of a compressed answer',
    (sum) => `"${sum}-gzip"`, true], ['its tag, but weak', (sum) => `W/"${sum}"`, false], [
    'its checksum without quotation marks',
    (sum) => sum,
    false,
  ], ['another tag', () => `"${OTHER}"`, false], ['nothing', () => '', false]])('take If-Match with %s',
    async (_, header, isMatch) => {
      const write = fixture.call('updateDocument', { ...name, contentMd: 'two', ifMatch: header(await checksum()) });
      if (isMatch) expect((await write).contentMd).toBe('two');
      else await expect(write).rejects.toMatchObject(CHANGED);
    });

  it.each<[string, (sum: string) => string, boolean]>([['any', () => '*', true], ['its tag', (sum) => `"x", "${sum}"`,
    true], ['its tag, weak', (sum) => `W/"${sum}"`, true], ['another tag', () => `"${OTHER}"`, false], ['nothing',
    () => '', false]])('take If-None-Match with %s', async (_, header, isMatch) => {
      const ifNoneMatch = header(await checksum());
      const write = fixture.call('addDocument', { ...name, contentMd: 'two', ifNoneMatch });
      if (isMatch) await expect(write).rejects.toMatchObject(PRESENT);
      else expect((await write).contentMd).toBe('two');
      expect((await fixture.call('addDocument', { ...name, key: 'new', contentMd: 'two', ifNoneMatch })).contentMd)
        .toBe('two');
    });

  it('of those that expect no document let one through', async () => {
    const writes = ['two', 'three', 'four'].map((contentMd) =>
      fixture.call('addDocument', { ...name, key: 'Once', contentMd, ifNoneMatch: '*' })
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    fixture.advance(5);
    await fixture.call('deleteDocument', { ...name, key: 'Once' });
    expect(await fixture.call('addDocument', { ...name, key: 'once', contentMd: 'five', ttl: 5, ifNoneMatch: '*' }))
      .toMatchObject({ contentMd: 'five' });
    fixture.advance(10);
    expect(await fixture.call('addDocument', { ...name, key: 'once', contentMd: 'six', ifNoneMatch: '*' }))
      .toMatchObject({ contentMd: 'six' });
  });

  it('need both to hold where header and field are there', async () => {
    const sum = await checksum();
    await expect(fixture.call('updateDocument', { ...name, ttl: 5, ifChecksum: sum, ifMatch: `"${OTHER}"` })).rejects
      .toMatchObject(CHANGED);
    await expect(fixture.call('updateDocument', { ...name, ttl: 5, ifChecksum: OTHER, ifMatch: '*' })).rejects
      .toMatchObject(CHANGED);
    await fixture.call('updateDocument', { ...name, ttl: 5, ifChecksum: sum, ifMatch: '*' });
  });

  it('lose none of the changes of writers that read, change and write concurrently', async () => {
    const append = async (word: string): Promise<void> => {
      for (;;) {
        const { contentMd, checksum: ifChecksum } = await read();
        const written = fixture.call('updateDocument', {
          ...name,
          contentMd: `${contentMd} ${word}`,
          ifChecksum: ifChecksum!,
        });
        const isDone = await written.then(() => true, (error: { code: string }) => {
          expect(error.code).toBe('precondition_failed');
          return false;
        });
        if (isDone) return;
      }
    };
    const words = Array.from({ length: 20 }, (_, i) => `w${i}`);
    await Promise.all(words.map(append));
    expect((await read()).contentMd.split(' ').sort()).toEqual(['one', ...words].sort());
  });

  it('of those that start from one state let one through, whatever they do', async () => {
    const ifChecksum = await checksum();
    const writes = [fixture.call('updateDocument', { ...name, contentMd: 'two', ifChecksum }),
      fixture.call('addDocument', { ...name, contentMd: 'three', ifChecksum }),
      fixture.call('setDocumentTtl', { ...name, ttl: 60, ifChecksum }),
      fixture.call('updateDocument', { ...name, meta: { x: [] }, ifChecksum })];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'precondition_failed' });
  });
});

describe.each(DRIVERS)('get with fallbackLangs over %s', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    for (const lang of ['en', 'de', 'fr'])
      await fixture.call('addDocument', { collection: 'blog', key: 'page', lang, contentMd: lang });
  });
  afterEach(() => fixture.close());
  const get = async (lang: string, fallbackLangs?: string[]) =>
    (await fixture.call('getDocument', {
      collection: 'blog',
      key: 'page',
      lang,
      ...(fallbackLangs && { fallbackLangs }),
    })).lang;

  it('returns the first language that is there', async () => {
    expect(await get('de', ['en'])).toBe('de');
    expect(await get('it', ['fr', 'en'])).toBe('fr');
    expect(await get('it', ['es', 'pt', 'DE'])).toBe('de');
  });

  it('returns a region of a language that is asked for without one', async () => {
    for (const lang of ['pt_BR', 'pt-PT', 'ptx', 'es-MX'])
      await fixture.call('addDocument', { collection: 'blog', key: 'page', lang, contentMd: lang });
    expect(await get('it', ['pt', 'en'])).toBe('pt-PT');
    expect(await get('it', ['ES'])).toBe('es-MX');
    expect(await get('it', ['es-ES', 'en'])).toBe('en');
    await expect(get('pt')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is 404 where none is', async () => {
    await expect(get('it', ['es'])).rejects.toMatchObject({ code: 'not_found' });
    await expect(get('it', [])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses what is no language', async () => {
    await expect(get('it', ['e n'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('fallbackLangs[0]') as string,
    });
  });
});
