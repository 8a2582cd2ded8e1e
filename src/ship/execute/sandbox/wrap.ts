import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ACCOUNT_FILES } from './accounts.ts';
import type { Machine } from './machine.ts';
import { isWithin, SHARED_PLACES, type View } from './view.ts';

interface NamespacePrograms {
  readonly mount: string;
  readonly mkdir: string;
}

/**
 * The script that sets up a step's view of the file system, in its own mount and process namespaces, and then becomes
 * the command in its arguments. Any failure ends it. The work folder is held open from the start, because no path
 * reaches it once the folder around it is hidden. Nothing is ever bound from a path that a step could have replaced:
 * steps write only below the work folder, where paths are checked for links, and no process of the run is alive
 * meanwhile.
 */
function viewScript(command: FencedCommand, { mount, mkdir }: NamespacePrograms): string {
  const { view, folder, accounts } = command;
  const [mounts, makes] = [quote(mount), quote(mkdir)];
  const empty = (target: string, mode: string): string =>
    `${mounts} -t tmpfs -o mode=${mode},nosuid,nodev quire ${quote(target)}`;
  const shared = SHARED_PLACES.filter((place) => existsSync(place));
  return [
    'set -e',
    'ulimit -c 0', // a core file would hold the secrets of the step
    // First, because the work folder is hidden later. A step without names is better than none.
    ...namesIn(accounts).map(([file, place]) => `${mounts} -c --bind ${quote(file)} ${quote(place)} 2>/dev/null || :`),
    `exec 9<${quote(folder)}`,
    ...(existsSync('/run')
      ? ['cd /run', empty('/run', '0755'), ...view.keptInRun.flatMap((name) => keepInRun(name, mounts, makes))]
      : []),
    'cd /proc/self/fd/9',
    'exec 9<&-',
    ...(existsSync('/dev/pts') ? [`${mounts} -t devpts -o newinstance,ptmxmode=0666,mode=0620 quire /dev/pts`] : []),
    // A shared folder that contains the work folder becomes empty; otherwise files in /tmp stay from step to step.
    ...shared.map((
      place,
    ) => (hasOwn(command, place) ? empty(place, '1777') : `[ ! -L tmp ]; ${mounts} -c --bind ./tmp ${quote(place)}`)),
    ...view.hidden.map((target) => empty(target, '0755')),
    `${makes} -p ${quote(folder)}`,
    `${mounts} -c --bind . ${quote(folder)}`,
    ...view.masked.map((file) => `${mounts} -c --bind /dev/null ${quote(file)}`),
    // Mounts that cannot be made read-only are hidden.
    ...view.writable.map(({ target, options }) =>
      `${mounts} -o ${['remount,bind,ro', options].filter((part) => part !== '').join()} ${
        quote(target)
      } 2>/dev/null || ${empty(target, '0755')}`
    ),
    'cd /',
    'exec "$@"',
  ].join('\n');
}

function keepInRun(name: string, mounts: string, makes: string): string[] {
  const target = join('/run', name);
  const parent = join(target, '..');
  return [
    `if [ -d ${quote(`./${name}`)} ]; then ${makes} -p ${quote(target)}; else ${makes} -p ${quote(parent)}; : > ${
      quote(target)
    }; fi`,
    `${mounts} -c --bind ${quote(`./${name}`)} ${quote(target)}`,
  ];
}

/** The files of accounts to put in the places of the machine's, if it has them. */
function namesIn(accounts: string | undefined): (readonly [file: string, place: string])[] {
  if (accounts === undefined) return [];
  return Object.entries(ACCOUNT_FILES).flatMap(([name, place]) =>
    existsSync(place) ? [[join(accounts, name), realpathSync(place)] as const] : []
  );
}

/** Quotes a text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const SANDBOXES = ['none', 'namespaces', 'bubblewrap', 'systemd', 'container'] as const;
export type SandboxName = (typeof SANDBOXES)[number];

export interface User {
  readonly uid: number;
  readonly gid: number;
}

interface ContainerPlace {
  /** `NAME=value`. */
  readonly label: string;
  /** Absent for the engine's default. */
  readonly network?: string | undefined;
  /** Its host name in the network; absent for none. */
  readonly alias?: string | undefined;
}

