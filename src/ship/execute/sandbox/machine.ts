import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** The file that a shell would run for this name; undefined if there is none that may be executed. */
export function findProgram(name: string, path: string, cwd: string): string | undefined {
  const candidates = name.includes('/')
    ? [name]
    : path.split(':').map((folder) => `${folder === '' ? '.' : folder}/${name}`);
  return name === '' ? undefined : candidates.map((candidate) => resolve(cwd, candidate)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** The means of this machine for sandboxes. */
export interface Machine {
  /** Whether this process is root. */
  readonly root: boolean;
  /** This process's environment. */
  readonly env: Variables;
  /** Paths of the installed programs. */
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
  /** The library nss_wrapper, which gives a program names of users from files of its own. */
  readonly nssWrapper?: string;
}

const PROGRAMS = {
  unshare: 'unshare',
  setpriv: 'setpriv',
  prlimit: 'prlimit',
  mount: 'mount',
  mkdir: 'mkdir',
  envProgram: 'env',
  bwrap: 'bwrap',
  systemdRun: 'systemd-run',
  systemctl: 'systemctl',
  podman: 'podman',
  docker: 'docker',
} as const;

/** Searched last: the path of a service may lack the folders of administrators. */
const SYSTEM_PATH = ':/usr/sbin:/usr/bin:/sbin:/bin';

/** Looks for the programs. */
export function thisMachine(env: Variables): Machine {
  const found = Object.entries(PROGRAMS).map((
    [key, name],
  ) => [key, findProgram(name, `${env['PATH'] ?? ''}${SYSTEM_PATH}`, '/')]);
  const nssWrapper = findLibrary('libnss_wrapper.so');
  return {
    root: process.getuid?.() === 0,
    env,
    ...(nssWrapper === undefined ? {} : { nssWrapper }),
    ...Object.fromEntries(found.filter(([, path]) => path !== undefined)),
  };
}

/** Systems for several architectures have a folder for each. */
function findLibrary(name: string): string | undefined {
  const architectures = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').filter((each) => each.includes('-linux-'))
    : [];
  return ['/usr/lib64', '/usr/lib', ...architectures.map((each) => `/usr/lib/${each}`)].map((folder) =>
    `${folder}/${name}`
  ).find((file) => existsSync(file));
}
