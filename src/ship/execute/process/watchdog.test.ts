import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { livingProcesses } from './leftovers.ts';

/** Watches three groups, releases the second, and ends by `end`. `leases`: of the groups, in milliseconds. */
const program = (end: string, leases = '[]'): string => `
  import { spawn } from 'node:child_process';
  import { Watchdog } from '${new URL('./run-process.ts', import.meta.url).href}';
  const watchdog = new Watchdog();
  const until = ${leases}.map((ms) => performance.now() + ms); // a released one counts no more
  const groups = ['1', '2', '3'].map((GROUP, index) => {
    const child = spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 1000 & sleep 1000'], { detached: true, stdio: 'ignore', env: { ...process.env, GROUP } });
    child.unref();
    watchdog.watch(child.pid, until[index] === undefined ? undefined : () => until[index] - performance.now());
    return child.pid;
  });
  watchdog.release(groups[1]);
  ${end}`;

/** Runs it to its end; returns a function that finds the living processes of a group. */
async function runProgram(end: string): Promise<(group: number) => Promise<number[]>> {
  const name = `QUIRE_TEST=${randomBytes(8).toString('hex')}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(end)], {
    env: { PATH: process.env['PATH'], QUIRE_TEST: name.slice(11) },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  return (group) => livingProcesses({ variables: [name, `GROUP=${group}`] });
}

describe('the watchdog', () => {
  it.each([['is killed', "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);"], ['ends without a word',
    'setTimeout(() => process.exit(1), 100);'], ['has nothing to do any more', '']])(
      'kills the groups of a process that %s, and no others',
      async (_how, end) => {
        const living = await runProgram(end);
        while ((await living(1)).length + (await living(3)).length > 0) await setTimeout(10);
        const released = await living(2);
        expect(released.length).toBeGreaterThan(0);
        for (const pid of released) process.kill(pid, 'SIGKILL');
      },
    );

  it('kills work whose lease ends while the process is frozen, once, and leaves alone what has none', async () => {
    const mark = randomBytes(8).toString('hex');
    const living = (group: number): Promise<number[]> =>
      livingProcesses({ variables: [`QUIRE_TEST=${mark}`, `GROUP=${group}`] });
    const child = spawn(process.execPath, ['--input-type=module', '-e',
      program("process.kill(process.pid, 'SIGSTOP');", '[2500, 60_000]')], {
      env: { PATH: process.env['PATH'], QUIRE_TEST: mark },
      stdio: 'ignore',
    });
    while ((await living(3)).length < 2) await setTimeout(10);
    while ((await living(1)).length > 0) await setTimeout(10);
    for (const group of [2, 3]) expect((await living(group)).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    while ((await living(3)).length > 0) await setTimeout(10);
    for (const pid of await living(2)) process.kill(pid, 'SIGKILL');
  });
});
