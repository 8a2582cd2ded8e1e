import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OutputWriter } from '../output/run-output.ts';
import { livingProcesses } from './leftovers.ts';
import { type ProcessPlan, type ProcessSignals, runProcess } from './run-process.ts';

/** Collects what is written; `lines` resolves when there are this many lines. */
function collector(): OutputWriter & { text(): string; saw(text: string): Promise<void> } {
  let text = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  return {
    write: async (chunk) => {
      text += chunk.toString();
      for (const wait of waiting) if (text.includes(wait.text)) wait.resolve();
    },
    flush: async () => undefined,
    end: async () => undefined,
    text: () => text,
    saw: (wanted) =>
      new Promise((resolve) => (text.includes(wanted) ? resolve() : waiting.push({ text: wanted, resolve }))),
  };
}

const never = new AbortController().signal;

function setUp(script: string, plan: Partial<ProcessPlan> = {}, signals: Partial<ProcessSignals> = {}) {
  const mark = `QUIRE_TEST=${randomBytes(8).toString('hex')}`;
  const stdout = collector();
  const stderr = collector();
  const whole: ProcessPlan = {
    argv: ['/bin/sh', '-c', script],
    cwd: '/',
    env: { PATH: process.env['PATH']!, QUIRE_TEST: mark.slice(11) },
    marks: [mark],
    stdout,
    stderr,
    ...plan,
  };
  return {
    end: runProcess(whole, { stop: never, kill: never, graceMs: () => 10_000, ...signals }),
    stdout,
    stderr,
    living: () => livingProcesses({ variables: [mark] }),
  };
}

describe('runProcess', () => {
  it('returns exit code and output', async () => {
    const { end, stdout, stderr } = setUp('echo out; echo err >&2; exit 3');
    expect(await end).toEqual({ exitCode: 3, signal: null, stopped: false, survivors: [] });
    expect([stdout.text(), stderr.text()]).toEqual(['out\n', 'err\n']);
  });

  it('returns the signal that ended it', async () => {
    expect(await setUp('kill -SEGV $$').end).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('has no input, so that what asks ends at once', async () => {
    const { end, stdout } = setUp('cat; echo done');
    await end;
    expect(stdout.text()).toBe('done\n');
  });

  it('says why it could not start', async () => {
    expect(await setUp('', { argv: ['/no/such/program'] }).end).toMatchObject({
      spawnError: expect.stringContaining('ENOENT'),
    });
    expect(await setUp('', { argv: ['/bin/sh', 'nul\0'] }).end).toMatchObject({
      spawnError: expect.stringContaining('null'),
    });
  });

  it('stops with SIGTERM, and lets the work end in order', async () => {
    const stop = new AbortController();
    const { end, stdout } = setUp('trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.01; done', {}, {
      stop: stop.signal,
    });
    await stdout.saw('ready');
    stop.abort();
    expect(await end).toMatchObject({ exitCode: 7, stopped: true });
    expect(stdout.text()).toBe('ready\nbye\n');
  });

  it('gives the rest of the group its grace when the leader has ended before', async () => {
    const stop = new AbortController();
    const { end, stdout } = setUp(
      '(trap "sleep 0.2; echo saved; exit" TERM; echo ready; while :; do sleep 0.01; done) & wait',
      {},
      { stop: stop.signal },
    );
    await stdout.saw('ready');
    stop.abort();
    expect(await end).toMatchObject({ signal: 'SIGTERM' });
    expect(stdout.text()).toBe('ready\nsaved\n');
  });

  it('kills what ignores SIGTERM when the grace is over, children included', async () => {
    const stop = new AbortController();
    const { end, stdout, living } = setUp('trap "" TERM; sleep 100 & echo ready; wait; sleep 100', {}, {
      stop: stop.signal,
      graceMs: () => 50,
    });
    await stdout.saw('ready');
    expect((await living()).length).toBeGreaterThanOrEqual(2);
    stop.abort();
    expect(await end).toMatchObject({ signal: 'SIGKILL' });
    expect(await living()).toEqual([]);
  });

  it('kills at once on a second signal, also during the grace', async () => {
    const [stop, kill] = [new AbortController(), new AbortController()];
    const { end, stdout, living } = setUp('trap "" TERM; echo ready; sleep 100', {}, {
      stop: stop.signal,
      kill: kill.signal,
      graceMs: () => 3_600_000,
    });
    await stdout.saw('ready');
    stop.abort();
    kill.abort();
    expect(await end).toMatchObject({ signal: 'SIGKILL' });
    expect(await living()).toEqual([]);
  });

  it('does not run what was stopped before it began', async () => {
    expect(await setUp('sleep 100', {}, { stop: AbortSignal.abort() }).end).toMatchObject({ signal: 'SIGTERM' });
  });

  it.skipIf(!existsSync('/proc/self/environ'))(
    'leaves nothing behind: background jobs, and grandchildren in sessions of their own',
    async () => {
      const { end, stdout, living } = setUp(
        'sleep 100 & setsid sleep 100 & setsid sh -c "setsid sleep 100 & echo ready; exit" & wait $!; sleep 0.1; ' +
          'echo done',
      );
      expect(await end).toMatchObject({ exitCode: 0 });
      expect(stdout.text()).toContain('done');
      expect(await living()).toEqual([]);
    },
  );

  it('ends although a process that cannot be found holds its output', async () => {
    const pidFile = `/tmp/quire-hidden-${randomBytes(6).toString('hex')}`;
    const { end, stdout } = setUp(
      `env -i setsid sh -c 'echo $$ > ${pidFile}; exec sleep 100' & while [ ! -s ${pidFile} ]; do sleep 0.01; done; ` +
        `cat ${pidFile}; rm ${pidFile}; sleep 0.05`,
    );
    expect(await end).toMatchObject({ exitCode: 0 });
    process.kill(Number(stdout.text()), 'SIGKILL');
  });

  it('runs a command that ends what signals do not reach', async () => {
    const { end } = setUp('true', { forceEnd: ['/no/such/program'] });
    expect(await end).toMatchObject({ exitCode: 0 });
  });
});
