import { expect } from 'vitest';
import { getCollectionConfig, getDocument, importWiki, ingestDocuments } from '../../generated/docs/sdk/sdk.gen.ts';
import { dumpXml } from '../../src/testkit/wiki/dump.ts';
import { refused, succeeded } from '../support/expectations.ts';
import type { DocsScenarios } from './scenario.ts';

/** Loading scraped documents (contract, section 4, "Rules for /v1/ingest"). */
export const ingest: DocsScenarios = {
  async ingestDocuments({ client, direct, collection }) {
    const page = {
      url: 'https://example.org/Blog/Hello-World.html?utm=1', lang: 'en', extractFrontmatter: true,
      contentMd: '---\ncategory: news\nauthor: Ada\n---\n# Hello', meta: { category: ['request'] }, scraper: 'crawler/1.4', scrapedAt: 1_766_400_000,
    };
    const documents = [page, { key: 'own', lang: 'en', contentMd: 'Own.' }, { key: 'OWN', lang: 'en', contentMd: 'Own again.' }, { lang: 'en', contentMd: 'Nameless.' }];
    const options = { autoConfigureCollection: true, skipDuplicates: true };
    const first = succeeded(await ingestDocuments({ client, body: { collection, documents, options } }));
    expect(first).toMatchObject({
      added: 2, updated: 1, skipped: 0, failed: 1, collection, profile: 'default',
      errors: [expect.stringMatching(/^3 /)], keyCollisions: [{ lang: 'en', keys: ['own', 'OWN'] }],
    });

    const stored = succeeded(await getDocument({ client, body: { collection, key: 'blog-hello-world', lang: 'en' } }));
    expect(stored.contentMd).toContain('# Hello');
    expect(stored.contentMd).not.toContain('author:');
    expect(stored.meta).toMatchObject({ category: ['request'], author: ['Ada'] });
    expect(succeeded(await getCollectionConfig({ client, query: { collection } })).config.type).toBe('scraping');

    const again = succeeded(await ingestDocuments({ client, body: { collection, documents: [page], options: { profile: 'fast' } } }));
    expect(again).toMatchObject({ added: 0, updated: 0, skipped: 1, failed: 0, profile: 'fast' });
    const pages = ['https://example.org/show?id=1', 'https://example.org/show?id=2'].map((url) => ({ url, lang: 'en', contentMd: url }));
    expect(succeeded(await ingestDocuments({ client, body: { collection, documents: pages } }))).toMatchObject({
      added: 1, failed: 1, errors: [expect.stringMatching(/^1 show: /)], keyCollisions: [{ lang: 'en', keys: ['show'], urls: pages.map(({ url }) => url) }],
    });
    expect(succeeded(await ingestDocuments({ client, body: { collection, documents: pages, options: { keyFrom: 'url' } } }))).toMatchObject({ added: 2, keyCollisions: [] });
    refused(await ingestDocuments({ client: direct, body: { collection, documents: [page], options: { profile: 'slow' as never } } }), 400, 'invalid_argument');
  },

  async importWiki({ client, direct, collection }) {
    const dump = (title: string) => new File([dumpXml([{ title, text: '== History ==\n[[Port]]' }, { title: 'Talk:Port', ns: 1 }])], 'dump.xml');
    const answer = succeeded(await importWiki({ client, body: { collection, lang: 'en', file: dump('Old port') } }));
    expect(answer).toMatchObject({ imported: 1, skipped: 1, failed: 0, errors: [], collection, profile: 'default' });
    expect(succeeded(await getDocument({ client, body: { collection, key: 'Old_port', lang: 'en' } }))).toMatchObject({
      contentMd: '# Old port\n\n## History\n\n[Port](Port)', meta: { source: ['wikipedia'], wiki_id: ['1'], wiki_title: ['Old port'], wiki_ns: ['0'] },
    });
    refused(await importWiki({ client: direct, body: { collection, lang: 'en', file: new File(['<feed/>'], 'feed.xml') } }), 400, 'invalid_argument');
  },
};
