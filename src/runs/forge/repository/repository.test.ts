// With real repositories and git.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ForgeBench } from '../test-fixture.ts';
import { GitFailure, Repositories } from './index.ts';

let bench: ForgeBench;
let repositories: Repositories;
beforeEach(async () => {
  bench = await ForgeBench.start('pipelines_from: repository');
  mkdirSync(join(bench.origin.path, '.quire'));
  repositories = open();
});
afterEach(() => bench.stop());

const open = (): Repositories =>
  new Repositories({
    config: { current: () => bench.api.loaded, onChange: () => () => {} },
    variables: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    secretValue: () => undefined,
  });
const project = () => bench.api.loaded.config.projects[0]!;
const namesAt = async (commit: string): Promise<string[]> =>
  (await repositories.pipelinesAt(project(), commit, 'refs/heads/main')).pipelines.map(({ pipeline }) => pipeline.name);

describe('a mirror', () => {
  it('that is broken is made again', async () => {
    const first = bench.origin.commit('{steps: [{name: s, run: x}]}', '.quire/one.yaml');
    expect(await namesAt(first)).toEqual(['one']);
    rmSync(join(bench.dataDir, 'mirrors', 'alpha.git', 'objects'), { recursive: true });
    const second = bench.origin.commit('{steps: [{name: s, run: x}]}', '.quire/two.yaml');
    repositories = open();
    expect(await namesAt(second)).toEqual(['one', 'two']);
  });

  it('leaves no folder for keys, also not that of a server that was killed', async () => {
    const folder = join(bench.dataDir, 'mirrors');
    await repositories.refs(project());
    mkdirSync(join(folder, '.git-left'));
    writeFileSync(join(folder, '.git-left', 'git-key'), 'a key');
    await repositories.start();
    expect(readdirSync(folder).filter((name) => name.startsWith('.git-'))).toEqual([]);
  });

  it('uses no transport that is not allowed, and says why it cannot be made', async () => {
    bench.api.configure(bench.config().replace('[file]', '[https]'));
    await expect(repositories.refs(project())).rejects.toThrow(GitFailure);
    await expect(repositories.refs(project())).rejects.toThrow("transport 'file' not allowed");
  });
});

describe('files of pipelines', () => {
  it('are no links, no folders, and at most 256 KiB', async () => {
    bench.origin.commit('{steps: [{name: s, run: x}]}', '.quire/good.yaml');
    bench.origin.git('config', 'core.symlinks', 'true');
    symlinkSync('/etc/passwd', join(bench.origin.path, '.quire', 'link.yaml'));
    mkdirSync(join(bench.origin.path, '.quire', 'folder.yaml'));
    bench.origin.commit('x', '.quire/folder.yaml/file');
    writeFileSync(join(bench.origin.path, '.quire', 'large.yaml'), `# ${'x'.repeat(300_000)}`);
    const commit = bench.origin.commit('y');
    const { pipelines, rejected } = await repositories.pipelinesAt(project(), commit, '');
    expect(pipelines.map(({ file }) => file)).toEqual(['.quire/good.yaml']);
    expect(rejected).toEqual([{ file: '.quire/large.yaml', reason: expect.stringContaining('at most 262144') }]);
    expect(existsSync(join(bench.dataDir, 'mirrors', 'alpha.git', '.quire'))).toBe(false);
  });
});
