// Payloads are written from docs.gitea.com, "Webhooks"; the repository, git and the queue are real.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ForgeBench, KEY, sign } from './test-fixture.ts';

let bench: ForgeBench;
afterEach(() => bench.stop());

const PIPELINES = `
  - {name: test, when: {event: [push, pull_request]}, checkout: shallow, steps: [{name: s, run: x}]}
  - {name: docs, when: {event: push, paths: ['docs/**']}, steps: [{name: s, run: x}]}
  - {name: by-hand, steps: [{name: s, run: x}]}
`;

describe('a push', () => {
  it('starts the pipelines of the configuration that are for it, on its commit', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const { one, two } = bench.origin.commits;
    const done = await bench.deliver('push', bench.push(two, one), 'd-1');
    expect(done).toMatchObject({ state: 'done', event: 'push', author: 'ada', title: 'Fix it', attempts: 1 });
    expect(done.runs).toEqual([{ project_id: 'alpha', pipeline: 'test', run_id: expect.any(String) }]);
    expect(done.skipped).toEqual([{
      project_id: 'alpha',
      pipeline: 'docs',
      reason: 'is for other files than those that have changed',
    }]);
    const run = await bench.run(done.runs[0]!.run_id);
    expect(run).toMatchObject({ state: 'queued', ref: 'main', commit: two, task: 'test' });
    expect(run.source).toMatchObject({
      type: 'forge',
      by: null,
      forge: { forge: 'tea', event: 'push', branch: 'main', commit: two, delivery_id: 'd-1', restricted: false },
    });
  });

  it('is listed with the projects that it is about, and told as the last one of these', async () => {
    bench = await ForgeBench.start('poll: 1h', PIPELINES);
    const first = await bench.deliver('push', bench.push(bench.origin.commits.one), 'd-1');
    const ids = async (query: string): Promise<string[]> =>
      (await bench.api.send('GET', `/webhooks/deliveries?${query}`)).json<{ data: { id: string }[] }>().data.map((
        { id },
      ) => id);
    const second = await bench.deliver('push', bench.push(bench.origin.commits.two, bench.origin.commits.one), 'd-2');
    expect(await ids('project_id=alpha')).toEqual([second.id, first.id]);
    expect(await ids('project_id=alpha&state=failed')).toEqual([]);
    expect(await ids('project_id=bare')).toEqual([]);
    const about = await bench.api.send('GET', '/projects/alpha/forge');
    await expect.poll(async () => (await bench.api.send('GET', '/projects/alpha/forge')).json()).toMatchObject({
      data: { poll: { interval: '1h', last_at: bench.api.clock.ms / 1000, error: null } },
    });
    expect(about.json()).toMatchObject({
      data: {
        forge: { name: 'tea', state: 'no_token', webhook_url: '/api/v1/webhooks/gitea?forge=tea' },
        last_delivery: { id: second.id, runs: second.runs },
      },
    });
  });

  it('is taken once, under the same id and with the same body', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const payload = bench.push(bench.origin.commits.two);
    const first = await bench.deliver('push', payload, 'd-1');
    for (const id of ['d-1', 'another']) {
      const again = await bench.send('push', payload, id);
      expect(again.status).toBe(200);
      expect(again.json<{ data: object }>().data).toMatchObject({ id: first.id, delivery_id: 'd-1' });
    }
    expect(await bench.runs()).toHaveLength(2); // test, and docs of a new branch
  });

  it('is refused without a signature of the forge, and nothing is recorded', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const payload = bench.push(bench.origin.commits.two);
    for (const signature of ['', 'a'.repeat(64), sign(JSON.stringify(payload), 'another key'), sign('{}')]) {
      const answer = await bench.send('push', payload, 'forged', { 'X-Gitea-Signature': signature });
      expect([answer.status, answer.json<{ error: { code: string } }>().error.code]).toEqual([401, 'unauthenticated']);
    }
    expect((await bench.api.send('POST', '/webhooks/github', { body: '{}' })).status).toBe(401);
    expect((await bench.api.send('POST', '/webhooks/nothing', { body: '{}' })).status).toBe(400);
    expect((await bench.api.send('GET', '/webhooks/deliveries')).json()).toEqual({ data: [], next_cursor: null });
    expect(JSON.stringify(bench.api.warnings)).not.toContain(KEY);
  });

  it('that arrives after a newer one runs nothing', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const { one, two } = bench.origin.commits;
    const three = bench.origin.commit('three');
    await bench.deliver('push', bench.push(one), 'd-1');
    await bench.deliver('push', bench.push(three, two), 'd-3');
    const late = await bench.deliver('push', bench.push(two, one), 'd-2');
    expect(late).toMatchObject({ state: 'ignored', reason: 'refs/heads/main has had a newer commit since', runs: [] });
    // A branch that is set back is newer all the same.
    const back = await bench.deliver('push', bench.push(one, three, { forced: true }), 'd-4');
    expect(back.state).toBe('done');
  });

  it('cancels the outdated runs of its branch, and of no other', async () => {
    bench = await ForgeBench.start('', `
  - name: test
    when: {event: push}
    concurrency: {group: '{pipeline}-{branch}', cancel_in_progress: true}
    steps: [{name: s, run: x}]
`);
    const { one, two, feature } = bench.origin.commits;
    const first = await bench.deliver('push', bench.push(one), 'd-1');
    const other = await bench.deliver('push', bench.push(feature, one, { ref: 'refs/heads/feature/x' }), 'd-2');
    const second = await bench.deliver('push', bench.push(two, one), 'd-3');
    const states = await Promise.all(
      [first, other, second].map(async ({ runs }) => (await bench.run(runs[0]!.run_id)).state),
    );
    expect(states).toEqual(['cancelled', 'queued', 'queued']);
  });

  it('of what no project has, and an event that starts nothing, are ignored with a reason', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const foreign = { ...bench.push(bench.origin.commits.two), repository: { full_name: 'org/other' } };
    expect(await bench.deliver('push', foreign, 'd-1')).toMatchObject({
      state: 'ignored',
      reason: 'no project of this forge has the repository org/other',
    });
    expect(await bench.deliver('star', { ...bench.repository }, 'd-2')).toMatchObject({
      state: 'ignored',
      reason: 'the event star starts nothing',
    });
    const gone = bench.push('0'.repeat(40), bench.origin.commits.two);
    expect((await bench.deliver('push', gone, 'd-3')).state).toBe('ignored');
    const listed = await bench.api.send('GET', '/webhooks/deliveries?state=ignored&limit=2');
    const { data, next_cursor } = listed.json<{ data: { delivery_id: string }[]; next_cursor: string }>();
    expect(data.map((each) => each.delivery_id)).toEqual(['d-3', 'd-2']);
    const rest = await bench.api.send('GET', `/webhooks/deliveries?before=${next_cursor}`);
    expect(rest.json<{ data: unknown[] }>().data).toHaveLength(1);
  });

  it('is processed again when somebody asks for it', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const { id, runs } = await bench.deliver('push', bench.push(bench.origin.commits.two), 'd-1');
    expect((await bench.api.send('POST', `/webhooks/deliveries/${id}/redeliver`)).status).toBe(202);
    const again = await bench.settled(id);
    expect(again.runs).toHaveLength(runs.length);
    expect(again.runs[0]!.run_id).not.toBe(runs[0]!.run_id);
    expect((await bench.api.send('POST', `/webhooks/deliveries/${'0'.repeat(32)}/redeliver`)).status).toBe(404);
  });
});

