// The commit of a run, in the request, the queue and the ship.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Fleet as FleetProtocol, Outcome, type PipelinePlan, RecordSourceStatus,
  type RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { ServiceError } from '../../errors/index.ts';
import { silentLog } from '../../lib/log.ts';
import { FleetFixture, type TestShip, type TestStream } from '../../testkit/runs-fleet.ts';
import { parseRunsConfig } from '../config/index.ts';
import { resolveRun, type RunRequest } from '../definitions/index.ts';

const COMMIT = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12';
const CONFIG = parseRunsConfig(`
secrets: [{name: GIT_TOKEN, env: GIT_TOKEN}, {name: DEPLOY_KEY, env: DEPLOY_KEY}]
git:
  credentials:
    - {url: 'https://git.example.org', token: GIT_TOKEN}
    - {url: 'https://git.example.org/team/', token: GIT_TOKEN, username: robot}
    - {url: 'git@git.example.org:', ssh_key: DEPLOY_KEY, known_hosts: 'git.example.org ssh-ed25519 AAAA'}
projects:
  - {id: alpha, repository: 'https://git.example.org/team/alpha.git'}
  - {id: beta, repository: 'https://git.example.org.evil.example/team/beta.git'}
  - {id: gamma, repository: 'git@git.example.org:team/gamma.git'}
pipelines:
  - {name: build, checkout: shallow, steps: [{name: one, run: make, artifacts: [dist], cache: {key: k, paths: [deps]}}]}
  - {name: bare, steps: [{name: one, run: make}]}
  - {name: release, steps: [{name: one, run: make}, {name: two, approval: {required: true}}, {name: three, run: make deploy}]}
`);

const resolve = (more: Partial<RunRequest>) =>
  resolveRun(CONFIG, { projectId: 'alpha', kind: 'pipeline', task: 'build', ...more }, {
    keyVariableAvailable: () => true,
    log: silentLog,
  });
const definitionOf = async (more: Partial<RunRequest> = {}) => (await resolve(more)).definition;

let fixture: FleetFixture;
let ship: TestShip;
let stream: TestStream;

beforeEach(async () => {
  fixture = await FleetFixture.start();
  ({ ship, stream } = await fixture.connected('build-01'));
});
afterEach(() => fixture.stop());

async function taken(): Promise<{ ref: RunRef; plan: PipelinePlan }> {
  const { ref, plan } = await stream.take();
  return { ref: ref!, plan: plan.value as PipelinePlan };
}

const record = (ref: RunRef, fields: object = {}) =>
  ship.call(FleetProtocol.method.recordSource, { ref, gitRef: 'main', commit: COMMIT, ...fields });

it('is recorded once by the ship that holds the run, and further attempts and retries use it', async () => {
  const run = await fixture.submit({ definition: await definitionOf(), gitRef: 'main', maxAttempts: 2 });
  fixture.secrets.set('GIT_TOKEN', 'a-token');
  const first = await taken();
  expect(first.plan).toMatchObject({ gitRef: 'main', commit: '' });
  expect((await record(first.ref)).status).toBe(RecordSourceStatus.SOURCE_RECORDED);
  await record(first.ref, { commit: 'f'.repeat(40) });
  expect((await record({ ...first.ref, fencingToken: 99n })).status).toBe(RecordSourceStatus.RECORD_SOURCE_FENCED);
  await expect(record(first.ref, { commit: 'main' })).rejects.toThrow('commit must be 40 or 64');
  await expect(record(first.ref, { gitRef: '--x' })).rejects.toThrow('git_ref must name');
  await ship.complete(first.ref, Outcome.SHIP_ERROR, {
    steps: [{ name: 'one', startedUnixMs: 1000n, endedUnixMs: 2000n, outcome: 'failed', exitCode: 3 }],
  });
  fixture.now += 10_000;
  await fixture.parts.tick();
  const second = await taken();
  expect(second.plan).toMatchObject({ gitRef: 'main', commit: COMMIT });
  const record_ = (await fixture.queue.get(run.id))!;
  expect(await fixture.queue.attempts(record_)).toMatchObject([{
    attempt: 1,
    outcome: 'ship_error',
    gitCommit: COMMIT,
    steps: [{ name: 'one', outcome: 'failed', exitCode: 3 }],
  }, { attempt: 2, outcome: null, gitCommit: COMMIT, steps: [] }]);
  await ship.complete(second.ref, Outcome.FAILED);
  await fixture.submit({ definition: await definitionOf(), gitRef: 'main', retryOf: record_ });
  expect((await taken()).plan).toMatchObject({ gitRef: 'main', commit: COMMIT });
});

it('is fetched with what the configuration has for the longest beginning of its address, and for no other host', async () => {
  fixture.secrets.set('GIT_TOKEN', 'a-token').set('DEPLOY_KEY', 'a-key');
  const planOf = async (projectId: string): Promise<PipelinePlan> => {
    await fixture.submit({ definition: await definitionOf({ projectId }) });
    const { plan } = await taken();
    return plan;
  };
  expect((await planOf('alpha')).credentials).toMatchObject({ username: 'robot', password: 'a-token', sshKey: '' });
  expect((await planOf('beta')).credentials).toBeUndefined();
  await fixture.submit({ definition: await definitionOf({ kind: 'diagnostic', task: 'repository' }) });
  expect((await taken()).plan.credentials).toMatchObject({ username: 'robot', password: 'a-token' });
  const { credentials, steps } = await planOf('gamma');
  expect([credentials, steps[0]]).toMatchObject([{
    sshKey: 'a-key',
    knownHosts: 'git.example.org ssh-ed25519 AAAA',
    password: '',
  }, { artifacts: ['dist'], cache: { key: 'k', paths: ['deps'] } }]);
});

it('is continued after an approval by a ship that restores its artefacts', async () => {
  const run = await fixture.submit({ definition: await definitionOf({ task: 'release' }), task: 'release' });
  const first = await taken();
  expect([first.plan.steps.map(({ name }) => name), first.plan.restoreArtifacts]).toEqual([['one'], false]);
  await ship.complete(first.ref, Outcome.SUCCEEDED);
  await fixture.queue.approve(run.id, 'api', async () => {});
  const { ref, plan } = await stream.take();
  expect([ref.attempt, (plan.value as PipelinePlan).steps.map(({ name }) => name),
    (plan.value as PipelinePlan).restoreArtifacts]).toEqual([1, ['three'], true]);
});

it.each([[{ gitRef: '--upload-pack=x' }, 'ref must name a branch, a tag or a commit, got "--upload-pack=x"'], [{
  gitRef: 'a..b',
}, 'ref must name'], [{ gitRef: 'main', task: 'bare' }, 'the pipeline bare checks nothing out'], [{
  gitRef: 'main',
  kind: 'diagnostic',
}, 'ref is for pipelines']] as const)('is refused as %o', async (more, said) => {
  const error = await resolve(more).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(said) });
});
