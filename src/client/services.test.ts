import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../testkit/runs-server.ts';
import * as docs from './docs.ts';
import * as runs from './runs.ts';

let server: DocsServer;
let quire: docs.Quire;

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' } });
  quire = docs.connect(server.url);
});
afterAll(() => server.stop());

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of source) list.push(item);
  return list;
}

describe('the client of the document service', () => {
  it('writes and reads, with the types of the operations', async () => {
    await quire.call(docs.addDocument, {
      body: { collection: 'blog', key: 'hello', lang: 'en', contentMd: '# Hello' },
    });
    const document = await quire.call(docs.getDocument, { body: { collection: 'blog', key: 'hello', lang: 'en' } });
    expectTypeOf(document).toEqualTypeOf<docs.Document>();
    expect(document.contentMd).toBe('# Hello');
    const { data, response } = await quire.send(docs.getHealth, {});
    expect([data.status, response.headers.get('x-request-id')?.length]).toEqual(['healthy', 16]);
  });

  it('throws what the service says', async () => {
    const failed = quire.call(docs.getDocument, { body: { collection: 'blog', key: 'nope', lang: 'en' } });
    await expect(failed).rejects.toBeInstanceOf(docs.QuireError);
    await expect(failed).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
      requestId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    await expect(quire.call(docs.searchDocuments, { body: { collection: 'blog', limit: -1, offset: -1 } })).rejects
      .toMatchObject({
        status: 400,
        code: 'invalid_argument',
        fields: [expect.stringContaining('limit'), expect.stringContaining('offset')],
      });
  });

  it('imports, pages and exports many documents', async () => {
    const written = Array.from({ length: 250 }, (_, i) => ({
      key: `k${String(i).padStart(3, '0')}`,
      lang: 'en',
      contentMd: `text ${i}${i === 100 ? ' long '.repeat(250_000) : ''}`,
      meta: { n: [String(i % 3)] },
    }));
    const report = await docs.importEach(quire, [...written, { key: 'bad|key', lang: 'en', contentMd: 'x' }], {
      collection: 'many',
    });
    expect(report).toMatchObject({
      processed: 251,
      added: 250,
      failed: 1,
      errors: [expect.stringMatching(/^251 bad\|key: /)],
    });
    const listed = docs.items(quire, docs.searchDocuments, {
      body: { collection: 'many', limit: 60, includeContent: false },
    });
    expectTypeOf(listed).toEqualTypeOf<AsyncGenerator<docs.ProjectedDocument>>();
    expect((await all(listed)).map(({ key }) => key)).toEqual(written.map(({ key }) => key));
    const found = docs.items(quire, docs.searchFullText, {
      body: { collection: 'many', query: 'text', limit: 100, includeContent: false },
    });
    expect(new Set((await all(found)).map(({ document }) => document.key)).size).toBe(250);
    expect((await all(docs.pages(quire, docs.searchFullText, {
      body: { collection: 'many', query: 'text', limit: 100, offset: 200 },
    }))).map(({ results }) => results.length)).toEqual([50]);
    const exported = await all(docs.exportEach(quire, { collection: 'many', filterMeta: { n: ['1'] } }));
    expect(exported.map(({ key, contentMd }) => [key, contentMd])).toEqual(
      written.filter((_, i) => i % 3 === 1).map(({ key, contentMd }) => [key, contentMd]),
    );
  });

  it('uploads files', async () => {
    const answer = await quire.call(docs.uploadFiles, {
      body: { collection: 'files', lang: 'en', file: new File(['# Note\n\nText'], 'note.md') },
    });
    expect(answer).toMatchObject({ format: 'md', document: { contentMd: '# Note\n\nText' } });
  });

  it('follows changes', async () => {
    const seen: string[] = [];
    const controller = new AbortController();
    const watching = (async () => {
      for await (const { event, key } of docs.watchEvents(quire, { collection: 'watched' }, {
        signal: controller.signal,
        after: '0',
      })) {
        if (key === undefined) continue;
        seen.push(`${event} ${key}`);
        if (seen.length === 2) break;
      }
    })();
    for (const contentMd of ['a', 'b'])
      await quire.call(docs.addDocument, { body: { collection: 'watched', key: 'w', lang: 'en', contentMd } });
    await watching;
    expect(seen).toEqual(['doc.added w', 'doc.updated w']);
  });
});

describe('the client of the run queue', () => {
  let queue: RunsServer;
  let client: runs.Quire;
  beforeAll(async () => {
    queue = await startRunsServer(
      "pipelines:\n  - {name: hello, steps: [{name: greet, run: 'echo one; echo two'}]}\nprojects: [{id: demo, " +
        'repository: example/demo}]\n',
    );
    client = runs.connect({ baseUrl: queue.url, token: API_TOKEN });
  });
  afterAll(() => queue.remove());

  it('queues a run, follows it to its end, and pages the runs', async () => {
    const { data: run } = await client.call(runs.enqueueRun, {
      body: { project_id: 'demo', kind: 'pipeline', task: 'hello' },
    });
    const lines: string[] = [];
    const ids: (string | undefined)[] = [];
    let state = '';
    for await (const event of runs.followRun(client, run.id)) {
      if (event.event === 'state') state = event.data.state;
      else if (event.data.stream === 'stdout') lines.push(event.data.message);
      if (event.event === 'log') ids.push(event.id);
    }
    expect([state, lines]).toEqual(['succeeded', ['one', 'two']]);
    const rest: (string | undefined)[] = [];
    for await (const event of runs.followRun(client, run.id, { after: ids[0]! }))
      if (event.event === 'log') rest.push(event.id);
    expect(rest).toEqual(ids.slice(1));
    for (let i = 0; i < 4; i++)
      await client.call(runs.enqueueRun, { body: { project_id: 'demo', kind: 'diagnostic' } });
    const listed = await all(runs.items(client, runs.listRuns, { query: { limit: 2 } }));
    expectTypeOf(listed).toEqualTypeOf<runs.Run[]>();
    expect([listed.length, listed.at(-1)!.id]).toEqual([5, run.id]);
    expect((await all(runs.items(client, runs.listRunLogs, { path: { id: run.id } }))).length).toBe(ids.length);
  });

  it('throws what the service says', async () => {
    await expect(client.call(runs.getRun, { path: { id: '0'.repeat(32) } })).rejects.toMatchObject({
      code: 'run_not_found',
      status: 404,
    });
  });
});
