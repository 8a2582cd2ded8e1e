// Steps that need others, side by side in one work folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, type Running, script, start,
  type StepInit } from '../../../testkit/runs-executor.ts';
import { usersWithProcesses } from '../process/leftovers.ts';

const benches: ExecutorBench[] = [];
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function bench(options: Parameters<typeof executorBench>[0] = {}): ExecutorBench {
  const made = executorBench(options);
  benches.push(made);
  return made;
}

type StepFields = Extract<StepInit, { readonly $typeName?: never }>;

const needing = (needs: readonly string[], text: string, fields: StepFields = {}): StepInit => ({
  ...script(text),
  needs: { names: [...needs] },
  ...fields,
});
const run = (steps: readonly StepInit[], fields: Parameters<typeof assignmentOf>[1] = {}, plan: object = {},
  on = bench()): Running => start(on.executor, assignmentOf(pipelineOf(steps, plan), fields));

async function end(running: Running) {
  const result = await running.result;
  expect(await running.living()).toEqual([]);
  expect(benches.at(-1)!.left()).toEqual([]);
  return { ...result, outcome: Outcome[result.outcome] };
}

/** Waits for the file of another step. */
const awaits = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.01; done`;

describe('steps that need others', () => {
  it('run at once, and the next when all that it needs have ended, with results in the order of the list', async () => {
    // Each of two waits for the other, so that they end only if both run.
    const running = run([needing([], `touch one; ${awaits('two')}; sleep 0.1; echo a`),
      needing([], `touch two; ${awaits('one')}; echo b`), needing(['s1', 's2'], 'ls; echo c')]);
    const { outcome, steps } = await end(running);
    expect(outcome).toBe('SUCCEEDED');
    expect(steps!.map(({ name }) => name)).toEqual(['s1', 's2', 's3']);
    expect(running.text()).toEqual(['b', 'a', 'one', 'two', 'c']);
  });

  it('are at most as many at once as the pipeline says', async () => {
    const text = 'mkdir running; sleep 0.05; rmdir running'; // fails beside another
    expect(await end(run(Array.from({ length: 4 }, () => needing([], text)), {}, { maxParallelSteps: 1 })))
      .toMatchObject({ outcome: 'SUCCEEDED' });
  });

  it('end by themselves after a failure beside them; only those that always run start, and the log names the others',
    async () => {
      const running = run([needing([], `${awaits('failed')}; sleep 0.1; echo whole`),
        needing([], 'touch failed; exit 3'), needing(['s1'], 'echo never'), needing(['s3'], 'echo never'),
        needing(['s3', 's2'], 'echo cleanup', { always: true })]);
      const { outcome, error, steps } = await end(running);
      expect([outcome, error]).toMatchObject(['FAILED', { code: 'step_failed', step: 's2', exitCode: 3 }]);
      expect(steps!.map(({ name, outcome: how }) => [name, how])).toEqual([['s1', 'succeeded'], ['s2', 'failed'], ['s5',
        'succeeded']]);
      expect(running.text()).toEqual(['whole', 'step s3 does not start: s2 has failed',
        'step s4 does not start: s2 has failed', 'cleanup']);
      expect(running.lines.at(1)!.step).toBe('s3');
    });

  it('go on after a failure that is allowed', async () => {
    const running = run([needing([], 'exit 1', { continueOnError: true }), needing(['s1'], 'echo next')]);
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
  });

  it('are all stopped by a cancel, killed by a kill, and ended by a timeout', async () => {
    const sleeps =
      (): StepInit[] => [needing([], 'echo ready; setsid sleep 100 & sleep 100'), needing([], awaits('no')),
        needing([], 'echo clean', { always: true }), needing(['s1'], 'echo never')];
    const stopped = run(sleeps());
    await stopped.saw('ready');
    stopped.stop(10_000, 10_000);
    expect(await end(stopped)).toMatchObject({ outcome: 'CANCELLED' });
    expect(stopped.text().at(-1)).toBe('step s4 does not start: the run is stopped');
    const killed = run(sleeps());
    await killed.saw('ready');
    killed.kill();
    expect(await end(killed)).toMatchObject({ outcome: 'CANCELLED' });
    expect(await end(run(sleeps(), { timeoutMs: 300n }))).toMatchObject({ outcome: 'TIMED_OUT' });
  });

  it('wait for a step in the background only until it has started', async () => {
    const running = run([needing([], 'touch up; sleep 100', { background: true }),
      needing(['s1'], `${awaits('up')}; echo next`)]);
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED', steps: [{ name: 's1' }, { name: 's2' }] });
    expect(running.text('stdout')).toEqual(['next']);
  });

  it('take a cache over once, and keep artefacts one after the other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-kept-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const caching = bench({ keep: { folder, limit: 1e9 } });
    await caching.executor.ready;
    const cache = { key: 'lib', paths: ['lib'] };
    const first = run([needing([], 'mkdir lib; echo x > lib/file', { cache })], {}, {}, caching);
    expect(await end(first)).toMatchObject({ outcome: 'SUCCEEDED' });
    const [kept, atOnce]: [string[], number[]] = [[], []];
    const later = start(caching.executor, assignmentOf(pipelineOf([
      needing([], `cat lib/file; touch one; ${awaits('two')}`, { cache, artifacts: ['lib'] }),
      needing([], `touch two; ${awaits('one')}; cat lib/file`, { cache, artifacts: ['one'] }),
    ])), undefined, {
      keepArtifact: async ({ name, step }) => {
        atOnce.push(1);
        expect(atOnce).toHaveLength(1);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce.pop();
        kept.push(`${step} ${name}`);
        return undefined;
      },
    });
    expect(await end(later), later.text().join('\n')).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(later.text('stdout')).toEqual(['x', 'x']);
    expect(later.text('system').filter((line) => line.includes('cache')).sort()).toEqual(['restored the cache lib',
      'the cache lib is restored already']);
    expect(kept.sort()).toEqual(['s1 lib/file', 's2 one']);
  });
});

const root = process.getuid?.() === 0;
const hasNamespaces = root && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;

describe.skipIf(!root || !existsSync('/proc/self/stat')).each([['none', true], ['namespaces', hasNamespaces]] as const)(
  'steps of a run with a user of its own, side by side in the sandbox %s',
  (sandbox, isThere) => {
    it.skipIf(!isThere)('spare each other when they end, and leave nothing behind', async () => {
      const on = bench({ sandbox, runAs: 'separate', open: true });
      const short = Array.from({ length: 4 }, () => needing([], 'env -i setsid sleep 1000 & setsid sleep 1000 & true'));
      const running = run([needing([], 'id -u; (sleep 0.6; echo inner) & wait; echo outer'), ...short,
        needing(short.map((_, at) => `s${at + 2}`), 'echo last')], {}, {}, on);
      expect(await end(running), running.text().join('\n')).toMatchObject({ outcome: 'SUCCEEDED' });
      const [uid, ...lines] = running.text('stdout');
      expect(lines.sort()).toEqual(['inner', 'last', 'outer']);
      expect(usersWithProcesses().has(Number(uid))).toBe(false);
    });
  },
);
