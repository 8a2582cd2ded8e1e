import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { runQuire } from '../../../testkit/commands/run-command.ts';
import { type DocsServer, startDocsServer } from '../../../testkit/docs-server.ts';
import { HttpClient } from '../../../testkit/http-client.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { TextConverter } from '../../../testkit/text-converter.ts';
import { openClient } from '../shared/connection.ts';
import { runSync } from './run-sync.ts';

let folder: string;
let server: DocsServer;
let client: HttpClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-sync-'));
  server = await startDocsServer({ converter: new TextConverter() });
  client = new HttpClient(server.url);
});
afterEach(async () => {
  client.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

const write = async (files: Record<string, string | Uint8Array>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
};
const sync = (...options: string[]) => runQuire(['sync', folder, '--collection', 'c', '--url', server.url, ...options]);
const stored = async () =>
  Object.fromEntries(
    (await client.post('/v1/search', { collection: 'c', limit: 100 })).json<{ key: string; contentMd: string }[]>().map(
      ({ key, contentMd }) => [key, contentMd]
    ),
  );

describe('quire sync', () => {
  it('stores the files of a folder under their paths, and afterwards only what has changed', async () => {
    await write({
      'guide/start.md': '---\ntitle: Start\n---\n# Start',
      'notes.txt': 'plain',
      'app.log': 'a line',
      'picture.png': 'no',
      '.git/x.md': 'no',
    });
    expect(await sync()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('stored 3 (3 new), deleted 0, unchanged 0, failed 0'),
    });
    expect(await stored()).toEqual({
      'guide/start': '# Start',
      'notes.txt': 'plain',
      'app.log': '```log\na line\n```',
    });

    expect((await sync()).stdout).toContain('stored 0 (0 new), deleted 0, unchanged 3, failed 0');
    await write({ 'notes.txt': 'changed', 'new.md': 'new' });
    expect((await sync()).stdout).toContain('stored 2 (1 new), deleted 0, unchanged 2, failed 0');
    expect(await stored()).toMatchObject({ 'notes.txt': 'changed', new: 'new' });
  });

  it('reads markdown in any encoding, and says which one it guessed', async () => {
    await write({
      'a.md': Buffer.from('\ufeff# Überschrift\n\nText in UTF-16.\n', 'utf16le'),
      'b.md': Buffer.from('Dies ist das Protokoll der Sitzung. Gr\xfc\xdfe an die Beh\xf6rde.', 'latin1'),
    });
    const run = await sync();
    expect(run.stderr).toContain('note: b.md: The file does not say its encoding; it was read as windows-1252.');
    expect(await stored()).toEqual({
      a: '# Überschrift\n\nText in UTF-16.\n',
      b: 'Dies ist das Protokoll der Sitzung. Grüße an die Behörde.',
    });
  });

  it('takes files without an extension by their content, and names what it passes over', async () => {
    await write({
      README: '# Read me',
      'a.mkd': 'a',
      program: Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0),
      'data.csv': 'a,b',
      '.gitignore': 'x',
    });
    const run = await sync();
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('passed over 2 files of other kinds: data.csv, program');
    expect(await stored()).toEqual({ README: '# Read me', a: 'a' });
    expect((await sync('--only', 'mkd')).stdout).not.toContain('passed over');
  });

  it('stores again what somebody else has replaced', async () => {
    await write({ 'a.md': 'mine' });
    await sync();
    await client.post('/v1/add', { collection: 'c', key: 'a', lang: 'en', contentMd: 'theirs' });
    expect((await sync()).stdout).toContain('stored 1 (0 new)');
    expect(await stored()).toEqual({ a: 'mine' });
  });

  it('deletes documents without a file when configured', async () => {
    await write({ 'a.md': 'a', 'b.md': 'b' });
    await sync();
    await client.post('/v1/add', { collection: 'c', key: 'theirs', lang: 'en', contentMd: 'x' });
    await rm(join(folder, 'b.md'));
    expect((await sync()).stdout).toContain('2 documents of the collection have no file; --prune deletes them');
    expect((await sync('--prune')).stdout).toContain('deleted 2, unchanged 1');
    expect(await stored()).toEqual({ a: 'a' });
    await rm(join(folder, 'a.md'));
    expect((await sync('--prune')).stdout).toContain('deleted 1');
    expect(await stored()).toEqual({});
  });

  it('says what it would do, and does nothing', async () => {
    await write({ 'a.md': 'a', 'b.md': 'b' });
    await sync();
    await write({ 'a.md': 'changed', 'c.txt': 'new' });
    await rm(join(folder, 'b.md'));
    const run = await sync('--dry-run', '--prune');
    expect(run.stdout.split('\n')).toEqual(['add     c.txt', 'update  a.md', 'delete  b (en)',
      'would add 1, update 1, delete 1, unchanged 0, failed 0', 'nothing was sent (--dry-run)', '']);
    expect(await stored()).toEqual({ a: 'a', b: 'b' });
  });

  it('counts files that fail, stores the others, and keeps the documents of those that it cannot read', async () => {
    await write({ 'bad.txt': 'fault:damaged', 'good.txt': 'good', 'A.mdx': 'one', 'a.md': 'two' });
    const run = await sync('--prune');
    expect(run).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('failed: bad.txt: the service returned 422: file bad.txt is damaged'),
    });
    expect(run.stderr).toContain('its key "a" is that of A.mdx already');
    expect(Object.keys(await stored())).toEqual(['A', 'good.txt']);
  });

  it('syncs only the given kinds of files', async () => {
    await write({ 'a.md': 'a', 'b.txt': 'b' });
    await sync('--only', 'TXT');
    expect(Object.keys(await stored())).toEqual(['b.txt']);
  });

  it('refuses a folder that is not there', async () => {
    expect(await runQuire(['sync', join(folder, 'none'), '-c', 'c', '--url', server.url])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('cannot list'),
    });
  });

  it('follows changes, and waits until the folder is quiet', async () => {
    await write({ 'a.md': 'a' });
    const timer = new ManualTimer();
    const ended = new AbortController();
    let change = (): void => undefined;
    let output = '';
    const sink = new Writable({ write: (chunk: Buffer, _, done) => (output += chunk.toString(), done()) });
    const running = runSync({ folder, collection: 'c', lang: 'en', concurrency: 1, watch: true }, {
      io: { stdin: Readable.from([]), stdout: sink, stderr: sink, setExitCode: () => undefined },
      clock: systemClock,
      timer,
      client: openClient({ url: server.url }),
      signal: ended.signal,
      follow: (_, onChange) => {
        change = onChange;
        return () => (output += 'closed');
      },
    });
    const until = (text: string) => expect.poll(() => output, { timeout: 5000, interval: 5 }).toContain(text);
    await until('watching');
    await write({ 'b.md': 'b' });
    change();
    await timer.elapse();
    await until('stored 1 (1 new), deleted 0, unchanged 1');
    expect(timer.sleeps).toEqual([300]);
    ended.abort();
    await running;
    expect(output).toContain('closed');
    expect(await stored()).toEqual({ a: 'a', b: 'b' });
  });
});
