// The commit of a run: with real repositories, git and processes.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { Origin, serveGit } from '../../../testkit/git-origin.ts';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, type Running,
  start } from '../../../testkit/runs-executor.ts';

let origin: Origin;
let keepFolder: string;
const benches: ExecutorBench[] = [];
beforeAll(() => void (origin = new Origin()));
afterAll(() => origin.remove());
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
  rmSync(keepFolder, { recursive: true, force: true });
});

/** An executor that keeps clones in a folder; all executors of one test share it. */
function bench(limit = 2 ** 30): ExecutorBench {
  if (benches.length === 0) keepFolder = mkdtempSync(join(tmpdir(), 'quire-kept-'));
  const made = executorBench({ keep: { folder: keepFolder, limit } });
  benches.push(made);
  return made;
}

const SHOW =
  'cat file.txt; echo " $QUIRE_REF $QUIRE_COMMIT $(git rev-parse HEAD) $(git rev-parse --abbrev-ref HEAD) $(git ' +
  'rev-list --count HEAD)"; git status --short';

function run(on: ExecutorBench, plan: object, script = SHOW, fields: object = {}): Running & {
  readonly found: string[][];
} {
  const found: string[][] = [];
  const running = start(on.executor,
    assignmentOf(pipelineOf([script], { checkout: 'shallow', gitUrl: origin.url, ...plan }), fields), undefined, {
    sourceFound: (...source) => void found.push(source),
  });
  return Object.assign(running, { found });
}

async function shown(on: ExecutorBench, plan: object): Promise<string> {
  const running = run(on, plan);
  expect(await running.result, running.text().join('\n')).toMatchObject({ outcome: Outcome.SUCCEEDED });
  return running.text('stdout').join('\n');
}

const clones = (): string[] => readdirSync(join(keepFolder, 'clones'));

describe('a ref', () => {
  it('is a branch, a tag or a commit, and is passed to the steps and the server', async () => {
    const on = bench();
    const { one, two, feature } = origin.commits;
    expect(await shown(on, {})).toBe(`two main ${two} ${two} main 1`);
    expect(await shown(on, { gitRef: 'feature/x' })).toBe(`feature feature/x ${feature} ${feature} feature/x 1`);
    expect(await shown(on, { gitRef: 'v1' })).toBe(`one v1 ${one} ${one} HEAD 1`);
    expect(await shown(on, { gitRef: 'v2', checkout: 'full' })).toBe(`two v2 ${two} ${two} HEAD 2`);
    expect(await shown(on, { gitRef: one })).toBe(`one ${one} ${one} ${one} HEAD 1`);
    const running = run(on, { gitRef: 'refs/heads/main', checkout: 'full' });
    await running.result;
    expect(running.found).toEqual([['refs/heads/main', two]]);
  });

  it('that is a full name is not the branch that somebody has given this name', async () => {
    origin.git('update-ref', 'refs/heads/refs/heads/main', origin.commits.feature);
    const running = run(bench(), { gitRef: 'refs/heads/main' });
    await running.result;
    origin.git('update-ref', '-d', 'refs/heads/refs/heads/main');
    expect(running.found).toEqual([['refs/heads/main', origin.commits.two]]);
  });

  it('that is not there is reported with similar names', async () => {
    const said = async (gitRef: string): Promise<string | undefined> =>
      (await run(bench(), { gitRef }).result).error?.message;
    expect(await said('mian')).toBe(
      'the checkout failed: the repository has no branch or tag "mian"; there are: feature/x, main, v1, v2; did ' +
        'you mean main?',
    );
    expect(await said(origin.commits.one.slice(0, 9))).toContain('a commit is named by all of its characters');
    expect(await said('0'.repeat(40))).toBe(`the checkout failed: the repository has no commit ${'0'.repeat(40)}`);
    expect(await said('--upload-pack=touch x')).toBe(
      'the checkout failed: its ref is no name of a branch, tag or commit',
    );
  });

  it('of a further attempt is the commit of the first one, however the branch has moved since', async () => {
    const on = bench();
    const { one } = origin.commits;
    expect(await shown(on, { gitRef: 'main', commit: one })).toBe(`one main ${one} ${one} main 1`);
  });
});

