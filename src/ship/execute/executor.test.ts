import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, script,
  start } from '../../testkit/runs-executor.ts';
import { livingProcesses } from './process/leftovers.ts';
import { thisMachine } from './sandbox/machine.ts';

const benches: ExecutorBench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});

function bench(options: Parameters<typeof executorBench>[0] = {}): ExecutorBench {
  const made = executorBench(options);
  benches.push(made);
  return made;
}

const root = process.getuid?.() === 0;
const hasNamespaces = spawnSync('unshare', ['--pid', '--fork', ...(root ? [] : ['--user']), 'true']).status === 0;

describe('what an executor takes', () => {
  const ai = (apiKeyEnv: string) =>
    assignmentOf({ case: 'aiText', value: { role: 'writer', endpoint: 'http://127.0.0.1:1', model: 'm', apiKeyEnv } });

  const { bwrap, systemdRun, podman, docker } = thisMachine({ PATH: '/nowhere' });
  const lacking = bwrap === undefined
    ? 'bubblewrap'
    : systemdRun === undefined
    ? 'systemd'
    : (podman ?? docker) === undefined
    ? 'container'
    : undefined;

  it.skipIf(lacking === undefined)(
    'refuses pipelines for a sandbox that the machine does not have, rather than weakening it (skipped where it ' +
      'has all)',
    async () => {
      const { executor } = bench({ env: { PATH: '/nowhere' } });
      expect(executor.refuses(assignmentOf(pipelineOf(['true'], { sandbox: lacking! })))).toContain(
        `the sandbox ${lacking} is missing`,
      );
      expect(executor.refuses(assignmentOf(pipelineOf(['true'], { sandbox: 'jail' })))).toContain('unknown');
      expect(executor.refuses(assignmentOf(pipelineOf(['true'])))).toBeUndefined();
      const running = start(executor, assignmentOf(pipelineOf(['true'], { sandbox: lacking! })));
      expect(await running.result).toMatchObject({ outcome: Outcome.SHIP_ERROR, error: { code: 'ship_error' } });
    },
  );

  it('refuses AI roles without their key', () => {
    const { executor } = bench({ env: { PATH: process.env['PATH'], WRITER_KEY: 'k', EMPTY: '' } });
    expect(executor.refuses(ai('OTHER_KEY'))).toBe('the variable OTHER_KEY is not set');
    expect(executor.refuses(ai('EMPTY'))).toContain('not set');
    expect([executor.refuses(ai('WRITER_KEY')), executor.refuses(ai(''))]).toEqual([undefined, undefined]);
  });

  it('refuses what it does not know', () => {
    expect(bench().executor.refuses(assignmentOf({ case: undefined }))).toContain('unknown');
  });

  it('fails a pipeline in containers that names no image', async () => {
    const { executor } = bench({ env: { PATH: process.env['PATH'] } });
    const { outcome } = await start(executor, assignmentOf(pipelineOf(['true'], { sandbox: 'container' }))).result;
    expect([Outcome.FAILED, Outcome.SHIP_ERROR]).toContain(outcome); // the latter without a container engine
  });

  it('works on several runs at once', async () => {
    const { executor, left } = bench();
    const running = Array.from({ length: 8 },
      (_, index) => start(executor, assignmentOf(pipelineOf([`sleep 0.05; echo ${index}`]))));
    for (const { result } of running) expect((await result).outcome).toBe(Outcome.SUCCEEDED);
    expect(running.map((one) => one.text())).toEqual(running.map((_, index) => [String(index)]));
    expect(left()).toEqual([]);
  });
});

describe('one attempt', () => {
  it('is not worked on twice at once', async () => {
    const { executor } = bench();
    const assignment = assignmentOf(pipelineOf(['echo ready; sleep 100']));
    const first = start(executor, assignment);
    await first.saw('ready');
    expect(await start(executor, assignment).result).toMatchObject({ outcome: Outcome.SHIP_ERROR });
    expect(await first.living()).not.toEqual([]);
    first.stop();
    expect((await first.result).outcome).toBe(Outcome.CANCELLED);
  });

  it('starts in a fresh folder when it is assigned again', async () => {
    const { executor, left } = bench({ keepWork: true });
    const assignment = assignmentOf(pipelineOf(['ls; echo x > file']));
    await start(executor, assignment).result;
    const again = start(executor, assignment);
    expect((await again.result).outcome).toBe(Outcome.SUCCEEDED);
    expect([again.text(), left().length]).toEqual([[], 1]);
  });

  it('ends although its log hangs, once it is killed', async () => {
    const { executor } = bench();
    const hanging = start(executor, assignmentOf(pipelineOf(['echo a; echo b; sleep 100'])), {
      write: () => new Promise(() => undefined),
    });
    await hanging.saw('a');
    hanging.kill();
    expect((await hanging.result).outcome).toBe(Outcome.CANCELLED);
  });
});

