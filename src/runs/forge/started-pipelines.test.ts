// Pipelines of the repository that somebody or a schedule starts; the repository and git are real.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import type { Answer } from '../../testkit/http-client.ts';
import { ForgeBench } from './test-fixture.ts';

const PROJECT = 'pipelines_from: repository, repository_pipelines: {secrets: [TEST], runs_on: [pool=ci]}';

let bench: ForgeBench;
let commit: string;
beforeEach(async () => {
  bench = await ForgeBench.start(PROJECT, '[{name: build, steps: [{name: ours, run: x}]}]');
  mkdirSync(join(bench.origin.path, '.quire'));
  bench.origin.commit('{steps: [{name: theirs, run: x}]}', '.quire/build.yaml');
  bench.origin.commit('{steps: [{name: s, rum: x}]}', '.quire/wrong.yaml');
  bench.origin.commit('{checkout: none, steps: [{name: s, run: x}]}', '.quire/bare.yaml');
  commit = bench.origin.commit(`
secrets: [TEST]
inputs: [{name: target, default: staging}]
when: {event: schedule}
steps: [{name: s, run: x, when: {branch: main}}, {name: t, run: x, when: {event: schedule}}]
`, '.quire/nightly.yaml');
});
afterEach(() => bench.stop());

let keys = 0;
const submit = (task: string, more: object = {}): Promise<Answer> =>
  bench.api.enqueue(`started-${keys++}`, { project_id: 'alpha', kind: 'pipeline', task, ...more });
const queued = async (task: string, more: object = {}): Promise<Run> => {
  const answer = await submit(task, more);
  expect([answer.status, answer.text]).toEqual([202, expect.anything()]);
  return answer.json<{ data: Run }>().data;
};
const refused = async (task: string, more: object = {}): Promise<[string, string]> => {
  const { error: { code, message } } = (await submit(task, more)).json<{ error: { code: string; message: string } }>();
  return [code, message];
};
const stepsOf = async ({ id }: Run): Promise<string[]> => {
  const { assignment } = (await bench.api.queue.material(id))!.definition;
  return (assignment as unknown as { pipeline: { steps: { name: string }[] } }).pipeline.steps.map(({ name }) => name);
};

describe('a pipeline of the repository', () => {
  it('is started by hand, at the commit of the default branch, with what the project allows it', async () => {
    const run = await queued('nightly', { input: { target: 'production' } });
    expect(run).toMatchObject({ ref: 'main', commit, runs_on: ['pool=ci'], skipped: null });
    expect(run.source).toMatchObject({
      type: 'api',
      by: 'api',
      forge: { forge: 'tea', event: 'manual', ref: 'refs/heads/main', branch: 'main', commit, delivery_id: '' },
    });
    expect(await stepsOf(run)).toEqual(['s']);
    expect((await bench.api.queue.material(run.id))!.definition).toMatchObject({
      secrets: ['TEST'],
      skipped: [{ name: 't', reason: 'is for schedule, not for manual' }],
    });
    // A retry reads it at the same commit, whatever was committed since.
    bench.origin.git('rm', '--quiet', '.quire/nightly.yaml');
    bench.origin.commit('later');
    await bench.api.send('POST', `/runs/${run.id}/cancel`);
    const retried = (await bench.api.send('POST', `/runs/${run.id}/retry`, { key: 'again-and-again' })).json<
      { data: Run }
    >().data;
    expect(retried).toMatchObject({ commit, source: { type: 'retry', forge: { event: 'manual' } } });
  });

  it('is read at a branch, a tag or a commit of a branch', async () => {
    bench.origin.git('checkout', '--quiet', '-b', 'next');
    const next = bench.origin.commit('{steps: [{name: n, run: x}]}', '.quire/new.yaml');
    bench.origin.git('tag', '-a', '-m', 'x', 'v3');
    bench.origin.git('checkout', '--quiet', 'main');
    for (const ref of ['next', 'refs/heads/next', 'v3', 'refs/tags/v3', next])
      expect(await queued('new', { ref })).toMatchObject({ ref, commit: next });
    expect(await stepsOf(await queued('new', { ref: 'v3' }))).toEqual(['n']);
    expect(await queued('bare', { ref: 'next' })).toMatchObject({
      ref: null,
      commit: null,
      source: { forge: { ref: 'refs/heads/next', commit: next } },
    });
  });

  it('is never read at a ref of a pull request, nor at a commit that only such a ref has', async () => {
    bench.origin.git('checkout', '--quiet', '--detach', 'main');
    const foreign = bench.origin.commit('{secrets: [TEST], steps: [{name: evil, run: x}]}', '.quire/evil.yaml');
    bench.origin.git('update-ref', 'refs/pull/7/head', foreign);
    bench.origin.git('checkout', '--quiet', 'main');
    expect(await refused('evil', { ref: 'refs/pull/7/head' })).toEqual(['invalid_input',
      'ref: pipelines of a repository are read at its branches and tags, not at "refs/pull/7/head"']);
    expect((await refused('evil', { ref: foreign }))[0]).toBe('invalid_input');
    expect((await refused('evil', { ref: 'pull/7/head' }))[0]).toBe('invalid_input');
    expect((await refused('evil', { ref: '--upload-pack=x' }))[0]).toBe('invalid_input');
    expect(await bench.runs()).toEqual([]);
  });

  it('never takes the place of one of the configuration', async () => {
    expect(await stepsOf(await queued('build'))).toEqual(['ours']);
  });

  it('that is not there is refused, with what there is or what is wrong', async () => {
    expect(await refused('nihgtly')).toEqual(['pipeline_unavailable',
      expect.stringMatching(/^task: no pipeline "nihgtly" .* it has: bare, build, nightly; did you mean nightly\?$/)]);
    expect(await refused('wrong')).toEqual(['pipeline_unavailable', expect.stringContaining('unknown key; did you')]);
    expect(await refused('nightly', { ref: 'mian' })).toEqual(['invalid_input',
      expect.stringContaining('ref: the repository of the project alpha has no branch or tag "mian"')]);
    bench.api.configure(bench.config(PROJECT).replaceAll(bench.origin.url, 'file:///nowhere'));
    expect(await refused('nightly')).toEqual(['pipeline_unavailable', expect.stringContaining('cannot be read: git')]);
    bench.api.configure(bench.config());
    expect((await refused('nightly'))[1]).toContain('no pipeline "nightly" in project alpha');
  });

  it('is started by a schedule, on its ref', async () => {
    const schedules = (task: string): string =>
      `${bench.config(PROJECT)}
scheduler: {jitter: '0'}
schedules: [{name: nightly, project: alpha, cron: '0 * * * *', task: ${task}, ref: main}]`;
    bench.api.configure(schedules('nightly'));
    await bench.api.schedules.tick();
    bench.api.clock.ms += 3_600_000;
    await bench.api.schedules.tick();
    const [run] = await bench.runs();
    expect(run).toMatchObject({ ref: 'main', commit, source: { type: 'schedule', forge: { event: 'schedule' } } });
    expect(await stepsOf(run!)).toEqual(['s', 't']);
    bench.api.configure(schedules('gone').replace('name: nightly', 'name: other'));
    await bench.api.schedules.tick();
    bench.api.clock.ms += 3_600_000;
    await bench.api.schedules.tick();
    const [schedule] = (await bench.api.send('GET', '/schedules')).json<{ data: { last_skip: object }[] }>().data;
    expect(schedule!.last_skip).toMatchObject({ reason: expect.stringContaining('task: no pipeline "gone"') });
  });
});
