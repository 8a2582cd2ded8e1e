import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ShipFailure } from '../../ship/identity/index.ts';

/** The parameters of a ship's unit. */
export interface ShipUnit {
  readonly user: string;
  /** Absolute path. */
  readonly dataDir: string;
  /** The program with its first arguments, with absolute paths. */
  readonly program: readonly string[];
  /** Further arguments of `quire ship run`. */
  readonly flags: readonly string[];
}

/**
 * A systemd unit (systemd.service(5), systemd.exec(5)) that runs a ship as a user of its own. Two kinds of options are
 * omitted on purpose: those that hide a part of /proc (ProtectKernelTunables, ProtectProc), because an unprivileged
 * process could then not create namespaces with their own /proc, and those that forbid namespaces. The sandboxes of
 * steps need both. The statuses 77 and 86 require an administrator: the ship was revoked, or is too old.
 */
export function shipUnit({ user, dataDir, program, flags }: ShipUnit): string {
  return `# Written by \`quire ship install\`; written again by the next one. Put changes into quire-ship.service.d/*.conf.
[Unit]
Description=Quire ship: executes runs of a run-queue service
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=${[...program, 'ship', 'run', '--data-dir', dataDir, ...flags].map(quoted).join(' ')}
User=${user}
Group=${user}
WorkingDirectory=${specifiersKept(dataDir)}
Environment=NODE_ENV=production
# The first SIGTERM drains: runs may end. The second, after this time, is SIGKILL; the service hands them out again.
KillMode=mixed
TimeoutStopSec=30min
Restart=always
RestartSec=5
RestartPreventExitStatus=0 77 86
LimitNOFILE=65536

ProtectSystem=strict
ReadWritePaths=${specifiersKept(dataDir)}
ProtectHome=yes
PrivateTmp=yes
ProtectClock=yes
ProtectHostname=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
UMask=0077

[Install]
WantedBy=multi-user.target
`;
}

/** The input of systemd-sysusers: an account without login (sysusers.d(5)). */
export function shipAccount({ user, dataDir }: Pick<ShipUnit, 'user' | 'dataDir'>): string {
  return `# Written by \`quire ship install\`.\nu ${user} - "Quire ship" ${dataDir} /usr/sbin/nologin\n`;
}

/** Quotes a word of ExecStart: quotes, backslashes, variables and specifiers lose their special meaning. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./:=@%$,+-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`;
}

const specifiersKept = (path: string): string => path.replaceAll('%', '%%');

/** A name that every system accepts for an account. */
const USER = /^[a-z_][a-z0-9_-]{0,30}$/;
const UNIT = 'quire-ship.service';

export interface InstallFlags {
  /** The address to join, host:port; absent if the machine has already joined. */
  readonly server?: string;
  readonly name?: string;
  readonly tokenFile?: string;
  readonly user: string;
  readonly dataDir: string;
  readonly capacity?: number;
  readonly sandbox?: string;
  readonly cacheSize?: string;
  /** The root folder below which the files are written, for an image of a machine; then nothing is started. */
  readonly root: string;
  readonly dryRun?: boolean;
}

/** Node and the program that this process runs. */
export interface OwnProgram {
  readonly node: string;
  readonly script: string;
}

export type Action = { readonly kind: 'write'; readonly path: string; readonly content: string; readonly mode: number }
  | { readonly kind: 'folder'; readonly path: string; readonly owner: string } | { readonly kind: 'run';
  readonly argv: readonly string[]; readonly why: string };

/** Folders that the unit cannot read (ProtectHome) and that often belong to one account alone. */
const HOMES = /^\/(?:home|root|run\/user)\//;

/** Throws a `ShipFailure` if Node or the program is where the ship, which is another account, cannot read it. */
export function requireReadable({ node, script }: OwnProgram): void {
  const hidden = [node, script].find((path) => HOMES.test(path));
  if (hidden === undefined) return;
  throw new ShipFailure(
    `${hidden} is in a home folder, which the ship's account cannot read; install Node and the package elsewhere, ` +
      'such as in /opt, and call that program',
  );
}