/** A command of a step, to be run in a sandbox. */
export interface FencedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The user that runs it; absent for the user of this process. */
  readonly user?: User;
  /** The only folder that it must be able to write to; contains a folder `tmp`. */
  readonly folder: string;
  /** What else it sees. */
  readonly view: View;
  /** Unique on this machine; letters, digits, `.` and `-`. */
  readonly name: string;
  /** For `container`. */
  readonly image: string;
  /** For `container`: how the engine knows it, besides its name. */
  readonly container?: ContainerPlace | undefined;
  /** Folder with the files of accounts (`writeAccounts`), which steps cannot reach; absent for those of the machine. */
  readonly accounts?: string | undefined;
  /** Other processes of the run are alive, and could replace `tmp` in the folder by a link. */
  readonly besideOthers?: boolean;
  /** How the sandboxes that share the machine's files get them: a mount of their own, or the library nss_wrapper. */
  readonly naming?: 'mount' | 'library' | undefined;
}

/** The command to start instead, with its folder and user. */
export interface Wrapped {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user?: User;
  readonly forceEnd?: readonly string[];
}

/** Most processes of one step, if they can be counted. */
const MAX_PROCESSES = 4096;
/** Our variables, because a container engine is a client that has to find its server. */
const ENGINE_VARIABLES = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'DOCKER_HOST', 'DOCKER_CONFIG',
  'DOCKER_CONTEXT', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'CONTAINER_HOST'];
/**
 * Variables that make the loader, the C library, a shell or mount run or read the files that they name (ld.so(8),
 * secure-execution mode, and bash(1)).
 */
const DANGEROUS =
  /^(LD_|LIBMOUNT_|MALLOC_|BASH_FUNC_|(GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RES_OPTIONS|RESOLV_HOST_CONF|TZDIR|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4)$)/;

