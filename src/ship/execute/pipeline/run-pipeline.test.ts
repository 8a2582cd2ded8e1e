import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, type Running, script, start,
  type StepInit } from '../../../testkit/runs-executor.ts';
import { UserIds } from '../users.ts';
import { inDefaultShell } from './default-shell.ts';

const benches: ExecutorBench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});

function bench(options: Parameters<typeof executorBench>[0] = {}): ExecutorBench {
  const made = executorBench(options);
  benches.push(made);
  return made;
}

function run(steps: readonly (string | StepInit)[], fields: Parameters<typeof assignmentOf>[1] = {}, on = bench(),
  plan: object = {}): Running
{
  return start(on.executor, assignmentOf(pipelineOf(steps, plan), fields));
}

/** The outcome of a run, after checking that none of its processes is left. */
async function end(running: Running, on = benches.at(-1)!) {
  const result = await running.result;
  expect(await running.living()).toEqual([]);
  expect(on.left()).toEqual([]);
  return {
    ...result,
    outcome: Outcome[result.outcome],
    body: result.result === undefined ? undefined : Buffer.from(result.result.body).toString(),
  };
}

describe('steps', () => {
  it('run in their order in one folder, and write to the log under their names', async () => {
    const running = run(['echo one > file; echo hello', 'cat file >&2']);
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.lines.map(({ stream, step, message }) => [stream, step, message])).toEqual([['stdout', 's1',
      'hello'], ['stderr', 's2', 'one']]);
    expect(running.starts).toBe(1);
  });

  it('for failures run only once something before them has failed', async () => {
    const onFailure = (text: string): StepInit => ({ ...script(text), runIf: 'failure' });
    const well = run([{ ...script('exit 1'), continueOnError: true }, onFailure('echo never'), 'echo b']);
    expect(await end(well)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(well.text()).toContain('step s2 did not run: nothing before it has failed');
    expect(well.text()).not.toContain('never');
    const badly = run(['exit 3', 'echo skipped', onFailure('echo told'), onFailure('exit 4')]);
    expect(await end(badly)).toMatchObject({ outcome: 'FAILED', error: { step: 's1', exitCode: 3 } });
    expect(badly.text()).toContain('told');
    expect(badly.text()).not.toContain('skipped');
  });

  it('for failures do not run after a stop', async () => {
    const running = run(['echo ready; sleep 100', { ...script('echo never'), runIf: 'failure' }]);
    await running.saw('ready');
    running.stop();
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text()).toEqual(['ready']);
  });

  it('say in the log when they begin and how they end', async () => {
    const running = run(['echo hello', { ...script('sleep 60'), timeoutMs: 50n, continueOnError: true }, 'exit 3']);
    await end(running);
    expect(
      running.stepLines.map((
        { stream, step, stepState, message },
      ) => [stream, step, stepState, message.replace(/\d+\.\d/, 'N')]),
    ).toEqual([['system', 's1', 'running', 'step s1 begins'], ['system', 's1', 'succeeded',
      'step s1 succeeded after N s'], ['system', 's2', 'running', 'step s2 begins'], ['system', 's2', 'timed_out',
      'step s2 timed out after N s'], ['system', 's3', 'running', 'step s3 begins'], ['system', 's3', 'failed',
      'step s3 failed after N s']]);
  });

  it('end with the first that fails; those that always run still do', async () => {
    const running = run(['echo a', 'exit 3', 'echo never', { ...script('echo cleanup'), always: true }]);
    expect(await end(running)).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'step_failed', step: 's2', exitCode: 3, signal: '', message: 'step s2 exited with code 3' },
    });
    expect(running.text()).toEqual(['a', 'cleanup']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'that fail are what the run reports, whatever fails when their traces are cleared (as root: users are given back)',
    async () => {
      vi.spyOn(UserIds.prototype, 'acquire').mockResolvedValue({
        uid: 72_345,
        gid: 72_345,
        release: () => Promise.reject(new Error('ENOSPC: no space left on device')),
      });
      const running = run(['echo why >&2; exit 3'], {}, bench({ runAs: 'separate', open: true }));
      expect(await end(running)).toMatchObject({
        outcome: 'FAILED',
        error: { code: 'step_failed', step: 's1', exitCode: 3 },
      });
      expect(running.text()).toEqual(['why']);
      vi.restoreAllMocks();
    },
  );

  it('go on after a failure where they may', async () => {
    const running = run([{ ...script('exit 1'), continueOnError: true }, 'echo next']);
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.text()).toEqual(['step s1 exited with code 1; the run goes on', 'next']);
  });

  it('report the signal that ended them', async () => {
    expect(await end(run(['kill -SEGV $$']))).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'step_failed', signal: 'SIGSEGV' },
    });
  });

  it.each([['a program that is not there', { argv: ['no-such-program-here'] },
    'there is no program no-such-program-here'], ['a folder that is not there', {
    ...script('true'),
    workingDir: 'a/b',
  }, 'there is no folder a/b'], ['a folder outside', { ...script('true'), workingDir: '../..' },
    'is outside of the work folder'], ['no command', { argv: [] }, 'it has no command'], [
    'a variable that no process can have',
    { ...script('true'), env: { A: 'x\0y' } },
    'null bytes',
  ]])('that name %s fail as spawn_failed', async (_, step, message) => {
    expect(await end(run([step]))).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'spawn_failed', step: 's1', message: expect.stringContaining(message) },
    });
  });

  it('say which signal ended a process of them', async () => {
    const { error } = await end(run(['sh -c "kill -KILL \\$\\$" || exit $?']));
    expect(error).toMatchObject({
      code: 'step_failed',
      exitCode: 137,
      message: expect.stringContaining('step s1 exited with code 137: SIGKILL ended a process of it') as string,
    });
  });

  it('say what is too long for the system, without its value', async () => {
    const inputs = await end(run(['true'], { env: { QUIRE_INPUT_NOTES: 'x'.repeat(140_000), OTHER: 'y' } }));
    expect(inputs.error).toMatchObject({
      code: 'spawn_failed',
      message: "step s1 can't start: the variable QUIRE_INPUT_NOTES has 140018 bytes, and the system takes at most " +
        '131071 for one; the file QUIRE_INPUT_FILE has it',
    });
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`V${index}`, 'x'.repeat(130_000)]));
    expect((await end(run(['true'], { env: many }))).error!.message).toMatch(
      /its arguments and variables have \d{8} bytes together, .*; most has the variable V\d+, with 13000\d$/,
    );
  });

  it('start in the folder that they name', async () => {
    const running = run(['mkdir -p a/b', { ...script('pwd'), workingDir: 'a/b' }]);
    await end(running);
    expect(running.text()[0]).toMatch(/\/src\/a\/b$/);
  });

  it('show a line before its end: what asks or counts is seen while it waits', async () => {
    const running = run(['printf "Continue? "; while [ ! -e answer ]; do sleep 0.02; done; echo yes', 'true']);
    await running.saw('Continue?');
    writeFileSync(join(benches.at(-1)!.workDir, `${running.assignment.ref!.runId}.1`, 'src', 'answer'), '');
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.text()).toEqual(['Continue? ', 'yes']);
  });

  it('leave no process behind for the next one', async () => {
    const running = run(['sleep 100 & setsid sleep 100 & echo $!', 'echo done']);
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
  });
});

