// What strangers can reach by a pull request from a fork: attacks.
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Definition } from '../definitions/index.ts';
import { ForgeBench } from './test-fixture.ts';

const BASE =
  `{secrets: [TEST], runs_on: [os=linux], concurrency: {group: '{pipeline}-{branch}', cancel_in_progress: true},
  steps: [{name: s, run: make, cache: {key: deps, paths: [node_modules], restore_keys: [old]}}]}`;
const EVIL = `{secrets: [TEST], runs_on: [deploy=yes], concurrency: {group: test-main, cancel_in_progress: true},
  steps: [{name: stolen, run: env, cache: {key: deps, paths: [node_modules]}}]}`;
const PROJECT = 'pipelines_from: repository, repository_pipelines: {secrets: [TEST]}';

let bench: ForgeBench;
let base: string;
let evil: string;

async function start(forks: string): Promise<void> {
  bench = await ForgeBench.start(`${PROJECT}, forks: ${forks}`);
  mkdirSync(`${bench.origin.path}/.quire`);
  base = bench.origin.commit(BASE, '.quire/test.yaml');
  // The forge keeps the fork's commits under the ref of the pull request.
  bench.origin.git('checkout', '--quiet', '-b', 'attack');
  evil = bench.origin.commit(EVIL, '.quire/test.yaml');
  bench.origin.git('update-ref', 'refs/pull/7/head', evil);
  bench.origin.git('checkout', '--quiet', 'main');
  bench.origin.git('branch', '-D', 'attack');
}

async function definitionOf(id: string): Promise<Definition> {
  return (await bench.api.queue.material(id))!.definition;
}

afterEach(() => bench.stop());

describe('a restricted run of a fork', () => {
  beforeEach(() => start('{runs_on: [pool=strangers]}'));

  it("has no secret, the base branch's pipeline, and only ships for strangers", async () => {
    const { runs } = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-1');
    const run = await bench.run(runs[0]!.run_id);
    expect(run).toMatchObject({
      commit: evil,
      ref: 'refs/pull/7/head',
      runs_on: ['os=linux', 'pool=strangers'],
      approval: null,
    });
    expect(run.source.forge).toMatchObject({ restricted: true, pull_request: { number: 7, fork: true, base: 'main' } });
    const { secrets, assignment } = await definitionOf(run.id);
    expect(secrets).toEqual([]);
    expect(JSON.stringify(assignment)).not.toContain('stolen');
  });

  it('writes no cache that others restore, and reads theirs', async () => {
    const { runs } = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-1');
    const { assignment } = await definitionOf(runs[0]!.run_id);
    expect((assignment as { pipeline: { steps: { cache: object }[] } }).pipeline.steps[0]!.cache).toEqual({
      key: 'fork/7/deps',
      paths: ['node_modules'],
      restoreKeys: ['fork/7/old', 'deps', 'old'],
    });
  });

  it('neither cancels nor delays runs of the repository, whatever its branch is called', async () => {
    const push = await bench.deliver('push', bench.push(base), 'd-1');
    const { runs } = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-2');
    expect((await bench.run(push.runs[0]!.run_id)).state).toBe('queued');
    expect((await bench.run(runs[0]!.run_id)).concurrency_group).toBe('fork/7/test-pull/7');
    expect((await bench.run(push.runs[0]!.run_id)).concurrency_group).toBe('test-main');
  });

  it('stays restricted when it is retried', async () => {
    const { runs } = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-1');
    await bench.api.send('POST', `/runs/${runs[0]!.run_id}/cancel`);
    const answer = await bench.api.send('POST', `/runs/${runs[0]!.run_id}/retry`, { key: 'a-retry-of-it' });
    const { id } = answer.json<{ data: { id: string } }>().data;
    expect((await definitionOf(id)).secrets).toEqual([]);
    expect(await bench.run(id)).toMatchObject({ runs_on: ['os=linux', 'pool=strangers'], commit: evil });
  });

  it('is meant by a deleted fork, too, and not by a branch of the repository', async () => {
    const deleted = bench.pullRequest(evil) as { pull_request: { head: object } };
    deleted.pull_request.head = { ref: 'main', sha: evil, repo: null };
    const first = await bench.deliver('pull_request', deleted, 'd-1');
    expect((await bench.run(first.runs[0]!.run_id)).source.forge?.restricted).toBe(true);
    bench.origin.git('update-ref', 'refs/pull/8/head', base);
    const own = bench.pullRequest(base, 'org/alpha') as { pull_request: { number: number } };
    own.pull_request.number = 8;
    const second = await bench.deliver('pull_request', own, 'd-2');
    const run = await bench.run(second.runs[0]!.run_id);
    expect(run.source.forge?.restricted).toBe(false);
    expect((await definitionOf(run.id)).secrets).toEqual(['TEST']);
  });
});

describe('a run of a fork that needs an approval', () => {
  it('waits, and has secrets and a cache of its own when it is approved', async () => {
    await start('{runs: approval}');
    const { runs } = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-1');
    const run = await bench.run(runs[0]!.run_id);
    expect(run).toMatchObject({ waiting_reason: 'approval', approval: { state: 'waiting' } });
    const { secrets, assignment } = await definitionOf(run.id);
    expect(secrets).toEqual(['TEST']);
    expect(JSON.stringify(assignment)).toContain('fork/7/deps');
    expect(JSON.stringify(assignment)).not.toContain('stolen');
  });
});

describe('a project that runs nothing for forks', () => {
  it('starts nothing for their pull requests', async () => {
    await start('{runs: never}');
    const done = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-1');
    expect(done.runs).toEqual([]);
    expect(done.skipped[0]!.reason).toContain('runs nothing for forks');
  });
});

describe('a comment', () => {
  const comment = (body: string, login: string) => ({
    action: 'created',
    ...bench.repository,
    issue: { number: 7, title: 'Improve', pull_request: {} },
    comment: { id: 1, body, user: { login } },
  });

  it('is a command only of people who may write', async () => {
    await start('{runs_on: [pool=strangers]}');
    const before = await bench.deliver('pull_request', bench.pullRequest(evil), 'd-1');
    bench.api.forgeApis.set('tea', {
      permissionOf: async (_repository: string, login: string) => (login === 'ada' ? 'write' : 'read'),
      pullRequest: async () => ({
        number: 7,
        title: 'Improve',
        url: '',
        base: 'main',
        head: 'main',
        headCommit: evil,
        headRef: 'refs/pull/7/head',
        isFork: true,
        labels: [],
      }),
    } as never);
    const stranger = await bench.deliver('issue_comment', comment('/run test', 'mallory'), 'd-2');
    expect(stranger).toMatchObject({ state: 'ignored', reason: 'mallory may not write to the repository' });
    expect((await bench.deliver('issue_comment', comment('nice', 'ada'), 'd-3')).reason).toBe('it has no command');
    const run = await bench.deliver('issue_comment', comment('Again:\n/run test', 'ada'), 'd-4');
    expect(await bench.run(run.runs[0]!.run_id)).toMatchObject({
      task: 'test',
      commit: evil,
      runs_on: ['os=linux', 'pool=strangers'],
    });
    expect((await definitionOf(run.runs[0]!.run_id)).secrets).toEqual([]);
    await bench.api.send('POST', `/runs/${before.runs[0]!.run_id}/cancel`);
    const retried = await bench.deliver('issue_comment', comment('/retry', 'ada'), 'd-5');
    expect((await bench.run(retried.runs[0]!.run_id)).retry_of).toBe(before.runs[0]!.run_id);
  });
});
