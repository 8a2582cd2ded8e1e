// What a hostile step can reach: of the service, of other runs, and of the machine (contract-tests/attacks).
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync,
  writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type ExecutorAnswer, type ExecutorPlan, ExecutorProcess } from '../../testkit/executor-process.ts';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, type Running, script,
  start } from '../../testkit/runs-executor.ts';
import { usersWithProcesses } from './process/leftovers.ts';
import { findProgram } from './sandbox/index.ts';

const root = process.getuid?.() === 0;
const works = (...argv: string[]): boolean => spawnSync(argv[0]!, argv.slice(1)).status === 0;
const hasNamespaces = root && works('unshare', '--mount', '--pid', '--fork', 'true');
/** Belongs to no account; tests that run as root use it for a service of an ordinary user. */
const ORDINARY = 64_321;
const asOrdinary = root ? ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups', '--'] : [];
const hasUserNamespaces =
  works(...asOrdinary, 'unshare', '--user', '--map-current-user', '--keep-caps', '--mount', '--pid', '--fork', 'true')
  && works(...asOrdinary, process.execPath, '--version');
const hasBubblewrap = findProgram('bwrap', process.env['PATH'] ?? '', '/') !== undefined;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function newFolder(mode = 0o755, above = tmpdir()): string {
  const folder = mkdtempSync(join(above, 'quire-isolation-'));
  chmodSync(folder, mode);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function bench(options: Parameters<typeof executorBench>[0]): ExecutorBench {
  const made = executorBench({ open: true, runAs: 'separate', ...options });
  cleanups.push(() => made.close());
  return made;
}

const run = (on: ExecutorBench, steps: readonly string[], fields: object = {}, plan: object = {}): Running =>
  start(on.executor, assignmentOf(pipelineOf(steps, plan), fields));

async function output(running: Running): Promise<string[]> {
  expect(await running.result, running.text().join('\n')).toMatchObject({ outcome: Outcome.SUCCEEDED });
  return running.text();
}

/** Searches for a text in every process environment that it may read. */
const SEARCH_ENVIRONMENTS = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c NEIGHBOURS_ || true";

/** Sockets cannot be opened by a path; pipes can, by their owner. */
const PATHS_OF_OUTPUT =
  'echo to stderr > /dev/stderr; echo both | tee /dev/stderr; echo to stdout >> /dev/stdout; cat /dev/stdin </dev/null';

describe.skipIf(!root).each([['none', true], ['namespaces', hasNamespaces], ['bubblewrap', hasBubblewrap]] as const)(
  'a step of a service that is root, sandbox %s',
  (sandbox, isThere) => {
    it.skipIf(!isThere)('is a user that no other run has, and cannot read what its neighbour was given', async () => {
      const on = bench({ sandbox });
      const neighbour = run(on, ['id -u; echo ready; echo "$NEIGHBOURS_TOKEN" > kept; sleep 1000'], {
        secrets: { NEIGHBOURS_TOKEN: 'a-secret-of-a-neighbour' },
      });
      await neighbour.saw('ready');
      const place = join(on.workDir, `${neighbour.assignment.ref!.runId}.1`);
      const [uid, found, ...read] = await output(run(on, [
        `id -u; ${SEARCH_ENVIRONMENTS}; cat ${place}/src/kept ${place}/input 2>/dev/null || echo nothing; ls ` +
        `${place} ${on.workDir} 2>/dev/null | grep -c . || true`,
      ]));
      expect([uid === neighbour.text()[0], found, read[0]]).toEqual([false, '0', 'nothing']);
      neighbour.stop(0);
      await neighbour.result;
    });

    it.skipIf(!isThere)('gets at nothing of the service: not its environment, memory or files, and it cannot end it',
      async () => {
        const data = newFolder();
        writeFileSync(join(data, 'authority.pem'), 'PRIVATE', { mode: 0o600 });
        const attack =
          `set +e; id -u; cat /proc/${process.pid}/environ /proc/${process.pid}/mem ${data}/authority.pem ` +
          `2>/dev/null | wc -c; kill -0 ${process.pid} 2>/dev/null && echo killable || echo safe`;
        const [uid, bytes, alive] = await output(run(bench({ sandbox, hide: [data] }), [attack]));
        expect(uid).not.toBe('0');
        expect([bytes, alive]).toEqual(['0', 'safe']);
      });

    it.skipIf(!isThere)('puts no link in the place of what the service looks for', async () => {
      const [on, target] = [bench({ sandbox }), newFolder(0o777)];
      const swap =
        'set +e; cd "$HOME/.."; for name in src out tmp input; do rm -rf $name 2>/dev/null; mv $name moved ' +
        `2>/dev/null; ln -s ${target} $name 2>/dev/null; done; mkdir -p tmp/x; ln -s ${target} src/link; ln -s ` +
        `${target} out/result`;
      const running = run(on, [swap, 'pwd -P; touch here; ls']);
      const lines = await output(running);
      expect(lines[0]).toMatch(/\.1\/src$/);
      expect(lines).toContain('here');
      expect(lines.at(-1)).toContain('the result is not used');
      expect([readdirSync(target), on.left()]).toEqual([[], []]);
    });

    it.skipIf(!isThere)('does not enter by a link what only root may enter', async () => {
      const closed = newFolder(0o700);
      mkdirSync(join(closed, 'open'), { mode: 0o755 });
      writeFileSync(join(closed, 'open', 'file'), 'secret');
      const running = start(bench({ sandbox }).executor,
        assignmentOf(pipelineOf([`ln -s ${closed}/open link`, { argv: ['/bin/cat', 'file'], workingDir: 'link' }])));
      expect(await running.result).toMatchObject({
        outcome: Outcome.FAILED,
        error: { code: 'spawn_failed', message: expect.stringContaining('there is no folder link') as string },
      });
      expect(running.text().join()).not.toContain('secret');
    });

    it.skipIf(!isThere)('opens its output again by its path, as scripts do', async () => {
      const running = run(bench({ sandbox }), [PATHS_OF_OUTPUT]);
      await output(running);
      expect(running.text('stdout').sort()).toEqual(['both', 'to stdout']);
      expect(running.text('stderr').sort()).toEqual(['both', 'to stderr']);
    });

    it.skipIf(!isThere)('goes on in the background until the run ends, while others are cleaned up', async () => {
      const server = {
        name: 'server',
        background: true,
        argv: ['/bin/sh', '-c', 'trap "echo stopped; exit 0" TERM; id -u; touch up; while :; do sleep 0.02; done'],
      };
      const running = start(bench({ sandbox }).executor,
        assignmentOf(
          pipelineOf([server, 'while [ ! -e up ]; do sleep 0.02; done; env -i setsid sleep 1000 & echo one',
            'sleep 0.2; echo two']),
        ));
      const result = await running.result;
      expect(result, running.text().join('\n')).toMatchObject({ outcome: Outcome.SUCCEEDED });
      expect(running.text('stdout').slice(1)).toEqual(['one', 'two', 'stopped']);
      expect(result.steps).toMatchObject([{ name: 'server', outcome: 'succeeded' }, { name: 's2' }, { name: 's3' }]);
      expect(usersWithProcesses().has(Number(running.text('stdout')[0]))).toBe(false);
    });

    it.skipIf(!isThere)('leaves no process behind, not even one without its group, session and environment',
      async () => {
        const running = run(bench({ sandbox }), [
          'id -u; for i in 1 2 3; do env -i setsid sh -c "sleep 1000 & sleep 1000" & done; sleep 0.1',
        ]);
        const [uid] = await output(running);
        expect(usersWithProcesses().has(Number(uid))).toBe(false);
      });

    it.skipIf(!isThere)('leaves no file behind in places that it shares with others', async () => {
      const name = `quire-left-${process.pid}-${sandbox}`;
      await output(run(bench({ sandbox }), [
        `for place in /tmp /var/tmp /dev/shm; do mkdir -p $place/${name}; echo x > $place/${name}/file; chmod 500 ` +
        `$place/${name}; done`,
      ]));
      for (const place of ['/tmp', '/var/tmp', '/dev/shm']) expect(existsSync(join(place, name)), place).toBe(false);
    });

    it.skipIf(!isThere)('dies with a service that is killed, whatever it has done to get away', async () => {
      const folder = newFolder();
      const service = new ExecutorProcess({
        options: { workDir: join(folder, 'work'), sandbox, runAs: 'separate' },
        steps: ['id -u; env -i setsid sh -c "sleep 1000 & sleep 1000" & sleep 0.2; echo ready; sleep 1000'],
      });
      while (!service.output.includes('ready')) await setTimeout(10);
      const uid = Number(service.output.split('\n')[0]);
      expect(usersWithProcesses().has(uid)).toBe(true);
      service.child.kill('SIGKILL');
      while (usersWithProcesses().has(uid)) await setTimeout(10);
    });

    it.skipIf(!isThere)('dies with a service that is killed, and so do steps and services beside it', async () => {
      const folder = newFolder();
      const sleeps = (name: string) =>
        script(`id -u; (sleep 1000 & setsid sleep 1000) & sleep 0.1; echo ${name} up; sleep 1000`);
      const options = { workDir: join(folder, 'work'), sandbox, runAs: 'separate' } as const;
      const service = new ExecutorProcess({
        options,
        steps: ['one', 'two'].map((name) => ({ ...sleeps(name), needs: { names: [] } })),
        plan: { services: [{ name: 'db', workingDir: '.', ...sleeps('db') }] },
      });
      while (!['one up', 'two up', 'db up'].every((text) => service.output.includes(text))) await setTimeout(10);
      const uid = Number(/^7\d{4}$/m.exec(service.output)![0]);
      expect(usersWithProcesses().has(uid)).toBe(true);
      const exit = once(service.child, 'exit');
      service.child.kill('SIGKILL');
      await exit;
      while (usersWithProcesses().has(uid)) await setTimeout(10);
      await bench(options).executor.ready;
      expect(readdirSync(options.workDir)).toEqual([]);
    });

    it.skipIf(!isThere)('finds its repository written by itself, in a folder that was closed until then', async () => {
      const origin = newFolder();
      const git = (...args: string[]): string =>
        execFileSync('git', ['-C', origin, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
          encoding: 'utf8',
        });
      git('init', '--quiet', '--initial-branch=main');
      writeFileSync(join(origin, 'file.txt'), 'one');
      git('add', '.');
      git('commit', '--quiet', '-m', 'one');
      const lines = await output(run(bench({ sandbox }), [
        'id -u; stat -c %u file.txt .git/HEAD .; git status --short; cat file.txt; echo; stat -c "%u %a" ..',
      ], {}, { checkout: 'full', gitUrl: `file://${origin}` }));
      const [uid, ...rest] = lines.filter((line) => !line.startsWith('Cloning'));
      expect(rest.slice(0, 4)).toEqual([uid, uid, uid, 'one']);
      expect(rest[4]).toBe('0 710');
    });

    it.skipIf(!isThere)('removes its own alone: what links lead to stays', async () => {
      const [on, victim] = [bench({ sandbox }), newFolder(0o755)];
      writeFileSync(join(victim, 'file'), 'kept');
      await output(run(on, [
        `mkdir -p a/b; ln -s ${victim} a/b/link; ln -s ${victim} "$HOME/link"; chmod 000 a/b; chmod 500 a "$HOME"`,
      ]));
      expect([readFileSync(join(victim, 'file'), 'utf8'), on.left()]).toEqual(['kept', []]);
    });
  },
);

describe.skipIf(!hasNamespaces)('a fence', () => {
  it('leads to a work folder that is closed to the user of the step, so that no step has to run as root for that', async () => {
    const on = executorBench({ runAs: 'separate', sandbox: 'auto' }); // in a folder of mode 0700
    cleanups.push(() => on.close());
    expect((await on.executor.fence)!.sandbox).toMatch(/^(bubblewrap|namespaces)$/);
    const [uid, text] = await output(run(on, ['id -u; echo x > file; cat file']));
    expect([Number(uid) >= 70_000, text]).toEqual([true, 'x']);
    expect(on.left()).toEqual([]);
  });

  it('keeps /tmp from step to step, and from everybody else', async () => {
    const folder = newFolder(0o755, '/var'); // not below /tmp, which is empty for each step then
    const name = `quire-kept-${process.pid}`;
    const running = run(bench({ workDir: join(folder, 'work'), sandbox: 'namespaces' }), [
      `echo kept > /tmp/${name}; ls /tmp | wc -l`,
      `cat /tmp/${name} "$TMPDIR/${name}"; touch /etc/x /usr/x /x 2>/dev/null || echo read-only`,
    ]);
    expect(await output(running)).toEqual(['1', 'kept', 'kept', 'read-only']);
    expect(existsSync(`/tmp/${name}`)).toBe(false);
  });

  it('cannot be taken down from inside', async () => {
    const data = newFolder(0o755, '/var');
    writeFileSync(join(data, 'file'), 'hidden');
    const attack =
      `set +e; umount ${data} 2>/dev/null; unshare --user --map-root-user --mount sh -c 'umount ${data}; umount -l ` +
      `${data}; cat ${data}/file' 2>/dev/null; cat ${data}/file 2>/dev/null; nsenter --target 1 --mount cat ` +
      `${data}/file 2>/dev/null; ls -A ${data} | wc -l`;
    expect(await output(run(bench({ sandbox: 'namespaces', hide: [data] }), [attack]))).toEqual(['0']);
  });
});

describe.skipIf(!hasUserNamespaces)('a step of a service that is an ordinary user', () => {
  /** A service with a data folder, a home and a secret in its environment. */
  async function attack(steps: (place: { data: string; home: string }) => readonly string[],
    options: ExecutorPlan['options'] = {}): Promise<ExecutorAnswer>
  {
    const folder = newFolder();
    const [data, home] = [join(folder, 'data'), join(folder, 'home')];
    for (const path of [data, home, join(home, '.ssh')]) mkdirSync(path);
    writeFileSync(join(data, 'runs.db'), 'DATABASE');
    writeFileSync(join(home, '.ssh', 'id'), 'PRIVATE');
    if (root) {
      for (const path of [data, home, join(data, 'runs.db'), join(home, '.ssh'), join(home, '.ssh', 'id')])
        chownSync(path, ORDINARY, ORDINARY);
    }
    const plan = {
      options: { workDir: join(data, 'work'), sandbox: 'auto', runAs: 'separate', hide: [data], ...options } as const,
      steps: steps({ data, home }),
    };
    return new ExecutorProcess(plan, {
      ...(root && { uid: ORDINARY }),
      env: { HOME: home, SERVICE_SECRET: 'NEIGHBOURS_value' },
    }).answer();
  }

  it('is behind a fence, and gets at nothing of the service', async () => {
    const { outcome, lines, error } = await attack(({ data, home }) => [
      `set +e; id -u; ${SEARCH_ENVIRONMENTS}; cat ${data}/runs.db ${home}/.ssh/id 2>/dev/null | wc -c; ls -A ` +
      `${data} ${data}/work | grep -c work; true`,
      `touch ${home}/.bashrc 2>/dev/null && echo written || echo read-only; kill -9 -1 2>/dev/null || true; echo alive`,
    ]);
    expect({ outcome, error }).toMatchObject({ outcome: 'SUCCEEDED' });
    expect(lines.slice(0, 3)).toEqual([String(root ? ORDINARY : process.getuid!()), '0', '0']);
    expect(lines.slice(-2)).toEqual(['read-only', 'alive']);
  });

  it('has a name, with the home of its run', async () => {
    const { outcome, lines } = await attack(() => ['echo "$HOME"; getent passwd "$(id -u)" | cut -d: -f 6']);
    expect({ outcome, lines }).toEqual({ outcome: 'SUCCEEDED', lines: [lines[0], lines[0]] });
  });

  it('opens its output again by its path', async () => {
    const { outcome, lines } = await attack(() => [PATHS_OF_OUTPUT]);
    expect({ outcome, lines: lines.toSorted() }).toEqual({
      outcome: 'SUCCEEDED',
      lines: ['both', 'both', 'to stderr', 'to stdout'],
    });
  });

  it('puts no link in the place of what the service reads or binds', async () => {
    const { lines, result } = await attack((
      { data },
    ) => [`cd "$HOME/.."; rm -rf out; ln -s ${data} out; ln -s ${data}/runs.db result`]);
    expect(result).toBeUndefined();
    expect(lines.join()).toContain('its folder was replaced');
    const swapped = await attack(({ data }) => [`cd "$HOME/.."; rm -rf tmp; ln -s ${data} tmp`, 'cat /tmp/runs.db']);
    expect(swapped).toMatchObject({
      outcome: 'FAILED',
      error: expect.stringContaining('replaced the work folder') as string,
    });
    expect(swapped.lines.join()).not.toContain('DATABASE');
  });

  it('is refused where nothing keeps it apart, with what to do', async () => {
    const { outcome, error } = await attack(() => ['true'], { sandbox: 'none' });
    expect({ outcome, error }).toEqual({
      outcome: 'SHIP_ERROR',
      error: expect.stringMatching(/as this process's own user.*install bubblewrap.*run_as by name/) as string,
    });
  });

  it('runs as the service where that is said by name', async () => {
    const { outcome, lines } = await attack(() => ['id -u'], { sandbox: 'none', runAs: 'self' });
    expect({ outcome, lines }).toEqual({ outcome: 'SUCCEEDED', lines: [String(root ? ORDINARY : process.getuid!())] });
  });
});

it.skipIf(!root)('the work folder of a service that is root is for passing through', () => {
  expect(statSync(bench({}).workDir).mode & 0o777).toBe(0o711);
});