/** How each sandbox starts a command (decisions, section 5). The required programs must be installed. */
export const wrap: Readonly<Record<SandboxName, (command: FencedCommand, machine: Machine) => Wrapped>> = {
  none: (command, machine) => {
    const { argv, cwd, user } = command;
    const env = { ...command.env, ...namingVariables(command, machine) };
    // A core file would contain the secrets of the step. Processes are counted per user, so they are limited only if
    // the user has no others.
    if (user === undefined) return { argv: [...limits(machine, false), ...argv], env, cwd };
    const { early, late } = parted(env);
    const inside = inFolder(cwd, late, argv, 'exec "$@"');
    const named = withNames(command, machine);
    if (machine.setpriv === undefined)
      return { argv: [...limits(machine, true), ...inside], env: early, cwd: '/', user };
    return { argv: [...named, ...limits(machine, true), ...become(user, machine), ...inside], env: early, cwd: '/' };
  },

  namespaces: (command, machine) => {
    const { argv, cwd, env, user } = command;
    const { root, unshare, mount, mkdir, setpriv } = machine;
    const { early, late } = parted(env);
    const identity = root ? [] : ['--user', '--map-current-user', '--keep-caps'];
    const drop = user !== undefined
      ? [...limits(machine, true), ...become(user, machine)]
      : root
      ? []
      : [setpriv!, '--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'];
    // Process 1 of a namespace ignores SIGTERM unless it handles it, so the shell is process 1, and the command its
    // child.
    const inside = inFolder(cwd, late, argv, '"$@"; exit $?');
    return {
      argv: [unshare!, ...identity, '--mount', '--pid', '--ipc', '--mount-proc', '--fork', '--kill-child', '--',
        '/bin/sh', '-c', viewScript(command, { mount: mount!, mkdir: mkdir! }), 'sh', ...drop, ...inside],
      env: early,
      cwd: '/',
    };
  },

  bubblewrap: (command, machine) => {
    const { argv, cwd, env, user, folder, view, accounts } = command;
    const { bwrap, envProgram = 'env' } = machine;
    const { early, late } = parted(env);
    const drop = user === undefined ? [] : [...limits(machine, true), ...become(user, machine)];
    const shared = SHARED_PLACES.filter((place) => existsSync(place)).flatMap((
      place,
    ) => (hasOwn(command, place) ? ['--perms', '1777', '--tmpfs', place] : ['--bind', join(folder, 'tmp'), place]));
    const kept = view.keptInRun.flatMap((name) => ['--ro-bind-try', join('/run', name), join('/run', name)]);
    return {
      // bwrap would end the whole sandbox at the first SIGTERM, so only the command in it must receive it.
      argv: [envProgram, '--ignore-signal=TERM', bwrap!, '--die-with-parent', '--unshare-pid', '--unshare-ipc',
        '--unshare-uts', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc',
        ...namesIn(accounts).flatMap(([file, place]) => ['--ro-bind', file, place]),
        ...(existsSync('/run') ? ['--tmpfs', '/run'] : []), ...kept, ...shared,
        ...view.hidden.flatMap((target) => ['--tmpfs', target]),
        ...waysTo(folder, [...view.hidden, ...SHARED_PLACES, '/run']), '--bind', folder, folder,
        ...view.masked.flatMap((file) => ['--ro-bind', '/dev/null', file]), '--chdir', '/', '--', envProgram,
        '--default-signal=TERM', ...drop, ...inFolder(cwd, late, argv, 'exec "$@"')],
      env: early,
      cwd: '/',
    };
  },

  systemd: (command, machine) => {
    const { argv, cwd, user, name } = command;
    const { root, env: ours, systemdRun, systemctl } = machine;
    const env = { ...command.env, ...namingVariables(command, machine) };
    const manager = root ? [] : ['--user'];
    const identity = root && user !== undefined ? [`--uid=${user.uid}`, `--gid=${user.gid}`] : [];
    const bus = root ? {} : pick(ours, ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']);
    const { early, late } = parted(env);
    return {
      argv: [...withNames(command, machine), systemdRun!, ...manager, '--scope', '--quiet', '--collect',
        `--unit=${name}`, `--property=TasksMax=${MAX_PROCESSES}`, '--property=MemoryAccounting=yes',
        '--property=CPUAccounting=yes', ...identity, '--', ...inFolder(cwd, late, argv, 'exec "$@"')],
      env: { ...early, ...bus },
      cwd: '/',
      ...(systemctl === undefined
        ? {}
        : { forceEnd: [systemctl, ...manager, 'kill', '--signal=SIGKILL', `${name}.scope`] }),
    };
  },

  container: ({ argv, cwd, env, user, folder, name, image, accounts, container }, machine) => {
    const { program: engine, env: own } = engineOf(machine)!;
    // Values are passed in the engine's environment, where `ps` does not show them, except variables that the engine
    // itself uses.
    const variables = Object.entries(env).filter(([key]) => key !== 'PATH').flatMap((
      [key, value],
    ) => ['--env', ENGINE_VARIABLES.includes(key) || DANGEROUS.test(key) ? `${key}=${value}` : key]);
    const volumes = accounts === undefined
      ? []
      : Object.entries(ACCOUNT_FILES).flatMap((
        [file, place],
      ) => ['--volume', `${join(accounts, `container-${file}`)}:${place}:ro,Z`]);
    const identity = machine.podman !== undefined && !machine.root
      ? ['--userns=keep-id']
      : ['--user', `${user?.uid ?? process.getuid?.() ?? 0}:${user?.gid ?? process.getgid?.() ?? 0}`];
    return {
      argv: [engine, 'run', '--rm', '--init', '--name', name, ...placeArguments(container), ...identity,
        '--security-opt', 'no-new-privileges', '--volume', `${folder}:${folder}:Z`, ...volumes, // Without a command it is what the image starts, where the image starts it.
        ...(argv.length === 0 ? [] : ['--workdir', cwd]), ...variables,
        ...(argv.length === 0 ? [] : ['--entrypoint', argv[0]!]), image, ...argv.slice(1)],
      env: { ...parted(env).early, ...own },
      cwd: '/',
      forceEnd: [engine, 'rm', '--force', name],
    };
  },
};

/** The container engine of this machine, with the variables that it needs; undefined without one. */
export function engineOf({ podman, docker, env }: Machine): Engine | undefined {
  const program = podman ?? docker;
  return program === undefined ? undefined : { program, env: pick(env, ENGINE_VARIABLES) };
}

export interface Engine {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

function placeArguments(place: ContainerPlace | undefined): string[] {
  if (place === undefined) return [];
  const { label, network, alias } = place;
  return ['--label', label, ...(network === undefined ? [] : ['--network', network]),
    ...(network === undefined || alias === undefined ? [] : ['--network-alias', alias])];
}

/** Gives root's processes files of accounts in a mount namespace of their own; all else stays as it is. */
export function withNames({ accounts, naming }: Pick<FencedCommand, 'accounts' | 'naming'>,
  { unshare, mount }: Machine): string[]
{
  if (naming !== 'mount') return [];
  const script = [
    ...namesIn(accounts).map(([file, place]) => `${quote(mount!)} -c --bind ${quote(file)} ${quote(place)}`),
    'exec "$@"',
  ].join(' && ');
  return [unshare!, '--mount', '--propagation', 'slave', '--', '/bin/sh', '-c', script, 'sh'];
}

/** What makes the C library read files of accounts by nss_wrapper; programs without that library see no names. */
function namingVariables({ accounts, naming, env }: FencedCommand, { nssWrapper }: Machine): Record<string, string> {
  if (naming !== 'library' || accounts === undefined) return {};
  return {
    LD_PRELOAD: [nssWrapper!, env['LD_PRELOAD'] ?? ''].filter((part) => part !== '').join(' '),
    NSS_WRAPPER_PASSWD: join(accounts, 'passwd'),
    NSS_WRAPPER_GROUP: join(accounts, 'group'),
  };
}

/**
 * Whether a shared place is empty for each step, instead of being the run's `tmp`: if that is inside of it, or could
 * lead elsewhere. A user of the run's own cannot replace it.
 */
function hasOwn({ folder, user, besideOthers = false }: FencedCommand, place: string): boolean {
  return place === '/dev/shm' || isWithin(folder, place) || (besideOthers && user === undefined);
}

/** Parent folders to create in the empty folders; bwrap itself would close them to others. */
function waysTo(folder: string, empty: readonly string[]): string[] {
  const inside = empty.find((place) => isWithin(folder, place));
  const ways: string[] = [];
  for (let at = dirname(folder); inside !== undefined && at !== inside && isWithin(at, inside); at = dirname(at))
    ways.unshift('--dir', at);
  return ways;
}

function limits({ prlimit }: Machine, ownUser: boolean): string[] {
  return prlimit === undefined ? [] : [prlimit, '--core=0', ...(ownUser ? [`--nproc=${MAX_PROCESSES}`] : []), '--'];
}

/**
 * Root changes to a user permanently: without groups or capabilities, and without a way to get others by a set-user-id
 * program.
 */
function become({ uid, gid }: User, { setpriv }: Machine): string[] {
  return [setpriv!, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all',
    '--no-new-privs', '--'];
}

/** Enters the folder as the step's user: a link in it cannot lead to a folder that the step may not enter. */
function inFolder(cwd: string, late: readonly string[], argv: readonly string[], run: string): string[] {
  return ['/bin/sh', '-c', `cd -- "$1" || exit 126; shift; ${run}`, 'sh', cwd,
    ...(late.length === 0 ? [] : ['env', ...late]), ...argv];
}

/**
 * The variables of the step that programs between this process and the step may see, and those that are set for the
 * step alone.
 */
function parted(env: Readonly<Record<string, string>>): { early: Record<string, string>; late: string[] } {
  const entries = Object.entries(env);
  return {
    early: Object.fromEntries(entries.filter(([name]) => !DANGEROUS.test(name))),
    late: entries.filter(([name]) => DANGEROUS.test(name)).map(([name, value]) => `${name}=${value}`),
  };
}

function pick(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
