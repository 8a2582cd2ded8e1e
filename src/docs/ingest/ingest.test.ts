import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_FLAGS } from '../../storage/index.ts';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { createIngest } from './index.ts';

const { CREATED, SKIP_EMBEDDINGS, SKIP_FTS, SKIP_WEBHOOKS } = CHANGE_FLAGS;
const page = (more: object = {}) => ({ key: 'page', lang: 'en', contentMd: '# Page', ...more });

describe.each(DRIVERS)('ingest over %s (contract section 4)', (driver) => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open(driver);
    fixture.use(
      createIngest(fixture.environment, { collections: fixture.collections, documents: fixture.documents }).handlers,
    );
  });
  afterEach(() => fixture.close());
  const ingest = (documents: object[], options?: object) =>
    fixture.call('ingestDocuments', { collection: 'Web', documents, ...(options && { options }) });
  const get = (key: string) => fixture.call('getDocument', { collection: 'web', key, lang: 'en' });
  const flags = async () =>
    (await fixture.changes()).filter(({ kind }) => kind === 'doc.put').map((change) => change.flags);
  const revisions = () => fixture.count('revisions');

  it('returns what was done', async () => {
    const result = await ingest([page(), page({ key: 'other' }), page({ contentMd: 'again' })]);
    expect(result).toEqual({
      added: 2,
      updated: 1,
      skipped: 0,
      failed: 0,
      errors: [],
      collection: 'Web',
      durationMs: expect.any(Number),
      profile: 'default',
      keyCollisions: [],
    });
    expect(await get('page')).toMatchObject({ contentMd: 'again', meta: {}, addedAt: START });
  });

  it(
    'derives an absent or empty key from the URL (decision D-37), and keeps where the document came from (contract ' +
      'section 2)',
    async () => {
      const url = 'https://example.org/Docs/Hello%20World.html?x=1';
      await ingest([
        page({ key: '', url, scrapedAt: START, scraper: 'crawler/1', meta: { scraper: ['mine'], tags: ['a'] } }),
        page({ key: undefined, url: 'https://example.org/' }),
      ]);
      expect((await get('docs-hello-world')).meta).toEqual({
        source_url: [url],
        scraped_at: [String(START)],
        scraper: ['crawler/1'],
        tags: ['a'],
      });
      expect((await get('index')).meta).toEqual({ source_url: ['https://example.org/'] });
    },
  );

  it('extracts front matter where asked to; the metadata of the request win', async () => {
    const contentMd = '---\ntitle: Found\ntags: [a, b]\n__proto__: x\n---\n# Body';
    await ingest([page({ contentMd, extractFrontmatter: true, meta: { title: ['Given'] } }),
      page({ key: 'raw', contentMd })]);
    const { meta, contentMd: body } = await get('page');
    expect(body).toBe('# Body');
    expect(Object.entries(meta).sort()).toEqual([['__proto__', ['x']], ['tags', ['a', 'b']], ['title', ['Given']]]);
    expect(await get('raw')).toMatchObject({ contentMd, meta: {} });
  });

  it('reports keys that differ only in case, and writes them in order (identity rule 3)', async () => {
    const { keyCollisions, added, updated } = await ingest([page({ key: 'A' }), page({ key: 'b' }),
      page({ key: 'a', contentMd: 'last' }), page({ key: 'A', lang: 'de' }), page({ key: 'b' }),
      page({ key: 'a|', lang: 'en' })]);
    expect(keyCollisions).toEqual([{ lang: 'en', keys: ['A', 'a'] }]);
    expect([added, updated]).toEqual([3, 2]);
    expect(await get('A')).toMatchObject({ key: 'a', contentMd: 'last' });
  });

  describe('URLs that differ but make one key (decision D-37)', () => {
    const at = (url: string, more: object = {}) => page({ key: undefined, url, contentMd: url, ...more });
    const [first, second] = ['https://example.org/show?id=1', 'https://example.org/show?id=2'];

    it('are reported, and the later ones fail instead of overwriting the first', async () => {
      const result = await ingest([at(first), at(second), at(first, { contentMd: 'again' }),
        at('https://example.org/Show.html')]);
      expect(result).toMatchObject({
        added: 1,
        updated: 1,
        failed: 2,
        keyCollisions: [{ lang: 'en', keys: ['show'], urls: [first, second, 'https://example.org/Show.html'] }],
        errors: [
          `1 show: url makes the key of ${first}, which is in the same batch; give it a key of its own, or use ` +
          'keyFrom: url',
          expect.stringMatching(/^3 show: url makes the key of /),
        ],
      });
      expect((await get('show')).contentMd).toBe('again');
    });

    it('are distinguished by keyFrom: url, by host and query', async () => {
      const result = await ingest([at(first), at(second), at('https://example.com/show?id=1')], { keyFrom: 'url' });
      expect(result).toMatchObject({ added: 3, failed: 0, keyCollisions: [] });
      expect((await get('example.org-show-id-2')).contentMd).toBe(second);
    });

    it('are one page where only the fragment or the spelling of the host differs', async () => {
      expect(await ingest([at('https://example.org/a'), at('https://EXAMPLE.org/a#part')])).toMatchObject({
        added: 1,
        updated: 1,
        failed: 0,
        keyCollisions: [],
      });
    });

    it('do not meet in different languages, or in another batch', async () => {
      expect(await ingest([at(first), at(second, { lang: 'de' })])).toMatchObject({ added: 2, keyCollisions: [] });
      expect(await ingest([at(second)])).toMatchObject({ updated: 1, keyCollisions: [] });
    });

    it('update the document of a key that was given, as that key would', async () => {
      const result = await ingest([page({ key: 'Show', contentMd: 'given' }), at(first), at(second)]);
      expect(result).toMatchObject({
        added: 1,
        updated: 1,
        failed: 1,
        keyCollisions: [{ lang: 'en', keys: ['Show', 'show'], urls: [first, second] }],
      });
    });

    it('are stored under keys with the letters of their script', async () => {
      await ingest([at('https://example.org/%C3%9Cber-uns'), at('https://example.org/%C3%84ber-uns')]);
      expect((await get('über-uns')).contentMd).toContain('%C3%9C');
    });

    it('refuses another keyFrom', async () => {
      await expect(ingest([page()], { keyFrom: 'host' })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('keyFrom'),
      });
    });
  });

  it('fails each bad item alone (decision D-67) and counts repaired ones (decision D-39)', async () => {
    await fixture.call('setSchema', { collection: 'web', schema: { properties: { size: { type: 'integer' } } } });
    const result = await ingest([page({ key: undefined }), page({ lang: undefined }), page({ key: 'a|b' }),
      page({ meta: { size: ['x'] } }), page({ ttl: -5 }), page({ contentMd: 'ok \ud800' })]);
    expect(result).toMatchObject({ added: 1, failed: 5, sanitized: 1 });
    expect(result.errors).toEqual(['0 : missing fields: key', '1 page: missing fields: lang',
      '2 a|b: key must not contain control characters or "|"', expect.stringMatching(/^3 page: validation failed: /),
      '4 page: ttl must be at least 0, got -5']);
    expect((await get('page')).contentMd).toBe('ok \ufffd');
  });

  it('takes a time to live', async () => {
    await ingest([page({ ttl: 60 })]);
    expect((await get('page')).expiresAt).toBe(START + 60);
  });

  describe('skipDuplicates', () => {
    it('skips what is stored under the same identity, also by the same batch', async () => {
      await ingest([page()]);
      fixture.advance(5);
      const result = await ingest([page(), page({ key: 'PAGE' }), page({ key: 'new' }), page({ key: 'new' }),
        page({ contentMd: 'changed' })], { skipDuplicates: true });
      expect(result).toMatchObject({ added: 1, updated: 1, skipped: 3, failed: 0 });
      expect(await get('page')).toMatchObject({ contentMd: 'changed', addedAt: START, updatedAt: START + 5 });
      await expect(get('PAGE')).rejects.toMatchObject({ code: 'not_found' });
      expect(await flags()).toEqual([CREATED, CREATED, 0]);
    });

    it.each([['metadata', { meta: { v: ['1'] } }, { meta: { v: ['2'] } }], ['metadata that are gone', {
      meta: { v: ['1'] },
    }, {}], ['the order of values', { meta: { v: ['1', '2'] } }, { meta: { v: ['2', '1'] } }], ['a first expiry', {}, {
      ttl: 60,
    }], ['an expiry that is taken back', { ttl: 60 }, { ttl: 0 }], ['a later expiry', { ttl: 60 }, { ttl: 60 }]])(
      'writes what differs in nothing but %s (decision D-138)',
      async (_, before, after) => {
        await ingest([page(before)]);
        fixture.advance(5);
        expect(await ingest([page(after)], { skipDuplicates: true })).toMatchObject({ updated: 1, skipped: 0 });
      },
    );

    it.each([['the order of the keys', { meta: { a: ['1'], b: ['2'] } }, { meta: { b: ['2'], a: ['1'] } }], [
      'when it was scraped',
      { scrapedAt: 1, scraper: 's' },
      { scrapedAt: 2, scraper: 's' },
    ], ['a time to live that it does not give', { ttl: 60 }, {}], ['a time to live that it never had', {}, {
      ttl: 0,
    }]])('skips what differs in nothing but %s', async (_, before, after) => {
      await ingest([page(before)]);
      fixture.advance(5);
      expect(await ingest([page(after)], { skipDuplicates: true })).toMatchObject({ updated: 0, skipped: 1 });
    });

    it('does not take an expired document for a duplicate', async () => {
      await ingest([page({ ttl: 1 })]);
      fixture.advance(1);
      expect(await ingest([page()], { skipDuplicates: true })).toMatchObject({ added: 1, skipped: 0 });
    });
  });

  describe('profiles', () => {
    it('default keeps revisions and duplicates', async () => {
      await ingest([page()]);
      expect(await ingest([page()], {})).toMatchObject({ updated: 1, skipped: 0, profile: 'default' });
      expect(await revisions()).toBe(2);
      expect(await flags()).toEqual([CREATED, 0]);
    });

    it('fast keeps no revisions, calls no webhooks and skips duplicates; embeddings and full text stay on', async () => {
      expect(await ingest([page(), page()], { profile: 'fast' })).toMatchObject({
        added: 1,
        skipped: 1,
        profile: 'fast',
      });
      expect(await revisions()).toBe(0);
      expect(await flags()).toEqual([CREATED | SKIP_WEBHOOKS]);
    });

    it('give way to every flag that is set, in both directions', async () => {
      await ingest([page(), page()], {
        profile: 'fast',
        saveRevision: true,
        skipWebhooks: false,
        skipDuplicates: false,
        skipFts: true,
      });
      expect(await revisions()).toBe(2);
      expect(await flags()).toEqual([CREATED | SKIP_FTS, SKIP_FTS]);
      await ingest([page({ key: 'x' })], { saveRevision: false, skipEmbeddings: true, skipWebhooks: true });
      expect(await revisions()).toBe(2);
      expect((await flags()).at(-1)).toBe(CREATED | SKIP_EMBEDDINGS | SKIP_WEBHOOKS);
    });

    it('refuse an unknown name', async () => {
      await expect(ingest([page()], { profile: 'slow' })).rejects.toMatchObject({ status: 400 });
    });
  });

  describe('autoConfigureCollection', () => {
    it('configures a collection that has no configuration with type scraping', async () => {
      await ingest([page()]);
      expect(fixture.collections.configOf('web')).toBeUndefined();
      await ingest([page()], { autoConfigureCollection: true });
      expect(fixture.collections.configOf('web')).toEqual({ type: 'scraping' });
    });

    it('leaves a configuration alone', async () => {
      await fixture.call('setCollectionConfig', { collection: 'web', description: 'mine' });
      await ingest([page()], { autoConfigureCollection: true });
      expect(fixture.collections.configOf('web')).toEqual({ description: 'mine' });
    });
  });

  it('refuses a collection that is not valid Unicode before it configures anything', async () => {
    const request = { collection: 'w\ud800', documents: [page()], options: { autoConfigureCollection: true } };
    await expect(fixture.call('ingestDocuments', request)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await fixture.count('collection_configs')).toBe(0);
  });
});
