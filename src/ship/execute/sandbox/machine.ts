import { findProgram } from './programs.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What sandboxes are made of on this machine. */
export interface Machine {
  /** Whether this process is root. */
  readonly root: boolean;
  /** This process's environment. */
  readonly env: Variables;
  /** Paths of the programs that are there. */
  readonly unshare?: string;
  readonly setpriv?: string;
  readonly prlimit?: string;
  readonly mount?: string;
  readonly mkdir?: string;
  readonly envProgram?: string;
  readonly bwrap?: string;
  readonly systemdRun?: string;
  readonly systemctl?: string;
  readonly podman?: string;
  readonly docker?: string;
}

const PROGRAMS = { unshare: 'unshare', setpriv: 'setpriv', prlimit: 'prlimit', mount: 'mount', mkdir: 'mkdir', envProgram: 'env', bwrap: 'bwrap', systemdRun: 'systemd-run', systemctl: 'systemctl', podman: 'podman', docker: 'docker' } as const;

/** Looked at last: a service may have a path of its own, without what belongs to administrators. */
const SYSTEM_PATH = ':/usr/sbin:/usr/bin:/sbin:/bin';

/** Looks for the programs. */
export function thisMachine(env: Variables): Machine {
  const found = Object.entries(PROGRAMS).map(([key, name]) => [key, findProgram(name, `${env['PATH'] ?? ''}${SYSTEM_PATH}`, '/')]);
  return { root: process.getuid?.() === 0, env, ...Object.fromEntries(found.filter(([, path]) => path !== undefined)) };
}
