// Each run's user has a name and a home, in every sandbox: programs such as ssh do not start without them.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Outcome } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, executorBench, pipelineOf, start } from '../../testkit/runs-executor.ts';
import { findProgram, thisMachine } from './sandbox/index.ts';
import { wrap } from './sandbox/wrap.ts';

const root = process.getuid?.() === 0;
const works = (...argv: string[]): boolean => spawnSync(argv[0]!, argv.slice(1)).status === 0;
const find = (name: string): string | undefined => findProgram(name, `${process.env['PATH']}:/usr/sbin:/sbin`, '/');
const hasMounts = root &&
  works('unshare', '--mount', '--propagation', 'slave', 'mount', '--bind', '/etc/passwd', '/etc/passwd');
const hasNamespaces = root && works('unshare', '--mount', '--pid', '--fork', 'true');
const SANDBOXES = [['none', hasMounts], ['namespaces', hasNamespaces], ['bubblewrap',
  root && find('bwrap') !== undefined]] as const;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

async function outputOf(sandbox: string, script: string, env: Record<string, string> = {}): Promise<string[]> {
  const bench = executorBench({ open: true, runAs: 'separate', sandbox });
  cleanups.push(() => bench.close());
  const running = start(bench.executor, assignmentOf(pipelineOf([script]), { env }));
  const result = await running.result;
  expect(result, running.text().join('\n')).toMatchObject({ outcome: Outcome.SUCCEEDED });
  expect(bench.left()).toEqual([]);
  return running.text();
}

/** A sandbox hides this program if it is below /tmp. */
const HAS_NODE = works(process.execPath, '-v') && !process.execPath.startsWith('/tmp/');
const NODE = `${process.execPath} -p "const {username, homedir} = os.userInfo(); username + ' ' + homedir"`;

describe.each(SANDBOXES)('the user of a run in the sandbox %s', (sandbox, isThere) => {
  it.skipIf(!isThere)('has a name, a group and the home of its run, and sees other accounts (needs root and mounts)',
    async () => {
      const [home, ...names] = await outputOf(sandbox,
        `echo "$HOME"; id -un; id -gn; ${HAS_NODE ? NODE : 'true'}; id -un 0; getent passwd "$(id -u)"`);
      expect(names.slice(0, 2)).toEqual(['quire-run', 'quire-run']);
      expect(names.slice(2)).toContain('root');
      expect(names.filter((line) => line.startsWith('quire-run '))).toEqual(HAS_NODE ? [`quire-run ${home}`] : []);
      expect(names.at(-1)).toMatch(new RegExp(`^quire-run:x:(7\\d{4}):\\1:Quire run:${home}:/bin/sh$`));
    });
});

describe('the library nss_wrapper', () => {
  it('names the user where the sandbox shares the files of the machine and no mount is possible', () => {
    const wrapped = wrap.none({
      argv: ['id'],
      cwd: '/w/src',
      env: { LD_PRELOAD: './own.so' },
      folder: '/w',
      view: { hidden: [], masked: [], keptInRun: [], writable: [] },
      name: 'quire-1',
      image: '',
      user: { uid: 70_001, gid: 70_001 },
      accounts: '/w.etc',
      naming: 'library',
    }, { root: true, env: {}, setpriv: '/u/setpriv', nssWrapper: '/usr/lib/libnss_wrapper.so' });
    expect(wrapped.argv.join(' ')).toContain('env LD_PRELOAD=/usr/lib/libnss_wrapper.so ./own.so id');
    expect(wrapped.env).toEqual({ NSS_WRAPPER_PASSWD: '/w.etc/passwd', NSS_WRAPPER_GROUP: '/w.etc/group' });
  });

  it.skipIf(!root || thisMachine(process.env).nssWrapper === undefined)('works (needs it, and root)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-names-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'passwd'), 'quire-run:x:70001:70001::/:/bin/sh\n');
    writeFileSync(join(folder, 'group'), 'quire-run:x:70001:\n');
    chmodSync(folder, 0o755);
    const { argv, env, cwd } = wrap.none({
      argv: ['id', '-un'],
      cwd: '/',
      env: { PATH: process.env['PATH']! },
      folder,
      view: { hidden: [], masked: [], keptInRun: [], writable: [] },
      name: 'quire-1',
      image: '',
      user: { uid: 70_001, gid: 70_001 },
      accounts: folder,
      naming: 'library',
    }, thisMachine(process.env));
    expect(execFileSync(argv[0]!, argv.slice(1), { env: { ...env }, cwd, encoding: 'utf8' })).toBe('quire-run\n');
  });
});

const sshd = find('sshd');
const isServer = hasMounts && sshd !== undefined && find('ssh') !== undefined && find('ssh-keygen') !== undefined;

/** A real sshd for root, which sees an account that it needs, and its port and key. */
async function startSshd(): Promise<{ port: number; folder: string; key: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-sshd-'));
  for (const name of ['host', 'user'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', join(folder, name)]);
  const port = await freePort();
  writeFileSync(join(folder, 'passwd'),
    `${readFileSync('/etc/passwd', 'utf8')}\nsshd:x:64320:65534::/run/sshd:/bin/false\n`);
  writeFileSync(join(folder, 'config'),
    [`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${folder}/host`, `AuthorizedKeysFile ${folder}/user.pub`,
      'StrictModes no', 'UsePAM no', 'PidFile none', 'PermitRootLogin prohibit-password'].join('\n'));
  const server = spawn('unshare', ['--mount', '--', 'sh', '-c',
    `mount --bind ${folder}/passwd /etc/passwd; mount -t tmpfs none /run; mkdir /run/sshd; exec ${sshd} -D -e -f ${folder}/config`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  cleanups.push(() => rmSync(folder, { recursive: true }), () => void server.kill('SIGKILL'));
  await listening(server);
  return { port, folder, key: readFileSync(join(folder, 'user'), 'utf8') };
}

async function listening(server: ChildProcess): Promise<void> {
  let said = '';
  server.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  while (!said.includes('Server listening')) {
    if (server.exitCode !== null) throw new Error(`sshd has ended: ${said}`);
    await setTimeout(10);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe.each(SANDBOXES)('ssh to a real server in the sandbox %s (needs sshd, ssh and root)', (sandbox, isThere) => {
  it.skipIf(!isThere || !isServer)('finds keys in the home of the run, and git fetches by it', async () => {
    const { port, folder, key } = await startSshd();
    const origin = join(folder, 'origin');
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin]);
    const config = `Host localhost\n Port ${port}\n HostName 127.0.0.1\n User root\n StrictHostKeyChecking no\n`;
    const lines = await outputOf(sandbox, [
      'mkdir -m 700 "$HOME/.ssh"; umask 077; printf %s "$SSH_KEY" > "$HOME/.ssh/id_ed25519"',
      `printf '${config}' > "$HOME/.ssh/config"`,
      'ssh -o BatchMode=yes localhost echo reached',
      `git ls-remote ssh://localhost${origin} && echo fetched`,
    ].join('\n'), { SSH_KEY: key });
    expect(lines.filter((line) => !line.startsWith('Warning'))).toEqual(['reached', 'fetched']);
    expect(existsSync('/etc/passwd')).toBe(true);
  });
});
