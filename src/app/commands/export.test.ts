import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeService, startFakeService } from '../../testkit/commands/fake-service.ts';
import { runQuire } from '../../testkit/commands/run-command.ts';

const TWO = '{"key":"a"}\n{"key":"b"}\n';

let folder: string;
let service: FakeService;
let answer: FakeAnswer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-export-'));
  answer = { body: TWO };
  service = await startFakeService(() => answer);
});

afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const exporting = (...options: string[]) => runQuire(['export', '-c', 'blog', '--url', service.url, ...options]);

describe('quire export', () => {
  it('writes NDJSON to standard output', async () => {
    expect(await exporting()).toEqual({ stdout: TWO, stderr: '', exitCode: 0 });
    expect(service.requests[0]).toMatchObject({ path: '/v1/export', body: { collection: 'blog', format: 'ndjson' } });
  });

  it('writes a file, in the format of its name, with the filter', async () => {
    const file = join(folder, 'blog.zip');
    const run = await exporting('-o', file, '--filter', 'tags=a', '--filter', 'tags=b', '--filter', 'kind=c');
    expect(run).toMatchObject({ stdout: '', stderr: `wrote ${file} (24 bytes)\n`, exitCode: 0 });
    expect(service.requests[0]!.body).toEqual({
      collection: 'blog',
      format: 'zip',
      filterMeta: { tags: ['a', 'b'], kind: ['c'] },
    });
    expect(await readFile(file, 'utf8')).toBe(TWO);
  });

  it('counts documents', async () => {
    expect((await exporting('-o', join(folder, 'a.ndjson'))).stderr).toContain('(2 documents, 24 bytes)');
  });

  it('replaces a file only with --force', async () => {
    const file = join(folder, 'a.ndjson');
    await writeFile(file, 'old');
    expect(await exporting('-o', file)).toMatchObject({
      exitCode: 1,
      stderr: `quire export: ${file} exists: use --force to replace it\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(service.requests).toEqual([]);
    expect((await exporting('-o', file, '--force')).exitCode).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(TWO);
    expect(await readdir(folder)).toEqual(['a.ndjson']);
  });

  it.each([[[]], [['--force']]])('leaves nothing in part when the stream breaks off %j', async (options) => {
    answer = { body: TWO, cut: true };
    const file = join(folder, 'a.ndjson');
    if (options.length > 0) await writeFile(file, 'old');
    const run = await exporting('-o', file, ...options);
    expect(run.exitCode).toBe(6);
    expect(run.stderr).toContain('quire export: the export broke off');
    expect(await readdir(folder)).toEqual(options.length > 0 ? ['a.ndjson'] : []);
  });

  it('says when there is nothing', async () => {
    answer = { body: '' };
    expect(await exporting()).toEqual({
      stdout: '',
      stderr: 'collection blog has no such documents: the export is empty\n',
      exitCode: 0,
    });
  });

  it('does not write a ZIP to a terminal', async () => {
    const run = await runQuire(['export', '-c', 'blog', '--url', service.url, '--format', 'zip'], { columns: 80 });
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('-o FILE') });
  });

  it('passes on why the service refuses', async () => {
    answer = { status: 403, body: { error: 'forbidden' } };
    expect(await exporting('-o', join(folder, 'x'))).toMatchObject({
      exitCode: 4,
      stderr: 'quire export: the service returned 403: forbidden\n',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('explains a place that cannot be written', async () => {
    const run = await exporting('-o', join(folder, 'missing', 'a.ndjson'));
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('quire export: cannot write') });
  });
});
