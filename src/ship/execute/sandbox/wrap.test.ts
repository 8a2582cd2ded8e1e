import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProgram, type Machine, thisMachine } from './machine.ts';
import { Sandboxes } from './sandboxes.ts';
import type { View } from './view.ts';
import { type FencedCommand, wrap } from './wrap.ts';

const view: View = {
  hidden: ['/srv/data'],
  masked: ['/etc/quire.key'],
  keptInRun: ['systemd/resolve'],
  writable: [{ target: '/', options: 'relatime' }, { target: '/home', options: 'nosuid,nodev' }],
};
const command: FencedCommand = {
  argv: ['npm', 'test'],
  cwd: '/srv/data/r/src',
  env: { PATH: '/bin', HOME: '/srv/data/r/home', CI: 'true' },
  folder: '/srv/data/r',
  view,
  name: 'quire-1',
  image: 'node:24',
};
const machine: Machine = {
  root: false,
  env: { PATH: '/usr/bin', HOME: '/home/ship', XDG_RUNTIME_DIR: '/run/user/7' },
  unshare: '/u/unshare',
  setpriv: '/u/setpriv',
  mount: '/u/mount',
  mkdir: '/u/mkdir',
  envProgram: '/u/env',
  bwrap: '/u/bwrap',
  systemdRun: '/u/systemd-run',
  systemctl: '/u/systemctl',
  docker: '/u/docker',
};
const user = { uid: 70001, gid: 70001 };
const BECOME =
  '/u/setpriv --reuid=70001 --regid=70001 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs --';
const ENTER = '/bin/sh -c cd -- "$1" || exit 126; shift;';