/** All steps of an installation, in order. Throws a `ShipFailure` that says what to do. */
export function planInstall(flags: InstallFlags, { node, script }: OwnProgram, hasToken: boolean): Action[] {
  const { user, dataDir, server, name, root } = flags;
  if (!USER.test(user))
    throw new ShipFailure(`--user must be lowercase letters, digits, - and _, at most 31, got ${user}`);
  if (!isAbsolute(dataDir) || /[\s"'\\]/.test(dataDir))
    throw new ShipFailure(`--data-dir must be an absolute path without spaces and quotes, got ${dataDir}`);
  if ((server === undefined) !== (name === undefined))
    throw new ShipFailure('give both --server and --name to join, or neither where the machine has joined already');
  if (server !== undefined && !hasToken)
    throw new ShipFailure('a join token is missing: give --token-file or QUIRE_JOIN_TOKEN');
  const inRoot = (path: string): string => join(root, path);
  const program = [node, script];
  const runFlags = [...(flags.capacity === undefined ? [] : ['--capacity', String(flags.capacity)]),
    ...(flags.sandbox === undefined ? [] : ['--sandbox', flags.sandbox]),
    ...(flags.cacheSize === undefined ? [] : ['--cache-size', flags.cacheSize])];
  const files: Action[] = [{
    kind: 'write',
    path: inRoot('/etc/sysusers.d/quire-ship.conf'),
    content: shipAccount({ user, dataDir }),
    mode: 0o644,
  }, {
    kind: 'write',
    path: inRoot(`/etc/systemd/system/${UNIT}`),
    content: shipUnit({ user, dataDir, program, flags: runFlags }),
    mode: 0o644,
  }];
  if (resolve(root) !== '/') return files;
  const [account, unit] = files as [Action, Action];
  const join_ = server === undefined
    ? []
    : ['--server', server, '--name', name!, '--data-dir', dataDir,
      ...(flags.capacity === undefined ? [] : ['--capacity', String(flags.capacity)])];
  return [
    account,
    { kind: 'run', argv: ['systemd-sysusers', '/etc/sysusers.d/quire-ship.conf'], why: `makes the account ${user}` },
    { kind: 'folder', path: dataDir, owner: user },
    // Runs as the account, so that the key belongs to it; the token is in the environment, where `ps` does not show it.
    ...(server === undefined ? [] : [{
      kind: 'run',
      argv: ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', ...program, 'ship', 'join', ...join_],
      why: `joins the fleet as ${name}`,
    } as const]),
    unit,
    { kind: 'run', argv: ['systemctl', 'daemon-reload'], why: 'reads the unit' },
    { kind: 'run', argv: ['systemctl', 'enable', '--now', UNIT], why: 'starts the ship, now and with the machine' },
  ];
}

/** One line for each action, and the content of files. */
export function describePlan(actions: readonly Action[]): string[] {
  return actions.flatMap((action) => {
    if (action.kind === 'run') return [`run    ${action.argv.join(' ')}    # ${action.why}`];
    if (action.kind === 'folder') return [`folder ${action.path}    # mode 0700, of ${action.owner}`];
    return [`write  ${action.path}`, ...action.content.trimEnd().split('\n').map((line) => `       | ${line}`)];
  });
}

/** Performs all steps; existing files are replaced. Throws a `ShipFailure` that names the step that failed. */
export async function carryOut(actions: readonly Action[], token: string | undefined): Promise<void> {
  for (const action of actions) {
    try {
      await carryOutOne(action, token);
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string };
      throw new ShipFailure(`${describePlan([action])[0]}: ${stderr?.trim() || message}`, { cause: error });
    }
  }
}

async function carryOutOne(action: Action, token: string | undefined): Promise<void> {
  switch (action.kind) {
    case 'write':
      await mkdir(dirname(action.path), { recursive: true });
      if (await readFile(action.path, 'utf8').catch(() => '') !== action.content)
        await writeFile(action.path, action.content, { mode: action.mode });
      return;
    case 'folder':
      await promisify(execFile)('install', ['-d', '-m', '0700', '-o', action.owner, '-g', action.owner, '--',
        action.path]);
      return;
    case 'run': {
      const [program, ...args] = action.argv;
      const env = {
        PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin',
        ...(token !== undefined && action.argv.includes('join') && { QUIRE_JOIN_TOKEN: token }),
      };
      await promisify(execFile)(program!, args, { env, cwd: '/' });
    }
  }
}
