import { Command } from 'commander';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerShip } from '../commands/ship.ts';
import { carryOut, describePlan, type InstallFlags, planInstall, requireReadable, shipUnit } from './install-ship.ts';

const OWN = { node: '/usr/bin/node', script: '/opt/quire/bin/quire.js' };
const FLAGS: InstallFlags = {
  user: 'quire-ship',
  dataDir: '/var/lib/quire-ship',
  root: '/',
  server: 'ships.example.org:11032',
  name: 'build-01',
};

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'quire-install-'))));
afterEach(() => rmSync(root, { recursive: true }));

describe('quire ship install', () => {
  it('makes an account, joins as it, and starts a unit, in that order', () => {
    const lines = describePlan(planInstall({ ...FLAGS, capacity: 4 }, OWN, true)).filter((line) =>
      !line.startsWith('    ')
    );
    expect(lines).toEqual(['write  /etc/sysusers.d/quire-ship.conf',
      'run    systemd-sysusers /etc/sysusers.d/quire-ship.conf    # makes the account quire-ship',
      'folder /var/lib/quire-ship    # mode 0700, of quire-ship',
      'run    setpriv --reuid=quire-ship --regid=quire-ship --init-groups /usr/bin/node /opt/quire/bin/quire.js ' +
      'ship join --server ships.example.org:11032 --name build-01 --data-dir /var/lib/quire-ship --capacity 4    ' +
      '# joins the fleet as build-01', 'write  /etc/systemd/system/quire-ship.service',
      'run    systemctl daemon-reload    # reads the unit',
      'run    systemctl enable --now quire-ship.service    # starts the ship, now and with the machine']);
  });

  it('writes below a root nothing but the files, twice the same', async () => {
    const plan = planInstall({ ...FLAGS, root, sandbox: 'bubblewrap', cacheSize: '5GiB' }, OWN, true);
    await carryOut(plan, 'a-token');
    await carryOut(plan, 'a-token');
    const unit = readFileSync(join(root, 'etc/systemd/system/quire-ship.service'), 'utf8');
    expect(unit).toContain(
      'ExecStart=/usr/bin/node /opt/quire/bin/quire.js ship run --data-dir /var/lib/quire-ship --sandbox ' +
        'bubblewrap --cache-size 5GiB\n',
    );
    expect(unit).toMatch(
      /User=quire-ship[\s\S]*ProtectSystem=strict\nReadWritePaths=\/var\/lib\/quire-ship\n[\s\S]*NoNewPrivileges=yes\n/,
    );
    expect(`${unit}${readFileSync(join(root, 'etc/sysusers.d/quire-ship.conf'), 'utf8')}`).not.toContain('a-token');
    expect(readFileSync(join(root, 'etc/sysusers.d/quire-ship.conf'), 'utf8')).toContain(
      'u quire-ship - "Quire ship" /var/lib/quire-ship /usr/sbin/nologin\n',
    );
    expect(statSync(join(root, 'etc/systemd/system/quire-ship.service')).mode & 0o777).toBe(0o644);
  });

  const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!hasAnalyzer)('writes a unit that systemd understands (skipped without systemd)', async () => {
    await carryOut(
      planInstall({ ...FLAGS, root }, { node: process.execPath, script: '/opt/with space/100%/$HOME.js' }, true),
      undefined,
    );
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no',
      join(root, 'etc/systemd/system/quire-ship.service')], { encoding: 'utf8' });
    expect(
      stderr.split('\n').filter((line) => line.includes('quire-ship.service') && !/user|not executable/i.test(line)),
    ).toEqual([]);
    expect(status === 0 || stderr !== '').toBe(true);
  });

  it('quotes what systemd would take for something else', () => {
    const unit = shipUnit({ user: 'u', dataDir: '/data', program: ['/a b/$x/50%/"q"\\n'], flags: [] });
    expect(unit).toContain('ExecStart="/a b/$$x/50%%/\\"q\\"\\\\n" ship run --data-dir /data\n');
  });

  it.each([[{ user: 'Root!' }, true, '--user must be'], [{ dataDir: 'relative' }, true,
    '--data-dir must be an absolute path'], [{ dataDir: '/a b' }, true, 'without spaces'], [{ name: undefined }, true,
    'give both --server and --name'], [{}, false, 'a join token is missing']])('refuses %o (token: %s): %s',
      (more, hasToken, said) => {
        expect(() => planInstall({ ...FLAGS, ...more } as InstallFlags, OWN, hasToken)).toThrow(said);
      });

  it.each([{ ...OWN, script: '/root/quire/bin/quire.js' }, {
    ...OWN,
    node: '/home/ann/.nvm/versions/node/v24.18.0/bin/node',
  }, { ...OWN, script: '/run/user/1000/quire.js' }])('refuses a program that the account of the ship cannot read: %o',
    (own) => {
      expect(() => requireReadable(own)).toThrow(/is in a home folder.*such as in \/opt/);
      expect(() => requireReadable(OWN)).not.toThrow();
    });

  it('names what failed', async () => {
    await expect(
      carryOut([{ kind: 'run', argv: ['/bin/sh', '-c', 'echo no such unit >&2; exit 3'], why: 'tries' }], undefined),
    ).rejects.toThrow(/echo no such unit.*: no such unit$/);
  });

  it('shows with --dry-run what it would do, and does nothing', async () => {
    const out: string[] = [];
    const stream = (): Writable =>
      new Writable({
        write: (chunk: Buffer, _, done) => {
          out.push(chunk.toString());
          done();
        },
      });
    const program = new Command('quire').exitOverride();
    registerShip(program, { stdin: process.stdin, stdout: stream(), stderr: stream(), setExitCode: () => undefined });
    await program.parseAsync(['ship', 'install', '--dry-run', '--root', root], { from: 'user' });
    expect(out.join('')).toContain(`write  ${root}/etc/systemd/system/quire-ship.service`);
    expect(execFileSync('find', [root, '-type', 'f'], { encoding: 'utf8' })).toBe('');
  });
});
