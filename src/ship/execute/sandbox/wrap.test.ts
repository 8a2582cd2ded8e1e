import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { thisMachine, type Machine } from './machine.ts';
import { findProgram } from './programs.ts';
import { Sandboxes } from './sandboxes.ts';
import { separateUser } from './separate-user.ts';
import { wrap, type FencedCommand } from './wrap.ts';

const command: FencedCommand = { argv: ['npm', 'test'], cwd: '/w/r/src', env: { PATH: '/bin', HOME: '/w/r/home', CI: 'true' }, folder: '/w/r', name: 'quire-1', image: 'node:24' };
const machine: Machine = { root: false, env: { PATH: '/usr/bin', HOME: '/home/ship', XDG_RUNTIME_DIR: '/run/user/7' }, unshare: '/u/unshare', setpriv: '/u/setpriv', bwrap: '/u/bwrap', systemdRun: '/u/systemd-run', systemctl: '/u/systemctl', docker: '/u/docker' };
const user = { uid: 65534, gid: 65534 };

describe('wrapping (decisions, section 5)', () => {
  it('none: limits where prlimit is there, and another user where this process is root', () => {
    expect(wrap.none(command, machine)).toMatchObject({ argv: ['npm', 'test'] });
    expect(wrap.none({ ...command, user }, { ...machine, root: true, prlimit: '/u/prlimit' })).toMatchObject({ argv: ['/u/prlimit', '--core=0', '--nproc=4096', '--', 'npm', 'test'], user });
  });

  it('namespaces: a user namespace unless this process is root, who then becomes the separate user inside', () => {
    expect(wrap.namespaces(command, machine).argv).toEqual(['/u/unshare', '--user', '--map-current-user', '--pid', '--ipc', '--mount-proc', '--fork', '--kill-child', '--', '/bin/sh', '-c', '"$@"; exit $?', 'sh', 'npm', 'test']);
    const asRoot = wrap.namespaces({ ...command, user }, { ...machine, root: true });
    expect(asRoot.argv.join(' ')).toContain('/u/unshare --pid --ipc --mount-proc --fork --kill-child -- /u/setpriv --reuid=65534 --regid=65534 --clear-groups -- /bin/sh');
    expect(asRoot.user).toBeUndefined();
  });

  it('bubblewrap: everything read-only but the run\'s folder', () => {
    const { argv } = wrap.bubblewrap(command, machine);
    expect(argv.join(' ')).toContain('--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind /w/r /w/r --chdir /w/r/src -- env --default-signal=TERM npm test');
    expect(argv).toContain('--die-with-parent');
  });

  it('systemd: a scope whose cgroup can be killed as a whole', () => {
    const wrapped = wrap.systemd(command, machine);
    expect(wrapped.argv.join(' ')).toMatch(/^\/u\/systemd-run --user --scope --quiet --collect --unit=quire-1 .*-- npm test$/);
    expect(wrapped.forceEnd).toEqual(['/u/systemctl', '--user', 'kill', '--signal=SIGKILL', 'quire-1.scope']);
    expect(wrapped.env).toMatchObject({ HOME: '/w/r/home', XDG_RUNTIME_DIR: '/run/user/7' });
    expect(wrap.systemd({ ...command, user }, { ...machine, root: true }).argv).toEqual(expect.arrayContaining(['--uid=65534', '--gid=65534']));
  });

  it('container: mounts the run\'s folder, shows no value of a variable in its arguments, and can be removed by name', () => {
    const wrapped = wrap.container({ ...command, env: { ...command.env, API_TOKEN: 'secret' }, user }, machine);
    expect(wrapped.argv.join(' ')).toBe('/u/docker run --rm --init --name quire-1 --user 65534:65534 --security-opt no-new-privileges --volume /w/r:/w/r:Z --workdir /w/r/src --env HOME=/w/r/home --env CI --env API_TOKEN --entrypoint npm node:24 test');
    expect(wrapped.env).toMatchObject({ API_TOKEN: 'secret', HOME: '/home/ship', PATH: '/usr/bin' });
    expect(wrapped.forceEnd).toEqual(['/u/docker', 'rm', '--force', 'quire-1']);
    expect(wrap.container(command, { ...machine, podman: '/u/podman' }).argv).toEqual(expect.arrayContaining(['/u/podman', '--userns=keep-id']));
  });
});

describe('a sandbox program in between', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bwrap-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const canReset = spawnSync('env', ['--ignore-signal=TERM', 'env', '--default-signal=TERM', 'true']).status === 0;

  // Stands for bwrap: skips the options, and runs the rest as its child.
  it.skipIf(!canReset)('does not hear SIGTERM, but the command in it does', async () => {
    const bwrap = join(folder, 'bwrap');
    writeFileSync(bwrap, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\n"$@"; exit $?\n', { mode: 0o755 });
    const wrapped = wrap.bubblewrap({ ...command, argv: ['/bin/sh', '-c', 'trap "exit 9" TERM; echo ready; while :; do sleep 0.01; done'], env: { PATH: process.env['PATH']! } }, { ...machine, bwrap });
    const child = spawn(wrapped.argv[0]!, wrapped.argv.slice(1), { env: { ...wrapped.env }, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    process.kill(-child.pid!, 'SIGTERM');
    expect(await once(child, 'exit')).toEqual([9, null]);
  });
});

describe('sandboxes of a machine', () => {
  it('names what is missing', async () => {
    const sandboxes = new Sandboxes({ root: false, env: {} }, undefined);
    expect(sandboxes.lacks('bubblewrap')).toBe('the sandbox bubblewrap is missing: bwrap is not installed');
    expect(sandboxes.lacks('container')).toContain('neither podman nor docker');
    expect(sandboxes.lacks('chroot')).toBe('the sandbox chroot is unknown');
    expect(sandboxes.lacks('none')).toBeUndefined();
    expect(await sandboxes.check('namespaces')).toBe('unshare is not installed');
  });

  it('does not trust a program that is there but fails', async () => {
    const sandboxes = new Sandboxes({ root: true, env: {}, podman: '/bin/false' }, undefined);
    expect(await sandboxes.check('container')).toContain('false');
    expect(sandboxes.lacks('container')).toContain('the sandbox container is missing');
  });

  const real = thisMachine(process.env);
  it.skipIf(spawnSync('unshare', ['--pid', '--fork', ...(real.root ? [] : ['--user']), 'true']).status !== 0)('finds namespaces where the kernel allows them', async () => {
    expect(await new Sandboxes(real, undefined).check('namespaces')).toBeUndefined();
  });
});

describe('findProgram', () => {
  it('looks along the path, and takes a path as it is', () => {
    expect(findProgram('sh', '/nowhere:/bin', '/')).toBe('/bin/sh');
    expect(findProgram('./sh', '', '/bin')).toBe('/bin/sh');
    expect(findProgram('/bin', '', '/')).toBeUndefined();
    expect(findProgram('', '/bin', '/')).toBeUndefined();
  });
});

describe.skipIf(process.getuid?.() !== 0)('separateUser, as root', () => {
  it('is nobody when nobody can reach the work folder, and names the folder that is closed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-user-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const work = join(folder, 'work');
    mkdirSync(work, { mode: 0o711 });
    expect(separateUser(work)).toEqual({ closed: folder });
    chmodSync(folder, 0o711);
    expect(separateUser(work)).toEqual({ user: { uid: 65534, gid: 65534 } });
  });
});