describe('wrapping (decisions, section 5)', () => {
  it('none: limits where prlimit is there, and another user where this process is root', () => {
    expect(wrap.none(command, machine)).toMatchObject({ argv: ['npm', 'test'], cwd: '/srv/data/r/src' });
    const asRoot = wrap.none({ ...command, user }, { ...machine, root: true, prlimit: '/u/prlimit' });
    expect(asRoot.argv.join(' ')).toBe(
      `/u/prlimit --core=0 --nproc=4096 -- ${BECOME} ${ENTER} exec "$@" sh /srv/data/r/src npm test`,
    );
    // A link in the work folder must not lead root to another folder.
    expect(asRoot.cwd).toBe('/');
    const { setpriv: _, ...without } = machine;
    expect(wrap.none({ ...command, user }, { ...without, root: true })).toMatchObject({ cwd: '/', user });
  });

  it('namespaces: a user namespace unless this process is root, who then becomes the separate user inside', () => {
    const { argv } = wrap.namespaces(command, machine);
    expect(argv.slice(0, 10)).toEqual(['/u/unshare', '--user', '--map-current-user', '--keep-caps', '--mount', '--pid',
      '--ipc', '--mount-proc', '--fork', '--kill-child']);
    expect(argv.slice(15).join(' ')).toBe(
      `/u/setpriv --ambient-caps=-all --inh-caps=-all --bounding-set=-all --no-new-privs -- ${ENTER} "$@"; exit $? ` +
        'sh /srv/data/r/src npm test',
    );
    const asRoot = wrap.namespaces({ ...command, user }, { ...machine, root: true });
    expect(asRoot.argv.slice(0, 3)).toEqual(['/u/unshare', '--mount', '--pid']);
    expect(asRoot.argv.join(' ')).toContain(`sh ${BECOME} ${ENTER}`);
    expect(asRoot).toMatchObject({ cwd: '/' });
    expect(asRoot.user).toBeUndefined();
  });

  it(
    'namespaces: hide what is hidden before the folder is put back, and make the rest read-only with the options ' +
      'that it has',
    () => {
      const script = wrap.namespaces(command, machine).argv[13]!.split('\n');
      const at = (line: string): number => script.findIndex((each) => each.includes(line));
      expect(script[0]).toBe('set -e');
      const order = ["exec 9<'/srv/data/r'", "quire '/srv/data'", "'/u/mkdir' -p '/srv/data/r'",
        "--bind . '/srv/data/r'", "--bind /dev/null '/etc/quire.key'", "remount,bind,ro,nosuid,nodev '/home'",
        'exec "$@"'].map(at);
      expect(order).toEqual(order.toSorted((one, other) => one - other));
      expect(order).not.toContain(-1);
      // A quotation mark in a path is kept.
      const odd = wrap.namespaces({ ...command, folder: "/srv/it's" }, machine).argv[13]!;
      expect(odd).toContain("exec 9<'/srv/it'\\''s'");
    },
  );

  it("bubblewrap: everything read-only but the run's folder", () => {
    const { argv } = wrap.bubblewrap(command, machine);
    expect(argv.join(' ')).toMatch(
      /^\/u\/env --ignore-signal=TERM \/u\/bwrap .*--ro-bind \/ \/ --dev \/dev --proc \/proc --tmpfs \/run --ro-bind-try \/run\/systemd\/resolve \S+ .*--tmpfs \/srv\/data --bind \/srv\/data\/r \/srv\/data\/r --ro-bind \/dev\/null \/etc\/quire.key --chdir \/ -- \/u\/env --default-signal=TERM \/bin\/sh/,
    );
    expect(argv).toContain('--die-with-parent');
    expect(wrap.bubblewrap({ ...command, user }, { ...machine, root: true }).argv.join(' ')).toContain(
      `--default-signal=TERM ${BECOME} `,
    );
  });

  it.each(['none', 'namespaces', 'bubblewrap', 'systemd'] as const)(
    '%s: what makes a loader or a shell run something is set for the step alone',
    (name) => {
      const hostile = {
        ...command.env,
        LD_PRELOAD: './evil.so',
        'BASH_FUNC_cd%%': '() { evil; }',
        LIBMOUNT_FSTAB: 'x',
      };
      const { argv, env } = wrap[name]({ ...command, user, env: hostile }, { ...machine, root: true });
      expect(env).toMatchObject(command.env);
      expect(Object.keys(env).filter((key) => key in hostile && !(key in command.env))).toEqual([]);
      const entered = argv.indexOf('/srv/data/r/src');
      expect(argv.slice(entered + 1)).toEqual(['env', 'LD_PRELOAD=./evil.so', 'BASH_FUNC_cd%%=() { evil; }',
        'LIBMOUNT_FSTAB=x', 'npm', 'test']);
    },
  );

  it('systemd: a scope whose cgroup can be killed as a whole', () => {
    const wrapped = wrap.systemd(command, machine);
    expect(wrapped.argv.join(' ')).toMatch(
      /^\/u\/systemd-run --user --scope --quiet --collect --unit=quire-1 .* sh \/srv\/data\/r\/src npm test$/,
    );
    expect(wrapped.forceEnd).toEqual(['/u/systemctl', '--user', 'kill', '--signal=SIGKILL', 'quire-1.scope']);
    expect(wrapped.env).toMatchObject({ HOME: '/srv/data/r/home', XDG_RUNTIME_DIR: '/run/user/7' });
    expect(wrap.systemd({ ...command, user }, { ...machine, root: true }).argv).toEqual(
      expect.arrayContaining(['--uid=70001', '--gid=70001']),
    );
  });

  it("container: mounts the run's folder, shows no value of a variable in its arguments, and can be removed by name", () => {
    const wrapped = wrap.container({ ...command, env: { ...command.env, API_TOKEN: 'secret' }, user }, machine);
    expect(wrapped.argv.join(' ')).toBe(
      '/u/docker run --rm --init --name quire-1 --user 70001:70001 --security-opt no-new-privileges --volume ' +
        '/srv/data/r:/srv/data/r:Z --workdir /srv/data/r/src --env HOME=/srv/data/r/home --env CI --env API_TOKEN ' +
        '--entrypoint npm node:24 test',
    );
    expect(wrapped.env).toMatchObject({ API_TOKEN: 'secret', HOME: '/home/ship', PATH: '/usr/bin' });
    expect(wrapped.forceEnd).toEqual(['/u/docker', 'rm', '--force', 'quire-1']);
    expect(wrap.container(command, { ...machine, podman: '/u/podman' }).argv).toEqual(
      expect.arrayContaining(['/u/podman', '--userns=keep-id']),
    );
  });
});