describe.skipIf(!root)('as root', () => {
  it('runs steps as a user without rights of their own, who owns what is in the folder', async () => {
    const { executor, left } = bench({ open: true, runAs: 'separate' });
    const running = start(executor, assignmentOf(pipelineOf([
      'id -u; id -G; echo x > file; echo y > "$HOME/z"; cat "$QUIRE_INPUT_FILE"; echo; echo r > ' +
      '"$QUIRE_RESULT_FILE"; cat /proc/$PPID/environ 2>&1 | wc -c; grep -E "^(NoNewPrivs|CapBnd)" ' +
      '/proc/self/status',
    ]), { input: Buffer.from('in') }));
    const result = await running.result;
    expect(result.outcome).toBe(Outcome.SUCCEEDED);
    const [uid, groups, input, , ...status] = running.text('stdout');
    expect(Number(uid)).toBeGreaterThanOrEqual(70_000);
    expect([groups, input]).toEqual([uid, 'in']);
    expect(status.map((line) => line.split('\t')[1]).sort()).toEqual(['0000000000000000', '1']);
    expect(Buffer.from(result.result!.body).toString()).toBe('r\n');
    expect(left()).toEqual([]);
  });

  it('never runs steps as root unless that is said by name', async () => {
    const { executor } = bench({ runAs: 'separate' }); // in a folder that is closed to other users
    const running = start(executor, assignmentOf(pipelineOf(['id -u'])));
    expect(await running.result).toMatchObject({
      outcome: Outcome.SHIP_ERROR,
      error: { message: expect.stringContaining('others may not pass through') as string },
    });
    expect(executor.refuses(assignmentOf(pipelineOf(['id -u'])))).toContain('chmod o+x');
    expect(() => bench({ runAs: 'self' })).toThrow('say root');
  });
});

describe.skipIf(!hasNamespaces)('namespaces', () => {
  it.each(['own', 'separate'])('hide other processes, pass on exit codes, and end with everything in them (user: %s)',
    async (runAs) => {
      const { executor } = bench({ sandbox: 'namespaces', ...(runAs === 'separate' && { runAs }) });
      const running = start(executor,
        assignmentOf(
          pipelineOf(['ls -d /proc/[0-9]* | wc -l | tr -d " "; env -i setsid sleep 100 & sleep 0.05; echo done',
            'exit 5']),
        ));
      expect(await running.result).toMatchObject({
        outcome: Outcome.FAILED,
        error: { code: 'step_failed', exitCode: 5 },
      });
      expect(Number(running.text('stdout')[0])).toBeLessThan(10);
      expect(running.text('stdout')[1]).toBe('done');
      expect(await running.living()).toEqual([]);
    });

  it('stop in order within the grace, and for sure after it', async () => {
    const { executor } = bench({ sandbox: 'namespaces' });
    const orderly = start(executor,
      assignmentOf(pipelineOf(['trap "echo saved; exit 1" TERM; echo ready; while :; do sleep 0.01; done', {
        ...script('echo cleanup'),
        always: true,
      }])));
    await orderly.saw('ready');
    orderly.stop();
    expect((await orderly.result).outcome).toBe(Outcome.CANCELLED);
    // a shell may report terminated commands on stderr
    expect(orderly.text('stdout')).toEqual(['ready', 'saved', 'cleanup']);
    const stubborn = start(executor, assignmentOf(pipelineOf(['trap "" TERM; echo ready; sleep 100'])));
    await stubborn.saw('ready');
    stubborn.stop(50);
    expect((await stubborn.result).outcome).toBe(Outcome.CANCELLED);
    expect(await stubborn.living()).toEqual([]);
  });
});

describe.skipIf(!existsSync('/proc/self/stat'))('work that a dead process left behind', () => {
  it('is killed and removed; that of a living one is left alone', async () => {
    const { workDir, left } = bench();
    const [dead, alive] = ['d'.repeat(32), 'a'.repeat(32)];
    const orphan = spawn('sleep', ['100'], {
      env: { PATH: process.env['PATH'], QUIRE_RUN_ID: dead, QUIRE_ATTEMPT: '2' },
      detached: true,
      stdio: 'ignore',
    });
    const exit = once(orphan, 'exit');
    const own = (await import('./pipeline/work-folder.ts')).ownerText();
    for (const [name, owner] of [[`${dead}.2`, '1 0'], [`${alive}.1`, await own]] as const) {
      mkdirSync(join(workDir, name, 'src'), { recursive: true });
      writeFileSync(join(workDir, name, '.owner'), owner);
    }
    writeFileSync(join(workDir, 'notes.txt'), 'not ours');
    const { executor } = bench({ workDir });
    expect((await start(executor, assignmentOf(pipelineOf(['true']))).result).outcome).toBe(Outcome.SUCCEEDED);
    expect(left().sort()).toEqual([`${alive}.1`, 'notes.txt']);
    expect(await exit).toEqual([null, 'SIGKILL']);
    expect(await livingProcesses({ variables: [`QUIRE_RUN_ID=${dead}`] })).toEqual([]);
  });
});
