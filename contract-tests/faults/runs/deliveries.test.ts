import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ForgeDelivery, Run } from '../../../generated/runs/sdk/types.gen.ts';
import { type Random, seededRandom } from '../../../src/testkit/crash/random.ts';
import { FaultBench, QUICK } from '../../../src/testkit/runs-faults/bench.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { API_TOKEN, HOOK_KEY, type Push, PushingForge } from '../../../src/testkit/runs-faults/pushing-forge.ts';
import { livingSteps } from '../../../src/testkit/runs-faults/steps.ts';

/** 20 kills during 200 pushes are the long form. */
const KILLS = Number(process.env['QUIRE_FAULT_ROUNDS'] ?? 2);
const PUSHES = Number(process.env['QUIRE_FAULT_PUSHES'] ?? KILLS * 6);
const SEED = Number(process.env['QUIRE_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Each has its pushes in order; a branch whose pushes wait does not hold up another. */
const BRANCHES = 6;
const FAILS = 'red';
const MARK = `TEST_MARK=${crypto.randomUUID()}`;

/**
 * The first job hands a file to the second one, which has steps side by side and a service, and fails for some commits.
 * Some processes leave their session.
 */
const PIPELINE = `
max_attempts: 100
env: {${MARK.replace('=', ': ')}}
jobs:
  - name: build
    steps:
      - {name: server, background: true, run: 'setsid sleep 1000 & sleep 1000'}
      - {name: build, run: 'mkdir dist; echo "$QUIRE_COMMIT" > dist/commit; sleep 0.2', artifacts: [dist]}
  - name: test
    needs: [build]
    services: {db: {run: 'setsid sleep 1000 & touch up; sleep 1000', health: {run: test -e up, interval: 100ms}}}
    steps:
      - {name: lint, needs: [], run: test -e up; sleep 0.1}
      - {name: test, needs: [], run: 'test "$(cat dist/commit)" = "$QUIRE_COMMIT"; sleep 0.1; test "$QUIRE_EVENT_TITLE" != ${FAILS}'}
`;

async function start(onTestFinished: (end: () => Promise<void>) => void) {
  const forge = await new PushingForge(PIPELINE).start();
  const bench = new FaultBench({
    repositories: forge.repositories,
    env: { HOOK: HOOK_KEY, TEA: API_TOKEN },
    yaml: () =>
      `${QUICK}
secrets: [{name: HOOK, env: HOOK}, {name: TEA, env: TEA}]
forges: [{name: tea, kind: gitea, url: '${forge.url}', token: TEA, webhook_secret: HOOK}]
projects: [{id: app, repository: org/app, forge: tea, pipelines_from: repository}]`,
  });
  onTestFinished(async () => {
    await forge.stop();
    await bench.close();
  });
  await bench.serve();
  const ships = [await bench.ship('one'), await bench.ship('two')];
  return { forge, bench, ships };
}

/** Kills processes, and starts them again, at arbitrary times, so the test waits for times instead of events. */
async function killAtRandom({ bench, ships }: Awaited<ReturnType<typeof start>>, random: Random): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await setTimeout(random.integer(100, 1500));
    const victims = random.pick([['server'], ['ship'], ['server', 'ship']]);
    const ship = random.pick(ships);
    await Promise.all(
      victims.map((victim) => victim === 'server' ? bench.killServer() : ship.program.signal('SIGKILL').ended),
    );
    if (victims.includes('server')) await bench.serve();
    if (victims.includes('ship')) await ship.restart();
  }
}

/** Pushes to all branches at once, and to each in order. */
async function pushAll(forge: PushingForge, bench: FaultBench, random: Random): Promise<Push[]> {
  const pushes: Push[] = [];
  await Promise.all(Array.from({ length: BRANCHES }, async (_, branch) => {
    for (let n = branch; n < PUSHES; n += BRANCHES) {
      await setTimeout(random.integer(0, 2000));
      if (forge.isOver) return;
      pushes.push(await forge.push(`topic-${branch}`, n % 5 === 4 ? FAILS : 'green', () => bench.url));
    }
  }));
  return pushes;
}

async function expectOutcome(bench: FaultBench, forge: PushingForge, { id, commit, title }: Push,
  delivery: ForgeDelivery | undefined): Promise<void>
{
  expect(delivery, id).toMatchObject({ state: 'done', runs: [{ project_id: 'app', pipeline: 'test' }] });
  const run = await bench.reached(delivery!.runs[0]!.run_id, 'succeeded', 'failed');
  expect([run.commit, run.state], `${id}: ${JSON.stringify(run.error)}`).toEqual([commit,
    title === FAILS ? 'failed' : 'succeeded']);
  const cells = await bench.data<Run[]>('GET', `/runs?parent_id=${run.id}`);
  expect(cells.map(({ job }) => job).sort()).toEqual(['build', 'test']);
  const built = cells.find(({ job }) => job === 'build')!;
  expect(await bench.download(`/runs/${built.id}/artifacts/${encodeURIComponent('dist/commit')}`)).toBe(`${commit}\n`);
  await eventually(`the status of ${id}`,
    () => (forge.shown.get(commit)?.at(-1)?.state === (title === FAILS ? 'failure' : 'success') ? true : undefined));
  expect(new Set(forge.shown.get(commit)!.map(({ context }) => context))).toEqual(new Set(['quire/test']));
}

it(`each push has one run, and each commit its final status (${KILLS} kills in ${PUSHES} pushes, seed ${SEED})`, {
  timeout: 120_000 + KILLS * 30_000,
}, async ({ onTestFinished }) => {
  const random = seededRandom(SEED);
  const all = await start(onTestFinished);
  const { forge, bench } = all;
  const [pushes] = await Promise.all([pushAll(forge, bench, random), killAtRandom(all, random)]);
  expect(pushes).toHaveLength(PUSHES);
  // Nothing of it counts twice, in whatever order.
  for (const push of pushes.toReversed()) await forge.send(push, () => bench.url);

  const deliveries = await eventually('all deliveries to be processed', async () => {
    const found = await bench.allPages<ForgeDelivery>('/webhooks/deliveries', 100);
    return found.some(({ state }) => state === 'pending') ? undefined : found;
  });
  expect(deliveries.map(({ delivery_id: id }) => id).sort()).toEqual(pushes.map(({ id }) => id).sort());
  const runs = (await bench.allRuns()).filter(({ parent_id: parent }) => parent === null);
  expect(runs).toHaveLength(PUSHES);
  for (const push of pushes)
    await expectOutcome(bench, forge, push, deliveries.find(({ delivery_id: id }) => id === push.id));
  await eventually('all steps to be gone', () => (livingSteps([MARK]).length === 0 ? true : undefined));
  await eventually('both ships to be free',
    async () => ((await bench.listShips()).every(({ running }) => running === 0) ? true : undefined));
});
