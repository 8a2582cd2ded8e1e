import { expect } from 'vitest';
import { cancelBulkIngest, exportDocuments, getBulkIngest, getCollectionConfig, getDocument, importDocuments, importUrl,
  importWiki, ingestDocuments, listBulkIngest, searchFullText, submitBulkIngest,
  uploadFiles } from '../../generated/docs/sdk/sdk.gen.ts';
import { dumpXml } from '../../src/testkit/wiki/dump.ts';
import { refused, succeeded } from '../support/expectations.ts';
import type { DocsScenarios } from './scenario.ts';

/** Loading scraped documents (contract, section 4, "Rules for /v1/ingest"). */
export const ingest: DocsScenarios = {
  async ingestDocuments({ client, direct, collection }) {
    const page = {
      url: 'https://example.org/Blog/Hello-World.html?utm=1',
      lang: 'en',
      extractFrontmatter: true,
      contentMd: '---\ncategory: news\nauthor: Ada\n---\n# Hello',
      meta: { category: ['request'] },
      scraper: 'crawler/1.4',
      scrapedAt: 1_766_400_000,
    };
    const documents = [page, { key: 'own', lang: 'en', contentMd: 'Own.' }, {
      key: 'OWN',
      lang: 'en',
      contentMd: 'Own again.',
    }, { lang: 'en', contentMd: 'Nameless.' }];
    const options = { autoConfigureCollection: true, skipDuplicates: true };
    const first = succeeded(await ingestDocuments({ client, body: { collection, documents, options } }));
    expect(first).toMatchObject({
      added: 2,
      updated: 1,
      skipped: 0,
      failed: 1,
      collection,
      profile: 'default',
      errors: [expect.stringMatching(/^3 /)],
      keyCollisions: [{ lang: 'en', keys: ['own', 'OWN'] }],
    });

    const stored = succeeded(await getDocument({ client, body: { collection, key: 'blog-hello-world', lang: 'en' } }));
    expect(stored.contentMd).toContain('# Hello');
    expect(stored.contentMd).not.toContain('author:');
    expect(stored.meta).toMatchObject({ category: ['request'], author: ['Ada'] });
    expect(succeeded(await getCollectionConfig({ client, query: { collection } })).config.type).toBe('scraping');

    const again = succeeded(
      await ingestDocuments({ client, body: { collection, documents: [page], options: { profile: 'fast' } } }),
    );
    expect(again).toMatchObject({ added: 0, updated: 0, skipped: 1, failed: 0, profile: 'fast' });
    const pages = ['https://example.org/show?id=1', 'https://example.org/show?id=2'].map((url) => ({
      url,
      lang: 'en',
      contentMd: url,
    }));
    expect(succeeded(await ingestDocuments({ client, body: { collection, documents: pages } }))).toMatchObject({
      added: 1,
      failed: 1,
      errors: [expect.stringMatching(/^1 show: /)],
      keyCollisions: [{ lang: 'en', keys: ['show'], urls: pages.map(({ url }) => url) }],
    });
    expect(
      succeeded(await ingestDocuments({ client, body: { collection, documents: pages, options: { keyFrom: 'url' } } })),
    ).toMatchObject({ added: 2, keyCollisions: [] });
    refused(await ingestDocuments({
      client: direct,
      body: { collection, documents: [page], options: { profile: 'slow' as never } },
    }), 400, 'invalid_argument');
  },

  async submitBulkIngest({ client, direct, collection }) {
    const documents = [{ key: 'a', lang: 'en', contentMd: '# A' }, { key: 'b', contentMd: 'no language' }, {
      key: 'a',
      lang: 'en',
      contentMd: '# A again',
    }];
    const job = succeeded(await submitBulkIngest({ client, body: { collection, documents } }));
    expect(job).toMatchObject({ collection, status: 'pending', total: 3, processed: 0, errors: [] });
    await expect.poll(async () => succeeded(await getBulkIngest({ client, path: { id: job.id } })).status).toBe(
      'completed',
    );
    expect(succeeded(await getBulkIngest({ client, path: { id: job.id } }))).toMatchObject({
      processed: 3,
      added: 1,
      updated: 1,
      failed: 1,
      errors: ['1 b: missing fields: lang'],
    });
    expect(succeeded(await getDocument({ client, body: { collection, key: 'a', lang: 'en' } })).contentMd).toBe(
      '# A again',
    );
    refused(await submitBulkIngest({ client: direct, body: { collection, documents: [] } }), 400, 'invalid_argument');
    refused(
      await submitBulkIngest({ client, body: { collection, documents, callbackUrl: 'http://169.254.169.254/latest' } }),
      400,
      'invalid_argument',
    );
  },

  async getBulkIngest({ client, collection }) {
    const { id } = succeeded(
      await submitBulkIngest({ client, body: { collection, documents: [{ key: 'a', lang: 'en', contentMd: '' }] } }),
    );
    expect(succeeded(await getBulkIngest({ client, path: { id } }))).toMatchObject({ id, collection, total: 1 });
    refused(await getBulkIngest({ client, path: { id: 'job_1_abcdef' } }), 404, 'not_found');
  },

  async cancelBulkIngest({ client, collection }) {
    // The second job waits for the first, which takes a while.
    const submit = async (count: number) =>
      succeeded(await submitBulkIngest({
        client,
        body: {
          collection,
          documents: Array.from({ length: count }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: 'x' })),
        },
      }));
    const first = await submit(5000);
    const { id } = await submit(1);
    expect(succeeded(await cancelBulkIngest({ client, path: { id } }))).toMatchObject({
      id,
      status: 'cancelled',
      processed: 0,
    });
    refused(await cancelBulkIngest({ client, path: { id } }), 400, 'invalid_argument');
    refused(await cancelBulkIngest({ client, path: { id: 'job_1_abcdef' } }), 404, 'not_found');
    await expect.poll(async () => succeeded(await getBulkIngest({ client, path: { id: first.id } })).status, {
      timeout: 15_000,
    }).toBe('completed');
  },

  async listBulkIngest({ client, collection }) {
    const { id } = succeeded(
      await submitBulkIngest({ client, body: { collection, documents: [{ key: 'a', lang: 'en', contentMd: '' }] } }),
    );
    const listed = succeeded(await listBulkIngest({ client, query: { collection } }));
    expect([listed.total, listed.jobs.map((job) => job.id)]).toEqual([1, [id]]);
  },

  async uploadFiles({ direct, collection }) {
    // The proxy changes bytes that are not text, so files bypass it.
    const client = direct;
    const one = succeeded(await uploadFiles({
      client,
      body: {
        collection,
        lang: 'en',
        file: new File(['---\ntags: [a]\n---\n# Note'], 'My Note.md'),
        meta: { author: 'Ada' },
      },
    }));
    expect(one).toMatchObject({
      key: 'my-note',
      format: 'md',
      converted: false,
      profile: 'default',
      document: { contentMd: '# Note', meta: { tags: ['a'], author: ['Ada'], upload_filename: ['My Note.md'] } },
    });
    const files = [new File(['<h1>Page</h1><p>Text.</p>'], 'page.html'), new File(['x'], 'program.exe'),
      new File(['a: 1\n'], 'settings.yaml')];
    const several = succeeded(await uploadFiles({ client, body: { collection, lang: 'en', 'files[]': files } }));
    expect(several).toMatchObject({
      added: 2,
      updated: 0,
      failed: 1,
      errors: ['1 program.exe: has an unsupported extension'],
      results: [{ key: 'page', format: 'html', converted: true }, { key: 'settings', format: 'yaml' }],
    });
    expect(succeeded(await getDocument({ client, body: { collection, key: 'page', lang: 'en' } })).contentMd).toContain(
      '# Page',
    );
    refused(await uploadFiles({ client, body: { collection, lang: 'en' } }), 400, 'missing_fields');
    refused(await uploadFiles({ client, body: { collection, lang: 'en', file: new File(['xx'], 'a.md'), maxSize: 1 } }),
      413, 'payload_too_large');
    refused(
      await uploadFiles({ client, body: { collection, lang: 'en', file: new File(['PK\u0003\u0004'], 'a.docx') } }),
      422,
      'conversion_failed',
    );
  },

  async importUrl({ client, server, collection }) {
    // The service's own description, which is YAML.
    const url = `${server.url}/openapi.yaml`;
    const document = succeeded(
      await importUrl({ client, body: { collection, url, lang: 'en', meta: { kind: 'api' } } }),
    );
    expect(document).toMatchObject({
      key: 'openapi.yaml',
      meta: { kind: ['api'], source_url: [url] },
      contentMd: expect.stringContaining('openapi:'),
    });
    refused(await importUrl({ client, body: { collection, url: `${server.url}/nowhere`, lang: 'en' } }), 400,
      'invalid_argument');
    refused(await importUrl({ client, body: { collection, url: 'http://169.254.169.254/', lang: 'en' } }), 400,
      'invalid_argument');
  },

  // Streams bypass the proxy, which reads them completely.
  async importDocuments({ direct, collection }) {
    const lines = [{ key: 'a', lang: 'en', contentMd: 'Streamed whales.', meta: { n: 1 } }, {
      key: 'b|',
      lang: 'en',
      contentMd: '',
    }, { key: 'b', lang: 'en', contentMd: 'B.' }];
    const load = async (body: string, query: object = {}) => {
      const answer = succeeded(
        await importDocuments({ client: direct, parseAs: 'text', query: { collection, ...query }, body }),
      ) as unknown as string;
      return answer.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);
    };
    expect(await load(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nnonsense\n`)).toEqual([{
      processed: 4,
      added: 2,
      updated: 0,
      skipped: 0,
      failed: 2,
      errors: [expect.stringMatching(/^2 b\|: /), expect.stringMatching(/^4 : invalid JSON/)],
      done: true,
    }]);
    expect(succeeded(await getDocument({ client: direct, body: { collection, key: 'a', lang: 'en' } })).meta).toEqual({
      n: ['1'],
    });
    expect(succeeded(await searchFullText({ client: direct, body: { collection, query: 'whales' } })).totalMatches)
      .toBe(1);

    const exported = succeeded(
      await exportDocuments({ client: direct, parseAs: 'text', body: { collection, format: 'ndjson' } }),
    ) as string;
    expect(await load(exported, { profile: 'fast' })).toEqual([
      expect.objectContaining({ processed: 2, added: 0, updated: 0, skipped: 2, done: true }),
    ]);
    const many = Array.from({ length: 2500 },
      (_, i) => JSON.stringify({ key: `k${i}`, lang: 'en', contentMd: `Page ${i}` })).join('\n');
    const answer = await load(many);
    expect(answer.length).toBeGreaterThanOrEqual(2);
    expect(answer.at(-1)).toMatchObject({ processed: 2500, added: 2500, done: true });

    refused(await importDocuments({ client: direct, query: { collection, profile: 'slow' as never }, body: '' }), 400,
      'invalid_argument');
    refused(await importDocuments({ client: direct, query: {} as never, body: '' }), 400, 'missing_fields');
    refused(await importDocuments({
      client: direct,
      query: { collection },
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    }), 415, 'unsupported_media_type');
  },

  async importWiki({ client, direct, collection }) {
    const dump = (title: string) =>
      new File([dumpXml([{ title, text: '== History ==\n[[Port]]' }, { title: 'Talk:Port', ns: 1 }])], 'dump.xml');
    const answer = succeeded(await importWiki({ client, body: { collection, lang: 'en', file: dump('Old port') } }));
    expect(answer).toMatchObject({ imported: 1, skipped: 1, failed: 0, errors: [], collection, profile: 'default' });
    expect(succeeded(await getDocument({ client, body: { collection, key: 'Old_port', lang: 'en' } }))).toMatchObject({
      contentMd: '# Old port\n\n## History\n\n[Port](Port)',
      meta: { source: ['wikipedia'], wiki_id: ['1'], wiki_title: ['Old port'], wiki_ns: ['0'] },
    });
    refused(
      await importWiki({ client: direct, body: { collection, lang: 'en', file: new File(['<feed/>'], 'feed.xml') } }),
      400,
      'invalid_argument',
    );
  },
};