describe('the shell of a step that names none', () => {
  const inShell = (text: string): StepInit => ({ script: text });

  it('ends the step when a command, a variable or a part of a pipe is missing', async () => {
    for (const text of ['false; true', 'echo "$MISSING"; true', 'text=$(false; echo go on); echo "$text"'])
      expect(await end(run([inShell(text)])), text).toMatchObject({ outcome: 'FAILED' });
    const hasPipefail = ['sh', 'bash'].some((shell) => spawnSync(shell, ['-c', 'set -o pipefail']).status === 0);
    expect(await end(run([inShell('false | true')]))).toMatchObject({ outcome: hasPipefail ? 'FAILED' : 'SUCCEEDED' });
  });

  it('reads a script as sh does', async () => {
    const script = 'echo "a\\tb"; echo -n x; echo; [ "$#" = 0 ] && x=1 env | grep ^x=';
    const running = run([inShell(script)]);
    await end(running);
    expect(`${running.text().join('\n')}\n`).toBe(spawnSync('sh', ['-eu', '-c', script], { encoding: 'utf8' }).stdout);
  });

  it('in a container is looked for where the script runs', async () => {
    const [sh, ...args] = await inDefaultShell('echo out; exit 3', 'container', '');
    expect(spawnSync(sh!, args, { encoding: 'utf8' })).toMatchObject({ status: 3, stdout: 'out\n' });
    const failing = await inDefaultShell('false; echo on', 'container', '');
    expect(spawnSync(failing[0]!, failing.slice(1), { encoding: 'utf8' })).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('environment', () => {
  it('has nothing of the machine but path and language', async () => {
    const on = bench({ env: { PATH: process.env['PATH'], LANG: 'de_DE.UTF-8', SECRET_OF_SHIP: 'hidden' } });
    const running = run(['env'], { env: { A: '1', B: '1' }, secrets: { S: 'sesame-open' } }, on);
    await end(running);
    const folder = running.text().find((line) => line.startsWith('HOME='))!.replace(/^HOME=(.*)\/home$/, '$1');
    const { runId } = running.assignment.ref!;
    const ignored = /^(PWD|OLDPWD|SHLVL|_)=/;
    expect(running.text().filter((line) => !ignored.test(line)).sort()).toEqual(['A=1', 'B=1', 'CI=true',
      `HOME=${folder}/home`, 'LANG=de_DE.UTF-8', `PATH=${process.env['PATH']}`, 'QUIRE_ATTEMPT=1',
      'QUIRE_FENCING_TOKEN=7', 'QUIRE_INPUT=', `QUIRE_INPUT_FILE=${folder}/input`, 'QUIRE_ISSUE_LABEL=ready',
      'QUIRE_PROJECT=alpha', 'QUIRE_REPOSITORY=org/alpha', `QUIRE_RESULT_FILE=${folder}/out/result`,
      `QUIRE_RUN_ID=${runId}`, 'QUIRE_STEP=s1', `QUIRE_SUMMARY=${folder}/out/summary`, 'S=***',
      `TMPDIR=${folder}/tmp`]);
    expect(folder).toContain(`${runId}.1`);
  });

  it("of a step comes before that of the pipeline, secrets before both, the service's own before all", async () => {
    const running = run([{
      ...script('echo $A $B $C $QUIRE_PROJECT'),
      env: { B: 'step', C: 'step', QUIRE_PROJECT: 'other' },
    }], { env: { A: 'all', B: 'all', C: 'all' }, secrets: { C: 'short' } });
    await end(running);
    expect(running.text('stdout')).toEqual(['all step short alpha']);
  });

  it('holds input up to 32 KiB; the file always does', async () => {
    const check = 'wc -c < "$QUIRE_INPUT_FILE" | tr -d " "; echo "${QUIRE_INPUT-unset}" | wc -c | tr -d " "';
    const small = run([check], { input: Buffer.alloc(32 * 1024, 'a') });
    await end(small);
    expect(small.text()).toEqual(['32768', '32769']);
    const large = run([check], { input: Buffer.alloc(32 * 1024 + 1, 'a') });
    await end(large);
    expect(large.text('stdout')).toEqual(['32769', '6']);
    expect(large.text('system')).toEqual([
      'the input is in the file QUIRE_INPUT_FILE, and QUIRE_INPUT is not set: it has 32769 bytes, and the variable ' +
      'holds at most 32768',
    ]);
    const binary = run(['cat "$QUIRE_INPUT_FILE" | od -An -c | tr -d " "; echo "${QUIRE_INPUT-unset}"'], {
      input: Buffer.from([0, 65]),
    });
    await end(binary);
    expect(binary.text('stdout')).toEqual(['\\0A', 'unset']);
    expect(binary.text('system')[0]).toContain('it is no text that a variable can hold');
  });
});

describe('results', () => {
  it('are what a pipeline leaves in its file, by what it is', async () => {
    expect((await end(run(['echo plain > "$QUIRE_RESULT_FILE"']))).result!.type).toBe('text/plain');
    const json = await end(run(['echo "{\\"a\\": 1}" > "$QUIRE_RESULT_FILE"']));
    expect([json.result!.type, json.body]).toEqual(['application/json', '{"a": 1}\n']);
    expect((await end(run(['true']))).result).toBeUndefined();
  });

  it('are masked, and no longer called JSON when that breaks it', async () => {
    const { body, result } = await end(
      run(['echo "[12345678]" > "$QUIRE_RESULT_FILE"'], { secrets: { PIN: '12345678' } }),
    );
    expect([body, result!.type]).toEqual(['[***]\n', 'text/plain']);
  });

  it('of more than 1 MiB lose their end, which is reported', async () => {
    const { body, result } = await end(run(['head -c 1200000 /dev/zero | tr "\\0" a > "$QUIRE_RESULT_FILE"']));
    expect(result!.type).toBe('application/vnd.quire.result+json');
    expect(body!.length).toBeLessThanOrEqual(1024 * 1024);
    expect(JSON.parse(body!)).toMatchObject({ content_type: 'text/plain', model: null, truncated: true });
  });

  it.each([['a link', 'ln -s /etc/hostname'], ['a pipe', 'mkfifo'], ['a folder', 'mkdir']])('are not read through %s',
    async (_, command) => {
      const running = run([`${command} "$QUIRE_RESULT_FILE"`]);
      expect((await end(running)).result).toBeUndefined();
      expect(running.text('system')[0]).toContain('the result is not used');
    });
});

describe('summaries', () => {
  const write = (text: string) => `printf '%s' '${text}' >> "$QUIRE_SUMMARY"`;

  it('are what all steps have written for people, masked, also when the run has failed', async () => {
    const ended = await end(
      run([write('# built 12345678'), write(' and more'), 'exit 1'], { secrets: { PIN: '12345678' } }),
    );
    expect(ended).toMatchObject({ outcome: 'FAILED', summary: '# built *** and more' });
    expect((await end(run(['true']))).summary).toBeUndefined();
  });

  it('of more than 64 KiB lose their end, without a part of a secret', async () => {
    const { summary } = await end(
      run(['head -c 65530 /dev/zero | tr "\\0" a > "$QUIRE_SUMMARY"; printf 1234567890 >> "$QUIRE_SUMMARY"'], {
        secrets: { PIN: '1234567890' },
      }),
    );
    expect(Buffer.byteLength(summary!)).toBeLessThanOrEqual(65_536);
    expect(summary).toMatch(/^a+…$/);
  });

  it('are not read through a link', async () => {
    const running = run(['ln -s /etc/hostname "$QUIRE_SUMMARY"']);
    expect((await end(running)).summary).toBeUndefined();
    expect(running.text('system')[0]).toContain('the summary is not used: it is a link');
  });
});

describe('the end of the work', () => {
  it('a step that takes too long fails as a timeout', async () => {
    const running = run([{ ...script('sleep 100'), timeoutMs: 100n }, { ...script('echo cleanup'), always: true }]);
    expect(await end(running)).toMatchObject({
      outcome: 'TIMED_OUT',
      error: { code: 'timeout', step: 's1', message: 'step s1 took longer than 100ms', signal: 'SIGTERM' },
    });
    expect(running.text('stdout')).toEqual(['cleanup']);
  });

  it('a run that takes too long fails as a timeout', async () => {
    const running = run(['sleep 100', 'echo never', { ...script('echo cleanup'), always: true }], { timeoutMs: 150n });
    expect(await end(running)).toMatchObject({
      outcome: 'TIMED_OUT',
      error: { code: 'timeout', step: '', message: 'the run took longer than 150ms' },
    });
    expect(running.text('stdout')).toEqual(['cleanup']);
  });

  it('a stop lets the step end in order, skips the others, and runs what always runs', async () => {
    const running = run(['trap "echo saved; exit 1" TERM; echo ready; while :; do sleep 0.01; done', 'echo never', {
      ...script('echo cleanup'),
      always: true,
    }]);
    await running.saw('ready');
    running.stop();
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text('stdout')).toEqual(['ready', 'saved', 'cleanup']);
  });

  it('a step that ignores SIGTERM is killed after the grace, with its children, and nothing follows', async () => {
    const running = run(['trap "" TERM; sleep 100 & echo ready; wait; sleep 100', {
      ...script('echo never'),
      always: true,
    }]);
    await running.saw('ready');
    running.stop(100);
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text('stdout')).toEqual(['ready']);
  });

  it('steps that always run end with the grace', async () => {
    const running = run(['echo ready; sleep 100', { ...script('echo cleaning; sleep 100'), always: true }]);
    await running.saw('ready');
    running.stop(1500);
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text('stdout')).toEqual(['ready', 'cleaning']);
  });

  it('steps that always run have time of their own after the grace of a stop, and the last ones are named', async () => {
    const stubborn = script('trap "" TERM; echo ready; sleep 100 & wait; sleep 100');
    const always = (text: string): StepInit => ({ ...script(text), always: true });
    const running = run([stubborn, always('sleep 0.2; echo cleaned'), always('echo more; sleep 100'),
      always('echo never')]);
    await running.saw('ready');
    running.stop(50, 1_000);
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text('stdout')).toEqual(['ready', 'cleaned', 'more']);
    expect(running.text('system')).toEqual([
      'step s3 was ended: the time for steps that always run is over (queue.always_grace)',
      'step s4 did not run: the time for steps that always run is over (queue.always_grace)',
    ]);
  });

  it('steps that always run have time of their own after the timeout of the run', async () => {
    const running = run(['trap "" TERM; sleep 100 & wait; sleep 100', { ...script('echo cleaned'), always: true }], {
      timeoutMs: 150n,
      cancelGraceMs: 50n,
      alwaysGraceMs: 10_000n,
    });
    expect(await end(running)).toMatchObject({ outcome: 'TIMED_OUT', error: { code: 'timeout', step: '' } });
    expect(running.text('stdout')).toEqual(['cleaned']);
  });

  it('a kill ends all at once, and no line follows', async () => {
    const running = run(['trap "" TERM; echo ready; sleep 100']);
    await running.saw('ready');
    running.kill();
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
  });

  it('a kill ends work whose log takes nothing any more', async () => {
    const on = bench();
    const running = start(on.executor, assignmentOf(pipelineOf(['while :; do echo y; done'])), {
      write: () => new Promise(() => undefined),
    });
    await running.saw('y');
    running.kill();
    expect(await end(running, on)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.text()).toEqual(['y']);
  });

  it('a step that was stopped did not succeed, whatever its exit code', async () => {
    const running = run(['trap "exit 0" TERM; echo ready; while :; do sleep 0.01; done']);
    await running.saw('ready');
    running.stop();
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(await end(run([{ ...script('trap "exit 0" TERM; while :; do sleep 0.01; done'), timeoutMs: 300n }])))
      .toMatchObject({ outcome: 'TIMED_OUT', error: { code: 'timeout' } });
  });

  it('a stop that comes when only steps that always run are left changes nothing', async () => {
    const running = run(['true', {
      ...script('echo ready; while [ ! -e "$HOME/../go" ]; do sleep 0.01; done; echo done'),
      always: true,
    }]);
    await running.saw('ready');
    running.stop();
    writeFileSync(join(benches.at(-1)!.workDir, benches.at(-1)!.left()[0]!, 'go'), '');
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.text('stdout')).toEqual(['ready', 'done']);
  });

  it("a log that cannot be written is the ship's fault", async () => {
    const on = bench();
    const running = start(on.executor, assignmentOf(pipelineOf(['echo a; echo b'])), {
      write: () => Promise.reject(new Error('disk full')),
    });
    expect(await end(running, on)).toMatchObject({
      outcome: 'SHIP_ERROR',
      error: { code: 'ship_error', message: expect.stringContaining('disk full') },
    });
  });

  it('removes also what a step made read-only', async () => {
    expect(await end(run(['mkdir -p a/b; touch a/b/c; chmod 0500 a/b a']))).toMatchObject({ outcome: 'SUCCEEDED' });
  });

  it('keeps the folder when asked to', async () => {
    const on = bench({ keepWork: true });
    await run(['echo x > file'], {}, on).result;
    expect(existsSync(join(on.workDir, on.left()[0]!, 'src/file'))).toBe(true);
  });
});

