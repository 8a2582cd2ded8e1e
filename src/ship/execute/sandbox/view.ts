import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * What a step in a sandbox sees of the file system: everything is read-only, except for its own folder and what is
 * private or hidden.
 */
export interface View {
  /** Folders that are empty for it, except for its own folder if that is inside. None lies in another one. */
  readonly hidden: readonly string[];
  /** Files that are empty for it. */
  readonly masked: readonly string[];
  /** Its part of /run, which is otherwise empty: the sockets there belong to the machine's services. */
  readonly keptInRun: readonly string[];
  /** Mounts to make read-only, with the options that they must keep. */
  readonly writable: readonly { readonly target: string; readonly options: string }[];
}

interface Machinery {
  /** Contains the folders of all attempts. */
  readonly workDir: string;
  /** Folders and files of the service that no step may see. */
  readonly hide: readonly string[];
  /** The home of this process's user, if steps run as that user; otherwise absent. */
  readonly home: string | undefined;
  /** Whether folders above `workDir` may be closed to the user of the steps. */
  readonly otherUser: boolean;
}

/** World-writable folders; a step has its own. */
export const SHARED_PLACES = ['/tmp', '/var/tmp', '/dev/shm'] as const;

/** Needed to resolve names; some systems have their programs in /run. */
const KEPT_IN_RUN = ['systemd/resolve', 'resolvconf', 'NetworkManager/resolv.conf', 'connman/resolv.conf', 'nscd',
  'current-system', 'wrappers', 'opengl-driver'];

/** Folders of a home in which programs store keys and tokens. Steps have a home of their own and need none of it. */
const CREDENTIALS = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.netrc', '.git-credentials', '.npmrc',
  '.yarnrc', '.yarnrc.yml', '.pypirc', '.pgpass', '.my.cnf', '.vault-token', '.password-store', '.config/gcloud',
  '.config/gh', '.config/git', '.config/glab-cli', '.config/hub', '.config/rclone', '.config/containers',
  '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml', '.local/share/keyrings',
  '.mozilla', '.config/google-chrome', '.config/chromium', '.bash_history', '.zsh_history'];

/** Left alone: their content is kernel memory, devices, or limited by the rights of the user. */
const SYSTEM = ['/proc', '/sys', '/dev'];
/** Options of a mount itself (mount(8)); the options of the file system behind it are kept anyway. */
const KEPT_OPTIONS = new Set(['nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime', 'strictatime',
  'nosymfollow']);

export function viewOf({ workDir, hide, home, otherUser }: Machinery): View {
  const credentials = home === undefined || home === '/' ? [] : CREDENTIALS.map((name) => join(home, name));
  const real = [...hide, ...credentials, workDir, ...(otherUser ? closedAbove(workDir) : [])].filter((path) =>
    existsSync(path)
  ).map((path) => realpathSync(path));
  const folders = outermost(real.filter((path) => path !== '/' && statSync(path).isDirectory()));
  const covered = [...folders, ...SHARED_PLACES, '/run'];
  const files = [...new Set(real)].filter((path) =>
    !statSync(path).isDirectory() && !covered.some((folder) => isWithin(path, folder))
  );
  return {
    hidden: folders.filter((folder) => !['/run', ...SHARED_PLACES].some((place) => isWithin(folder, place))),
    masked: files,
    keptInRun: KEPT_IN_RUN.filter((name) => existsSync(join('/run', name))),
    writable: writableMounts(covered),
  };
}

/** Whether a path is a folder, or inside it. */
export function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === '' || (!between.startsWith('../') && between !== '..' && !between.startsWith('/'));
}

/** The outermost folder above it that others may not traverse. */
export function closedAbove(folder: string): string[] {
  let closed: string[] = [];
  for (let at = resolve(folder);; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) closed = [at];
    if (at === dirname(at)) return closed;
  }
}

function outermost(folders: readonly string[]): string[] {
  const distinct = [...new Set(folders)];
  return distinct.filter((folder) => !distinct.some((other) => other !== folder && isWithin(folder, other)));
}

/** Read each time, because mounts change (proc_pid_mountinfo(5)). */
function writableMounts(covered: readonly string[]): View['writable'] {
  const found = new Map<string, string>();
  for (const line of readMounts()) {
    const [, , , , target = '', options = ''] = line.split(' ');
    const path = target.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    if (path === '' || [...SYSTEM, ...covered].some((folder) => isWithin(path, folder))) continue;
    const set = options.split(',');
    if (set.includes('ro')) found.delete(path);
    else found.set(path, set.filter((option) => KEPT_OPTIONS.has(option)).join(','));
  }
  return [...found].map(([target, options]) => ({ target, options }));
}

function readMounts(): string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    return [];
  }
}
