import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeService, startFakeService, storeAll } from '../../../testkit/commands/fake-service.ts';
import { runQuire } from '../../../testkit/commands/run-command.ts';

let folder: string;
let service: FakeService;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-import-'));
  service = await startFakeService();
});

afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const write = async (files: Record<string, string | Buffer>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
};

const rows = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify({ key: `k${i}`, lang: 'en', contentMd: `text ${i}` })}\n`)
    .join('');

const importing = (source: string, ...options: string[]) =>
  runQuire(['import', source, '--collection', 'c', '--url', service.url, ...options]);

const sent = () => service.requests.flatMap(({ body }) => body.documents ?? []);

describe('quire import FOLDER', () => {
  it('takes markdown files, their paths as keys and their front matter as metadata', async () => {
    await write({
      'guide/start.md': '---\ntitle: Start\ntags: [a, b]\n---\n# Start\n',
      'guide/deep/more.markdown': 'plain',
      'page.mdx': '---\nlang: de\n---\nHallo',
      'picture.png': 'no document',
      'node_modules/x/readme.md': 'not ours',
      '.git/description.md': 'not ours',
    });
    const run = await importing(folder, '--lang', 'fr');
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toContain('imported 3 documents into collection c');
    expect(sent()).toEqual([{ key: 'guide/deep/more', lang: 'fr', contentMd: 'plain', meta: {} }, {
      key: 'guide/start',
      lang: 'fr',
      contentMd: '# Start\n',
      meta: { title: ['Start'], tags: ['a', 'b'] },
    }, { key: 'page', lang: 'de', contentMd: 'Hallo', meta: { lang: ['de'] } }]);
    expect(service.requests[0]).toMatchObject({ path: '/v1/add-batch', body: { collection: 'c' } });
  });

  it('refuses a second file for the same document instead of storing one of them silently', async () => {
    await write({ 'A.md': 'one', 'a.mdx': 'two' });
    const run = await importing(folder);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('a.mdx: its key "a" is that of A.md already');
    expect(sent()).toHaveLength(1);
  });

  it('repairs text that is not UTF-8 and says so (decision D-39), and notes front matter it cannot read', async () => {
    await write({ 'cut.md': Buffer.from('Grüße, schöne Grüße, ü').subarray(0, -1), 'odd.md': '---\na: [\n---\nbody' });
    const run = await importing(folder);
    expect(run.exitCode).toBe(0);
    expect(sent()[0]).toMatchObject({ contentMd: 'Grüße, schöne Grüße, \ufffd' });
    expect(run.stdout).toContain('1 document had text that was not valid UTF-8');
    expect(run.stderr).toContain('note: cut.md: 1 character was not valid utf-8, and became U+FFFD.');
    expect(run.stderr).toMatch(/^note: odd\.md: front matter was left in the body/m);
  });

  it('takes a single file', async () => {
    await write({ 'one.md': 'text' });
    expect((await importing(join(folder, 'one.md'))).exitCode).toBe(0);
    expect(sent()).toEqual([{ key: 'one', lang: 'en', contentMd: 'text', meta: {} }]);
  });

  it('sends files of other kinds for the service to convert, under their paths with their endings', async () => {
    await write({ 'a.md': 'markdown', 'deep/b.PDF': '%PDF-1.7', 'c.txt': 'plain' });
    const run = await importing(folder, '--profile', 'fast');
    expect(run).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('imported 3 documents into collection c'),
    });
    expect(service.requests.map(({ path }) => path).sort()).toEqual(['/v1/ingest', '/v1/upload', '/v1/upload']);
    const forms = service.requests.flatMap(({ body: { form } }) => form ?? []);
    for (const part of ['name="key"\r\n\r\ndeep/b.PDF\r\n', 'filename="b.PDF"', '%PDF-1.7',
      'name="profile"\r\n\r\nfast\r\n', 'name="key"\r\n\r\nc.txt\r\n']) expect(forms.join()).toContain(part);
  });

  it('imports only the given kinds of files', async () => {
    await write({ 'a.md': 'markdown', 'b.txt': 'plain', 'c.log': 'log' });
    expect((await importing(folder, '--only', 'md,.log', '--dry-run')).stdout).toContain('2 documents');
    expect((await importing(folder, '--only', 'pdf')).stderr).toContain('expected files ending in .pdf');
  });

  it('counts a file that the service cannot convert, and goes on', async () => {
    await service.close();
    service = await startFakeService((
      request,
    ) => (request.body.form?.includes('bad')
      ? { status: 422, body: { error: 'file bad.txt is damaged', code: 'conversion_failed' } }
      : storeAll(request))
    );
    await write({ 'bad.txt': 'bad', 'good.txt': 'good' });
    const run = await importing(folder, '--concurrency', '1');
    expect(run).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('added 1, updated 0, skipped 0, failed 1'),
    });
    expect(run.stderr).toContain('failed: bad.txt: the service returned 422: file bad.txt is damaged');
  });

  it.each([['a folder without documents', { 'a.png': '' }, '', /no files to import found in/], ['a missing folder', {},
    'gone', /cannot read .*gone: no such file or folder/], ['a file of another kind', { 'a.png': '' }, 'a.png',
    /cannot tell what .*a\.png is/]])('explains %s', async (_, files, source, message) => {
      await write(files);
      const run = await importing(join(folder, source));
      expect(run).toMatchObject({ exitCode: 1, stdout: '' });
      expect(run.stderr).toMatch(message);
    });
});

describe('quire import FILE.ndjson', () => {
  it('takes exported documents and parsed files, plain or compressed', async () => {
    const text = [JSON.stringify({
      id: 'c|a|en',
      key: 'a',
      lang: 'EN',
      meta: { tags: ['x'] },
      contentMd: 'A\u2028B',
      addedAt: 1,
      updatedAt: 2,
    }), '', JSON.stringify({
      path: './en/b/index.md',
      lang: 'de',
      frontmatter: { title: 'B', n: 1.5, none: null, faq: [{ q: 'why' }] },
      body: 'B',
    }), JSON.stringify({ url: 'https://example.org/C/D.html?x', contentMd: 'C' })].join('\r\n');
    await write({ 'a.ndjson': text, 'b.ndjson.gz': gzipSync(text) });
    for (const file of ['a.ndjson', 'b.ndjson.gz'])
      expect(await importing(join(folder, file))).toMatchObject({ exitCode: 0, stderr: '' });
    const expected = [{ key: 'a', lang: 'EN', contentMd: 'A\u2028B', meta: { tags: ['x'] } }, {
      key: 'en/b/index',
      lang: 'de',
      contentMd: 'B',
      meta: { title: ['B'], n: ['1.5'], 'faq.0.q': ['why'] },
    }, { key: 'c-d', lang: 'en', contentMd: 'C', meta: { source_url: ['https://example.org/C/D.html?x'] } }];
    expect(sent()).toEqual([...expected, ...expected]);
  });

  it('names bad lines and stores the others', async () => {
    await write({ 'bad.ndjson': `${rows(1)}{"key": \n[1]\n{"key":"x"}\n{"contentMd":"x"}\n${rows(1)}` });
    const run = await importing(join(folder, 'bad.ndjson'));
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toContain('added 2, updated 0, skipped 0, failed 4');
    expect(run.stderr).toMatch(
      /^failed: line 2 of .*bad\.ndjson: not JSON: .+\nfailed: line 3 of .*: expected a JSON object\nfailed: line 4 of .*: no text.*\nfailed: line 5 of .*: no key/,
    );
  });

  it('lists ten problems and counts the rest', async () => {
    await write({ 'bad.ndjson': 'x\n'.repeat(13) });
    const { stderr } = await importing(join(folder, 'bad.ndjson'));
    expect(stderr.match(/^failed: line/gm)).toHaveLength(10);
    expect(stderr).toContain('failed: and 3 more');
  });

  it('reads standard input', async () => {
    const run = await runQuire(['import', '-', '-c', 'c', '--url', service.url], { stdin: gzipSync(rows(3)) });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(sent()).toHaveLength(3);
  });

  it('keeps the rest of a life time, and skips documents that have expired', async () => {
    const now = Math.floor(Date.now() / 1000);
    await write({
      'a.ndjson': `${JSON.stringify({ key: 'old', contentMd: '', expiresAt: now - 5 })}\n${
        JSON.stringify({ key: 'new', contentMd: '', expiresAt: now + 1000 })
      }`,
    });
    const run = await importing(join(folder, 'a.ndjson'));
    expect(run.stdout).toContain('added 1, updated 0, skipped 1');
    expect(sent()).toHaveLength(1);
    expect(sent()[0]!.ttl).toBeGreaterThan(900);
  });

  it('says when a compressed file is cut off', async () => {
    await write({ 'cut.ndjson.gz': gzipSync(rows(1000)).subarray(0, 900) });
    const run = await importing(join(folder, 'cut.ndjson.gz'));
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toMatch(/cannot read .*cut\.ndjson\.gz: unexpected end of file/);
  });
});

describe('requests', () => {
  it('hold at most --batch documents', async () => {
    await write({ 'a.ndjson': rows(25) });
    await importing(join(folder, 'a.ndjson'), '--batch', '10', '--concurrency', '3');
    expect(service.requests.map(({ body }) => body.documents!.length).sort()).toEqual([10, 10, 5]);
    expect(new Set(sent().map(({ key }) => key)).size).toBe(25);
  });

  it('carry the key, and turn revisions off where asked', async () => {
    await write({ 'a.ndjson': rows(1) });
    await importing(join(folder, 'a.ndjson'), '--no-revisions', '--api-key', 'svc_live_1');
    expect(service.requests[0]!.headers).toMatchObject({ 'x-api-key': 'svc_live_1' });
    expect(service.requests[0]!.headers.authorization).toBeUndefined();
    expect(sent()[0]).toMatchObject({ saveRevision: false });
  });

  it('go to /v1/ingest with a profile', async () => {
    await write({ 'a.ndjson': rows(2) });
    await importing(join(folder, 'a.ndjson'), '--profile', 'fast');
    expect(service.requests[0]).toMatchObject({
      path: '/v1/ingest',
      body: { collection: 'c', options: { profile: 'fast' } },
    });
    expect(sent()).toHaveLength(2);
  });

  it('are not made in a dry run', async () => {
    await write({ 'a.ndjson': rows(2) });
    const run = await importing(join(folder, 'a.ndjson'), '--dry-run');
    expect(run.stdout).toContain('2 documents of');
    expect(run.stdout).toContain('nothing was sent');
    expect(service.requests).toEqual([]);
  });

  it('are not described with --quiet', async () => {
    await write({ 'a.ndjson': rows(2) });
    expect(await importing(join(folder, 'a.ndjson'), '--quiet')).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });
});

describe('failures of the service', () => {
  const withService = async (respond: Parameters<typeof startFakeService>[0]): Promise<void> => {
    await service.close();
    service = await startFakeService(respond);
  };

  it('names the documents that were refused, by their place (decision D-67)', async () => {
    await withService(() => ({ body: { added: 1, updated: 1, failed: 1, errors: ['2 k2: the key is too long'] } }));
    await write({ 'a.ndjson': rows(3) });
    const run = await importing(join(folder, 'a.ndjson'));
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toMatch(/failed: line 3 of .*a\.ndjson: k2: the key is too long/);
    expect(run.stdout).toContain('added 1, updated 1, skipped 0, failed 1');
  });

  it('tries again after 503 and after a lost connection', async () => {
    await withService((request,
      index) => (index === 0
        ? { status: 503, body: { error: 'busy' } }
        : index === 1
        ? { body: '{"added', cut: true }
        : storeAll(request))
    );
    await write({ 'a.ndjson': rows(3) });
    const run = await importing(join(folder, 'a.ndjson'));
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(service.requests).toHaveLength(3);
  });

  it('stops at a refusal that the other batches would meet too, and says how far it got', async () => {
    await withService((request,
      index) => (index === 1 ? { status: 403, body: { error: 'read-only mode' } } : storeAll(request))
    );
    await write({ 'a.ndjson': rows(100) });
    const run = await importing(join(folder, 'a.ndjson'), '--batch', '10', '--concurrency', '1');
    expect(run.exitCode).toBe(1);
    expect(service.requests).toHaveLength(2);
    expect(run.stdout).toContain('stopped after 10 documents');
    expect(run.stderr).toMatch(
      /^quire import: the service returned 403: read-only mode\nthe last batch that was stored ends with line 10 of/,
    );
  });

  it('goes on after a batch that is too large', async () => {
    await withService((request,
      index) => (index === 0 ? { status: 413, body: { error: 'too large' } } : storeAll(request))
    );
    await write({ 'a.ndjson': rows(4) });
    const run = await importing(join(folder, 'a.ndjson'), '--batch', '2', '--concurrency', '1');
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toContain('added 2, updated 0, skipped 0, failed 2');
    expect(run.stderr).toMatch(/failed: line 1 of .* to line 2 of .*: the service returned 413: too large/);
  });

  it('asks for a key when it is refused without one', async () => {
    await withService(() => ({ status: 401, body: { error: 'missing authentication' } }));
    await write({ 'a.ndjson': rows(1) });
    const run = await importing(join(folder, 'a.ndjson'));
    expect(run).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'quire import: the service returned 401: missing authentication (give a key with --api-key or ' +
        'QUIRE_API_KEY, or sign in with `npm run quire -- login`)\nnothing was stored\n',
    });
  });

  it('explains a service that is not there', async () => {
    const unused = createServer();
    await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(unused.address() as AddressInfo).port}`;
    await new Promise((resolve) => unused.close(resolve));
    await write({ 'a.ndjson': rows(1) });
    const run = await runQuire(['import', join(folder, 'a.ndjson'), '-c', 'c', '--url', url]);
    expect(run).toMatchObject({ exitCode: 6, stdout: '' });
    expect(run.stderr).toContain(`quire import: cannot reach ${url}: is it running? start it with \`npm start\``);
  });
});

describe('arguments', () => {
  it.each([[['import', 'x'], /required option '-c, --collection <name>'/], [['import', 'x', '-c', 'c', '--batch', '0'],
    /Expected a whole number from 1 to 10000/], [['import', 'x', '-c', 'c', '--profile', 'slow'],
    /Allowed choices are default, fast/], [['import', 'x', '-c', 'c', '--url', 'localhost:1'],
    /expected an address such as/]])('%j is refused', async (given, message) => {
      const run = await runQuire(given);
      expect(run.exitCode).toBe(2);
      expect(run.stderr).toMatch(message);
    });

  it.each(['import', 'export', 'search'])('%s --help shows examples', async (name) => {
    const run = await runQuire([name, '--help']);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain(`$ quire ${name}`);
    expect(run.stdout).toContain('QUIRE_URL');
  });
});