describe('secrets', () => {
  it('never reach the log, errors or results, also when written bit by bit (scenario 24)', async () => {
    const secret = 'correct-horse-battery';
    const running = run([
      'printf correct-; sleep 0.05; printf horse-battery; printf "\\n"; echo "$DB_PASSWORD"; printf %s ' +
      '"$TOKEN_VALUE" | base64; echo "$TOKEN_VALUE" > "$QUIRE_RESULT_FILE"',
      { argv: [secret] },
    ], { secrets: { TOKEN_VALUE: secret }, env: { DB_PASSWORD: 'hunter2hunter2' } });
    const ended = await end(running);
    expect(running.text()).toEqual(['***', '***', '***']);
    expect(ended.body).toBe('***\n');
    expect(ended.error!.message).toBe("step s2 can't start: there is no program ***");
  });
});

describe('steps in the background', () => {
  const background = (text: string, fields: StepInit = {}): StepInit => ({
    ...script(text),
    background: true,
    ...fields,
  });

  it('live until the run ends, also after a failure, and are killed after the grace', async () => {
    const running = run([background('trap "" TERM; touch up; sleep 100 & wait; sleep 100'),
      'while [ ! -e up ]; do sleep 0.01; done; sleep 100 & exit 3', {
      ...script('echo "$QUIRE_STEP"'),
      always: true,
    }], { cancelGraceMs: 100n });
    expect(await end(running)).toMatchObject({
      outcome: 'FAILED',
      error: { step: 's2', exitCode: 3 },
      steps: [{ name: 's1', signal: 'SIGKILL' }, { name: 's2' }, { name: 's3', outcome: 'succeeded' }],
    });
    expect(running.text()).toEqual(['s3']);
  });

  it('that end before are a line, and fail nothing', async () => {
    const running = run([background('exit 4'), 'while ! grep -q over log 2>/dev/null; do sleep 0.01; done']);
    await running.saw('before the end of the run');
    writeFileSync(join(benches.at(-1)!.workDir, `${running.assignment.ref!.runId}.1`, 'src', 'log'), 'over');
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED', steps: [{ outcome: 'failed', exitCode: 4 }, {}] });
    expect(running.text()).toEqual(['the background step s1 exited with code 4 before the end of the run']);
  });

  it('that cannot start fail, and a cancel and a kill end them', async () => {
    expect(await end(run([background('', { argv: ['/no/such'] }), 'echo never']))).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'spawn_failed', step: 's1' },
    });
    for (const how of ['stop', 'kill'] as const) {
      const running = run([background('setsid sleep 100 & sleep 100'), 'echo ready; sleep 100']);
      await running.saw('ready');
      running[how]();
      expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    }
  });
});