const folder = mkdtempSync(join(tmpdir(), 'quire-bwrap-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a sandbox program in between', () => {
  const canReset = spawnSync('env', ['--ignore-signal=TERM', 'env', '--default-signal=TERM', 'true']).status === 0;

  // Replaces bwrap: skips the options, and runs the rest as its child.
  it.skipIf(!canReset)('does not receive SIGTERM, but the command in it does', async () => {
    const bwrap = join(folder, 'bwrap');
    writeFileSync(bwrap, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\n"$@"; exit $?\n', { mode: 0o755 });
    const wrapped = wrap.bubblewrap({
      ...command,
      cwd: folder,
      argv: ['/bin/sh', '-c', 'trap "exit 9" TERM; echo ready; while :; do sleep 0.01; done'],
      env: { PATH: process.env['PATH']! },
    }, { ...machine, envProgram: '/usr/bin/env', bwrap });
    const child = spawn(wrapped.argv[0]!, wrapped.argv.slice(1), {
      env: { ...wrapped.env },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    process.kill(-child.pid!, 'SIGTERM');
    expect(await once(child, 'exit')).toEqual([9, null]);
  });
});

describe('sandboxes of a machine', () => {
  const root = process.getuid?.() === 0;
  const none: View = { hidden: [], masked: [], keptInRun: [], writable: [] };
  const sandboxes = (options: Partial<ConstructorParameters<typeof Sandboxes>[0]> = {}): Sandboxes =>
    new Sandboxes({
      machine: { root: false, env: {} },
      workDir: folder,
      user: undefined,
      mayShareUser: true,
      closed: undefined,
      view: () => none,
      ...options,
    });

  it('names what is missing', async () => {
    const bare = sandboxes();
    expect(bare.lacks('bubblewrap')).toBe('the sandbox bubblewrap is missing: bwrap is not installed');
    expect(bare.lacks('container')).toContain('neither podman nor docker');
    expect(bare.lacks('chroot')).toBe('the sandbox chroot is unknown');
    expect(bare.lacks('none')).toBeUndefined();
    expect(await bare.check('namespaces')).toBe('unshare and setpriv and mount and mkdir are not installed');
  });

  it('does not trust a program that is there but fails', async () => {
    const lying = sandboxes({ machine: { root: true, env: {}, podman: '/bin/false' } });
    expect(await lying.check('container')).toContain('false');
    expect(lying.lacks('container')).toContain('the sandbox container is missing');
  });

  it('does not trust one that fences in nothing', async () => {
    const bwrap = join(folder, 'bwrap-that-hides-nothing');
    writeFileSync(bwrap, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n', { mode: 0o755 });
    const lying = sandboxes({ machine: { ...thisMachine(process.env), bwrap } });
    expect(await lying.check('bubblewrap')).toBe('it does not hide files');
  });

  it('auto is the strongest that works, and nothing where steps could then read what the service may', async () => {
    const bare = sandboxes({ mayShareUser: false });
    const chosen = await bare.choose('auto');
    expect(chosen).toEqual({
      reason: expect.stringMatching(
        /bwrap is not installed.*unshare and .*are not installed.*set run_as by name/,
      ) as string,
    });
    expect(bare.lacks('auto')).toBe('reason' in chosen ? chosen.reason : '');
    // None is refused by name as well.
    expect(bare.lacks('none')).toContain("as this process's own user");
    expect(await sandboxes().choose('auto')).toEqual({ name: 'none' });
  });

  it.skipIf(spawnSync('unshare', ['--pid', '--fork', ...(root ? [] : ['--user']), 'true']).status !== 0)(
    'finds namespaces where the kernel allows them',
    async () => {
      const real = sandboxes({ machine: thisMachine(process.env), mayShareUser: false });
      expect(await real.check('namespaces')).toBeUndefined();
      expect(await real.choose('auto')).toMatchObject({
        name: expect.stringMatching(/^(bubblewrap|namespaces)$/) as string,
      });
    },
  );
});

describe('findProgram', () => {
  it('looks along the path, and takes a path as it is', () => {
    expect(findProgram('sh', '/nowhere:/bin', '/')).toBe('/bin/sh');
    expect(findProgram('./sh', '', '/bin')).toBe('/bin/sh');
    expect(findProgram('/bin', '', '/')).toBeUndefined();
    expect(findProgram('', '/bin', '/')).toBeUndefined();
  });
});
