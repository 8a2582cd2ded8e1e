// Submodules and files in Git LFS: with real repositories, git, git-lfs and processes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { serveGit } from '../../../testkit/git-origin.ts';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, start } from '../../../testkit/runs-executor.ts';

const HAS_LFS = spawnSync('git', ['lfs', 'version']).status === 0;

let folder: string;
let kept: string;
let on: ExecutorBench;
const repository = (name: string): string => join(folder, name);
const addressOf = (name: string): string => `file://${repository(name)}`;

function git(name: string, ...args: string[]): string {
  return execFileSync('git', ['-C', repository(name), '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c',
    'protocol.file.allow=always', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function create(name: string): void {
  mkdirSync(repository(name), { recursive: true });
  git(name, 'init', '--quiet', '--initial-branch=main');
  commit(name, 'file.txt', `file of ${name}\n`);
}

function commit(name: string, file: string, text: string): string {
  writeFileSync(join(repository(name), file), text);
  git(name, 'add', '.');
  git(name, 'commit', '--quiet', '-m', file);
  return git(name, 'rev-parse', 'HEAD');
}

function addSubmodule(name: string, address: string, path: string): void {
  git(name, 'submodule', '--quiet', 'add', address, path);
  git(name, 'commit', '--quiet', '-m', path);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-submodules-'));
  for (const name of ['deep', 'middle', 'alpha']) create(name);
  addSubmodule('middle', '../deep', 'vendor/deep');
  addSubmodule('alpha', '../middle', 'lib/middle');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(script: string, plan: object): Promise<{ text: string; message: string | undefined }> {
  kept ??= mkdtempSync(join(tmpdir(), 'quire-kept-'));
  on = executorBench({ keep: { folder: kept, limit: 2 ** 30 } });
  const running = start(on.executor, assignmentOf(pipelineOf([script], { checkout: 'shallow', ...plan }), {}));
  const { outcome, error } = await running.result;
  const text = running.text().join('\n');
  on.close();
  if (outcome !== Outcome.SUCCEEDED) return { text, message: error?.message };
  return { text: running.text('stdout').join('\n'), message: undefined };
}
afterEach(() => {
  rmSync(kept, { recursive: true, force: true });
  kept = undefined as never;
});

const FILES =
  'for f in file.txt lib/middle/file.txt lib/middle/vendor/deep/file.txt; do cat $f 2>/dev/null || echo none; done';

describe('submodules', () => {
  it.each([['none', 'none\nnone'], ['direct', 'file of middle\nnone'], ['recursive', 'file of middle\nfile of deep']])(
    '%s',
    async (submodules, others) => {
      expect(await run(`${FILES}; git status --short`, { gitUrl: addressOf('alpha'), submodules })).toEqual({
        text: `file of alpha\n${others}`,
        message: undefined,
      });
    },
  );

  it('are those of the commit, however they have moved since, and come from kept clones', async () => {
    const plan = { gitUrl: addressOf('alpha'), submodules: 'recursive' };
    await run('true', plan);
    commit('middle', 'file.txt', 'another\n');
    expect((await run(FILES, plan)).text).toBe('file of alpha\nfile of middle\nfile of deep');
  });

  it('get the credentials of the repository below the address that they are for, and nowhere else', async () => {
    create('secret');
    create('outer');
    const server = await serveGit(folder, 'pass');
    addSubmodule('outer', addressOf('secret'), 'inner');
    const point = (address: string): void => {
      writeFileSync(join(repository('outer'), '.gitmodules'),
        `[submodule "inner"]\n\tpath = inner\n\turl = ${address}\n`);
      git('outer', 'add', '.');
      git('outer', 'commit', '--quiet', '-m', address);
    };
    const credentials = { username: 'robot', password: 'pass', url: server.url };
    const plan = { gitUrl: `${server.url}/outer/.git`, submodules: 'direct', credentials };
    try {
      point('../../secret/.git');
      expect((await run('cat inner/file.txt', plan)).text).toBe('file of secret');
      expect((await run('cat inner/file.txt', { ...plan, credentials: { ...credentials, url: '' } })).message).toMatch(
        /^the checkout failed: git exited/,
      );
    } finally {
      server.stop();
    }
  });

  it('with an address or a name that git must not use end the checkout', async () => {
    create('hostile');
    const put = (text: string): void => {
      writeFileSync(join(repository('hostile'), '.gitmodules'), text);
      git('hostile', 'add', '.gitmodules');
      git('hostile', 'update-index', '--add', '--cacheinfo', `160000,${git('deep', 'rev-parse', 'HEAD')},x`);
      git('hostile', 'commit', '--quiet', '-m', 'hostile');
    };
    const plan = { gitUrl: addressOf('hostile'), submodules: 'direct' };
    put('[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /tmp/hostile"\n');
    expect((await run('true', plan)).message).toBe(
      'the checkout failed: its submodule x has no address that may be used',
    );
    put(`[submodule "../../x"]\n\tpath = x\n\turl = ${addressOf('deep')}\n`);
    expect((await run('true', plan)).message).toBe('the checkout failed: git exited with code 128');
  });
});

describe.skipIf(!HAS_LFS)('files in Git LFS (where git-lfs is installed)', () => {
  const big = 'big '.repeat(1000);
  beforeAll(() => {
    create('large');
    git('large', 'lfs', 'install', '--local');
    git('large', 'lfs', 'track', '*.bin');
    commit('large', 'model.bin', big);
    create('around');
    addSubmodule('around', '../large', 'large');
  });

  it('are fetched if the pipeline asks for them, also again from a kept clone, and stay pointers else', async () => {
    const plan = { gitUrl: addressOf('large'), checkout: 'shallow' };
    const script = 'wc -c < model.bin; git status --short; head -c 7 model.bin';
    expect((await run(script, plan)).text).toContain('version');
    for (let i = 0; i < 2; i++) expect((await run(script, { ...plan, lfs: true })).text).toBe('4000\nbig big');
  });

  it('of submodules, too', async () => {
    const plan = { gitUrl: addressOf('around'), submodules: 'direct', lfs: true };
    expect((await run('wc -c < large/model.bin', plan)).text).toBe('4000');
  });
});
