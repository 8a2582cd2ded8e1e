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
  readonly bwrap?: string;
  readonly systemdRun?: string;
  readonly systemctl?: string;
  readonly podman?: string;
  readonly docker?: string;
}

const PROGRAMS = { unshare: 'unshare', setpriv: 'setpriv', prlimit: 'prlimit', bwrap: 'bwrap', systemdRun: 'systemd-run', systemctl: 'systemctl', podman: 'podman', docker: 'docker' } as const;

/** Looks for the programs. */
export function thisMachine(env: Variables): Machine {
  const found = Object.entries(PROGRAMS).map(([key, name]) => [key, findProgram(name, env['PATH'] ?? '', '/')]);
  return { root: process.getuid?.() === 0, env, ...Object.fromEntries(found.filter(([, path]) => path !== undefined)) };
}