describe('a delivery', () => {
  it('starts each pipeline once, however often the server dies while it is processed', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    const { id } = await bench.deliver('push', bench.push(bench.origin.commits.two), 'd-1');
    const before = await bench.runs();
    // As after a crash between its runs and the record of them.
    await bench.api.sql.transaction((tx) =>
      tx.run('UPDATE forge_deliveries SET state = \'pending\', outcome = \'{"runs":[],"skipped":[]}\' WHERE id = ?', [
        id,
      ])
    );
    await bench.api.sql.transaction((tx) => tx.run('DELETE FROM forge_refs', []));
    await bench.api.forge.stop();
    bench.api.forge.start();
    const again = await bench.settled(id);
    expect(again.runs.map(({ run_id }) => run_id).sort()).toEqual(before.map((run) => run.id).sort());
    expect(await bench.runs()).toHaveLength(before.length);
  });
});

describe('deliveries that arrive together', () => {
  it('are all answered before any is processed, and each starts its run', async () => {
    bench = await ForgeBench.start('', PIPELINES);
    await bench.api.forge.stop();
    const { one, two } = bench.origin.commits;
    const branches = Array.from({ length: 30 }, (_, n) => `topic-${n}`);
    const answers = await Promise.all(
      branches.map((name) => bench.send('push', bench.push(two, one, { ref: `refs/heads/${name}` }), name)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const given = answers.map((answer) => answer.json<{ data: { id: string; state: string } }>().data);
    expect(new Set(given.map(({ state }) => state))).toEqual(new Set(['pending']));
    bench.api.forge.start();
    const done = await Promise.all(given.map(({ id }) => bench.settled(id)));
    expect(new Set(done.map(({ runs, attempts }) => `${runs.length} ${attempts}`))).toEqual(new Set(['1 1']));
    const { data } = (await bench.api.send('GET', '/runs?limit=100')).json<{ data: { task: string }[] }>();
    expect(data).toHaveLength(30);
  });
});

describe('pipelines of the repository', () => {
  const PROJECT = 'pipelines_from: repository, repository_pipelines: {secrets: [TEST], runs_on: [pool=ci]}';

  it('are those at the commit, with what the project allows them', async () => {
    bench = await ForgeBench.start(PROJECT, PIPELINES);
    mkdirSync(join(bench.origin.path, '.quire'));
    const before = bench.origin.commits.two;
    const commit = bench.origin.commit('{secrets: [TEST], runs_on: [gpu=a100], steps: [{name: s, run: make}]}',
      '.quire/test.yaml');
    const done = await bench.deliver('push', bench.push(commit, before), 'd-1');
    expect(done.runs.map(({ pipeline }) => pipeline)).toEqual(['test']);
    const run = await bench.run(done.runs[0]!.run_id);
    expect(run).toMatchObject({ runs_on: ['gpu=a100', 'pool=ci'], ref: 'main', commit });
    expect((await bench.api.queue.material(run.id))?.definition.secrets).toEqual(['TEST']);
  });

  it('that are wrong are shown with file and line, and stop no other', async () => {
    bench = await ForgeBench.start(PROJECT);
    mkdirSync(join(bench.origin.path, '.quire'));
    bench.origin.commit('steps:\n  - name: s\n    run: make\n', '.quire/good.yml');
    bench.origin.commit('secrets: [DEPLOY]\nsteps: [{name: s, run: x}]\n', '.quire/secret.yaml');
    bench.origin.commit('sandbox: none\nsteps: [{name: s, run: x}]\n', '.quire/open.yaml');
    const commit = bench.origin.commit('steps:\n  - name: s\n    rum: make\n', '.quire/typo.yaml');
    const rejected: string[] = [];
    bench.api.forge.onRejected(async ({ pipeline }) => void rejected.push(pipeline));
    const done = await bench.deliver('push', bench.push(commit), 'd-1');
    expect(done.runs.map(({ pipeline }) => pipeline)).toEqual(['good']);
    expect(done.skipped.map(({ reason }) => reason)).toEqual([
      '.quire/open.yaml, line 1: sandbox: pipelines of repositories may not run without a sandbox',
      '.quire/secret.yaml, line 1: secrets[0]: the project alpha does not allow DEPLOY (repository_pipelines.secrets)',
      expect.stringMatching(/^\.quire\/typo\.yaml, line 3: steps\[0\]\.rum: unknown key; did you mean run\?/),
    ]);
    expect(rejected).toEqual(['.quire/open.yaml', '.quire/secret.yaml', '.quire/typo.yaml']);
  });

  it('are read again at their commit when a run is retried', async () => {
    bench = await ForgeBench.start(PROJECT);
    mkdirSync(join(bench.origin.path, '.quire'));
    const commit = bench.origin.commit('{steps: [{name: old, run: x}]}', '.quire/test.yaml');
    const { runs: [started] } = await bench.deliver('push', bench.push(commit), 'd-1');
    bench.origin.commit('{steps: [{name: new, run: x}]}', '.quire/test.yaml');
    await bench.api.send('POST', `/runs/${started!.run_id}/cancel`);
    const retried = await bench.api.send('POST', `/runs/${started!.run_id}/retry`, { key: 'a-retry-of-it' });
    expect(retried.status, retried.text).toBe(202);
    const { id } = retried.json<{ data: { id: string } }>().data;
    expect(JSON.stringify((await bench.api.queue.material(id))?.definition)).toContain('"old"');
  });

  it('leave out steps whose conditions do not hold', async () => {
    bench = await ForgeBench.start(PROJECT);
    mkdirSync(join(bench.origin.path, '.quire'));
    const commit = bench.origin.commit(
      '{steps: [{name: a, run: x}, {name: publish, run: x, when: {event: tag}},\n' +
        '  {name: b, run: x, when: {branch: main}}]}',
      '.quire/test.yaml',
    );
    const { runs: [started] } = await bench.deliver('push', bench.push(commit), 'd-1');
    const { definition } = (await bench.api.queue.material(started!.run_id))!;
    expect(definition.skipped).toEqual([{ name: 'publish', before: 1, reason: 'is for tag, not for push' }]);
    expect(JSON.stringify(definition.assignment)).not.toContain('publish');
    const step = (name: string) => ({
      name,
      startedMs: 1000,
      endedMs: 2000,
      outcome: 'succeeded' as const,
      exitCode: 0,
      signal: null,
    });
    await bench.api.work({ outcome: 'succeeded', started: true, steps: [step('a'), step('b')] }, ['pool=ci']);
    const answer = await bench.api.send('GET', `/runs/${started!.run_id}/attempts`);
    const [attempt] = answer.json<{ data: { steps: { name: string; outcome: string }[] }[] }>().data;
    expect(attempt!.steps.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['a', 'succeeded'],
      ['publish', 'skipped'],
      ['b', 'succeeded'],
    ]);
  });
});