describe('secrets that cannot be masked', () => {
  it('are named by a warning, and the names of secrets are always shown', async () => {
    const secrets = { PIN: '1234', DEPLOY_TOKEN: 'DEPLOY', API_KEY: 'long-enough' };
    const running = run(['echo "$PIN $API_KEY"; echo DEPLOY_TOKEN PIN API_KEY'], { secrets });
    await end(running);
    expect(running.text('stdout')).toEqual(['1234 ***', 'DEPLOY_TOKEN PIN API_KEY']);
    const warning = (name: string): string =>
      `the value of the secret ${name} is not masked in this log: it has fewer than 6 characters, or is a part of a ` +
      "secret's name";
    expect(running.text('system').toSorted()).toEqual([warning('DEPLOY_TOKEN'), warning('PIN')]);
  });
});

describe('much output', () => {
  it('of 100 MB does not hold up the work, and takes no memory (scenario 23)', async () => {
    const on = bench();
    let bytes = 0;
    const running = start(on.executor,
      assignmentOf(pipelineOf([`yes ${'0123456789'.repeat(12)} | head -c 100000000; echo end >&2`])), {
      write: (line) => {
        bytes += line.message.length;
      },
    });
    running.lines.push = () => 0; // only counted
    const before = process.memoryUsage().arrayBuffers;
    expect(await end(running, on)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(bytes).toBeGreaterThan(99_000_000); // the spool decides what is left out
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('checkout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-repository-'));
  const origin = join(folder, 'origin');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', origin, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      encoding: 'utf8',
    });
  mkdirSync(origin);
  git('init', '--quiet', '--initial-branch=main');
  for (const text of ['one', 'two']) {
    writeFileSync(join(origin, 'file.txt'), text);
    git('add', '.');
    git('commit', '--quiet', '-m', text);
  }
  const gitUrl = `file://${origin}`;
  it.each([['shallow', '1'], ['full', '2']])('%s fetches %s commits', async (checkout, commits) => {
    const running = run(['cat file.txt; echo; git rev-list --count HEAD; git status --short'], {}, bench(), {
      checkout,
      gitUrl,
    });
    expect(await end(running)).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(running.text('stdout')).toEqual(['two', commits]);
  });

  it('says why it failed, and runs what always runs', async () => {
    const running = run(['echo never', { ...script('echo cleanup'), always: true }], {}, bench(), {
      checkout: 'full',
      gitUrl: `file://${folder}/missing`,
    });
    expect(await end(running)).toMatchObject({
      outcome: 'FAILED',
      error: { code: 'step_failed', step: '', exitCode: 128, message: 'the checkout failed: git exited with code 128' },
    });
    expect(running.text('stderr').join()).toContain('does not appear to be a git repository');
    expect(running.text('stdout')).toEqual(['cleanup']);
  });

  it.each([['ext::sh -c touch% /tmp/never', 'not allowed'], ['--upload-pack=touch /tmp/never', 'blocked'], [gitUrl,
    'not allowed']])('runs no command for %s', async (address, said) => {
      const running = run(['true'], {}, bench({ gitProtocols: ['https'] }), { checkout: 'full', gitUrl: address });
      expect(await end(running)).toMatchObject({ outcome: 'FAILED' });
      expect(running.text('stderr').join()).toContain(said);
    });

  it('ends with a stop', async () => {
    const running = run(['echo never'], {}, bench(), { checkout: 'full', gitUrl });
    running.stop();
    expect(await end(running)).toMatchObject({ outcome: 'CANCELLED' });
    expect(running.starts).toBe(0);
  });

  afterAll(() => rmSync(folder, { recursive: true }));
});
