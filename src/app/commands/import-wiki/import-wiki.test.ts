import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runQuire } from '../../../testkit/commands/run-command.ts';
import { bzip2 } from '../../../testkit/wiki/bzip2-encoder.ts';
import { DUMP_HEAD, dumpXml } from '../../../testkit/wiki/dump.ts';

const PAGES = Array.from({ length: 7 }, (_, i) => ({ title: `Page ${i}`, text: `text <page> ${i}`, id: 100 + i }));

describe('quire import-wiki', () => {
  let folder: string;
  let dump: string;
  let server: Server;
  let requests: { query: URLSearchParams; titles: string[]; body: string }[];
  /** The error with which a request is rejected, by the request's number. */
  let refused: Set<number>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-wiki-'));
    dump = join(folder, 'dump.xml.bz2');
    await writeFile(dump, bzip2(Buffer.from(dumpXml(PAGES)), 4000));
    requests = [];
    refused = new Set();
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const titles = [...body.matchAll(/<title>([^<]*)/g)].map(([, title]) => title!);
        requests.push({ query: new URL(request.url!, 'http://x').searchParams, titles, body });
        const isRefused = refused.has(requests.length - 1);
        response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isRefused ? { error: 'no', code: 'invalid_argument' } : {
          imported: titles.length,
          skipped: 0,
          failed: 0,
          errors: [],
          collection: 'w',
          durationMs: 1,
          profile: 'default',
        }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const run = (...options: string[]) =>
    runQuire(['import-wiki', dump, '--collection', 'w', '--lang', 'de', '--batch', '3', '--url',
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...options]);

  it('sends the dump in parts, each with the head of the whole', async () => {
    const result = await run('--namespaces', '0,14', '--skip-redirects', '--profile', 'fast');
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain('imported 7 pages into collection w');
    expect(requests.map(({ titles }) => titles)).toEqual([['Page 0', 'Page 1', 'Page 2'], ['Page 3', 'Page 4',
      'Page 5'], ['Page 6']]);
    for (const { body, query } of requests) {
      expect(body.startsWith(DUMP_HEAD.trimEnd())).toBe(true);
      expect(body.endsWith('</page></mediawiki>')).toBe(true);
      expect(Object.fromEntries(query)).toMatchObject({
        collection: 'w',
        lang: 'de',
        namespaces: '0,14',
        skipRedirects: 'true',
        profile: 'fast',
      });
    }
    expect(await readdir(folder)).toEqual(['dump.xml.bz2']);
  });

  it('goes on behind the last page that was acknowledged', async () => {
    refused.add(1);
    expect(await run()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the service returned 400: no') as string,
    });
    expect(await readdir(folder)).toContain('dump.xml.bz2.quire-import');
    requests = [];
    refused.clear();
    const again = await run();
    expect(again).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('going on behind page 3 (id 102)') as string,
    });
    expect(requests.flatMap(({ titles }) => titles)).toEqual(['Page 3', 'Page 4', 'Page 5', 'Page 6']);
    expect(await readdir(folder)).toEqual(['dump.xml.bz2']);
  });

  it('starts over for another collection and with --restart, and refuses a dump that is another one now', async () => {
    refused.add(1);
    await run();
    refused.clear();
    requests = [];
    expect(await run('--restart', '--quiet')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(requests.flatMap(({ titles }) => titles)).toHaveLength(7);
    refused.add(requests.length + 1);
    await run();
    const other = dumpXml(PAGES.map((page) => ({ ...page, id: page.id + 500 })));
    await writeFile(dump, bzip2(Buffer.from(other), 4000));
    const { size } = await stat(dump);
    const kept = join(folder, 'dump.xml.bz2.quire-import');
    const { key, ...reached } = JSON.parse(await readFile(kept, 'utf8')) as { key: object };
    await writeFile(kept, JSON.stringify({ ...reached, key: { ...key, size } }));
    expect(await run()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('start over with --restart') as string,
    });
  });

  it('says what is wrong with a file, after what came before', async () => {
    const whole = Buffer.from(dumpXml(PAGES));
    await writeFile(dump, gzipSync(whole.subarray(0, whole.indexOf('Page 5'))));
    expect(await run()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the dump is cut off: what came before is imported') as string,
    });
    expect(requests.flatMap(({ titles }) => titles)).toEqual(['Page 0', 'Page 1', 'Page 2', 'Page 3', 'Page 4']);
    await writeFile(dump, 'hello');
    expect(await run('--restart')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is this a dump of a MediaWiki?') as string,
    });
    await writeFile(dump, bzip2(whole, 4000).subarray(0, 500));
    expect(await run('--restart')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the dump is cut off') as string,
    });
    await rm(dump);
    expect(await run()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no such file') as string });
  });
});