describe('a clone that is kept', () => {
  it('is used again, also when the repository is gone, and by several runs at once', async () => {
    const on = bench();
    const gone = new Origin();
    const plan = { gitUrl: gone.url, gitRef: gone.commits.two };
    await shown(on, plan);
    gone.remove();
    expect(clones()).toHaveLength(1);
    const all = await Promise.all(Array.from({ length: 3 }, () => shown(on, plan)));
    expect(new Set(all).size).toBe(1);
  });

  it('gets what has come since', async () => {
    const on = bench();
    const own = new Origin();
    const plan = { gitUrl: own.url, checkout: 'full' };
    await shown(on, plan);
    own.git('branch', '-D', 'feature/x');
    own.git('branch', 'feature'); // where a folder of refs was
    const three = own.commit('three');
    expect(await shown(on, plan)).toBe(`three main ${three} ${three} main 3`);
    expect(clones()).toHaveLength(1);
    own.remove();
  });

  it('that was being changed when the ship died, or is damaged, is rebuilt', async () => {
    const expected = await shown(bench(), {});
    const [clone] = clones();
    writeFileSync(join(keepFolder, 'clones', clone!, 'busy'), '');
    writeFileSync(join(keepFolder, 'clones', clone!, 'git', 'HEAD.lock'), '');
    const next = bench();
    expect(await shown(next, {})).toBe(expected);
    rmSync(join(keepFolder, 'clones', clone!, 'git', 'objects'), { recursive: true });
    expect(await shown(next, {})).toBe(expected);
    expect(await shown(next, {})).toBe(expected);
  });

  it('makes room for those that were used later', async () => {
    const on = bench(1);
    await shown(on, {});
    expect(clones()).toEqual([]);
    expect(existsSync(join(keepFolder, 'owner'))).toBe(true);
  });

  it('is not shared by projects, which may have other credentials', async () => {
    const on = bench();
    await shown(on, {});
    await run(on, {}, SHOW, { projectId: 'other' }).result;
    expect(clones()).toHaveLength(2);
  });
});

describe('a hostile server', () => {
  it('cannot name a default branch that leads to files outside of the work folder', async () => {
    const outside = join(origin.folder, 'outside');
    const server = await serveGit(origin.folder, 'password', `refs/heads/${'../'.repeat(30)}${outside.slice(1)}`);
    const running = run(bench(), {
      gitUrl: `${server.url}/origin/.git`,
      credentials: { username: 'robot', password: 'password' },
    });
    const { outcome } = await running.result;
    expect(existsSync(outside)).toBe(false);
    expect(outcome, running.text().join('\n')).toBe(Outcome.SUCCEEDED);
    const { two } = origin.commits;
    expect(running.text('stdout')).toEqual([`two ${two} ${two} ${two} HEAD 1`]);
    server.stop();
  });
});

describe('a private repository', () => {
  it('is fetched with a token that steps do not get, in no variable, file or log', async () => {
    const token = 'a-token-of-a-robot';
    const server = await serveGit(origin.folder, token);
    const on = bench();
    const plan = { gitUrl: `${server.url}/origin/.git`, credentials: { username: 'robot', password: token } };
    const running = run(on, plan,
      `${SHOW}; env; cat .git/config; grep -r ${token.slice(0, 12)} .. 2>/dev/null || echo nowhere`);
    expect(await running.result, running.text().join('\n')).toMatchObject({ outcome: Outcome.SUCCEEDED });
    expect(running.text().join('\n')).not.toMatch(/\*\*\*|robot|GIT_PASSWORD/);
    expect(running.text()).toContain('nowhere');
    expect(server.asked).toContain(`robot:${token}`);
    const refused = run(on, { ...plan, credentials: { username: 'robot', password: 'another-token' } });
    expect((await refused.result).error?.message).toBe('the checkout failed: git exited with code 128');
    expect(refused.text('stderr').join('\n')).not.toContain('another-token');
    server.stop();
  });

  it('has a key in a file for git alone, and no token that git cannot use', async () => {
    const on = bench();
    const running = run(on, {
      gitUrl: 'ssh://git@127.0.0.1:1/x.git',
      credentials: { sshKey: 'a key\n', knownHosts: 'host ssh-ed25519 AAAA' },
    }, 'true');
    expect((await running.result).error?.message).toContain('the checkout failed');
    expect(running.text().join('\n')).not.toContain('a key');
    const wrong = run(on, { gitUrl: origin.url, credentials: { password: 'abcdefgh' } });
    expect((await wrong.result).error?.message).toContain('its address is not https://');
  });
});
