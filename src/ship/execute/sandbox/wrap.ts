import type { Machine } from './machine.ts';

export const SANDBOXES = ['none', 'namespaces', 'bubblewrap', 'systemd', 'container'] as const;
export type SandboxName = (typeof SANDBOXES)[number];

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** A command of a step, to be fenced in. */
export interface FencedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whom it runs as; absent for who this process runs as. */
  readonly user?: User;
  /** The only folder that it must be able to write to. */
  readonly folder: string;
  /** Unique on this machine; letters, digits, `.` and `-`. */
  readonly name: string;
  /** For `container`. */
  readonly image: string;
}

/** What is started instead. */
export interface Wrapped {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user?: User;
  readonly forceEnd?: readonly string[];
}

/** Processes that one step may have at once, where they can be counted. */
const MAX_PROCESSES = 4096;
/** Ours, because a container engine is a client that has to find its server. */
const ENGINE_VARIABLES = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'DOCKER_HOST', 'DOCKER_CONFIG', 'DOCKER_CONTEXT', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'CONTAINER_HOST'];

/** How each sandbox starts a command (decisions, section 5). The programs that it needs must be there. */
export const wrap: Readonly<Record<SandboxName, (command: FencedCommand, machine: Machine) => Wrapped>> = {
  none: ({ argv, env, user }, { prlimit }) => {
    if (prlimit === undefined) return { argv, env, user };
    // A core file would hold the secrets of the step. Processes are counted by user, so only where the user has no others.
    return { argv: [prlimit, '--core=0', ...(user === undefined ? [] : [`--nproc=${MAX_PROCESSES}`]), '--', ...argv], env, user };
  },

  namespaces: ({ argv, env, user }, { root, unshare, setpriv }) => {
    const identity = root ? [] : ['--user', '--map-current-user'];
    const drop = user === undefined ? [] : [setpriv!, `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--'];
    // Process 1 of a namespace gets no SIGTERM that it does not handle: the shell takes that place, its child is the command.
    return { argv: [unshare!, ...identity, '--pid', '--ipc', '--mount-proc', '--fork', '--kill-child', '--', ...drop, '/bin/sh', '-c', '"$@"; exit $?', 'sh', ...argv], env };
  },

  bubblewrap: ({ argv, cwd, env, user, folder }, { bwrap }) => ({
    // bwrap would take the whole sandbox down at the first SIGTERM; so only the command in it may hear it.
    argv: [
      'env', '--ignore-signal=TERM', bwrap!, '--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts',
      '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', folder, folder, '--chdir', cwd,
      '--', 'env', '--default-signal=TERM', ...argv,
    ],
    env, user,
  }),

  systemd: ({ argv, env, user, name }, { root, env: ours, systemdRun, systemctl }) => {
    const manager = root ? [] : ['--user'];
    const identity = root && user !== undefined ? [`--uid=${user.uid}`, `--gid=${user.gid}`] : [];
    const bus = root ? {} : pick(ours, ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']);
    return {
      argv: [systemdRun!, ...manager, '--scope', '--quiet', '--collect', `--unit=${name}`, `--property=TasksMax=${MAX_PROCESSES}`, '--property=MemoryAccounting=yes', '--property=CPUAccounting=yes', ...identity, '--', ...argv],
      env: { ...env, ...bus },
      ...(systemctl === undefined ? {} : { forceEnd: [systemctl, ...manager, 'kill', '--signal=SIGKILL', `${name}.scope`] }),
    };
  },

  container: ({ argv, cwd, env, user, folder, name, image }, machine) => {
    const engine = machine.podman ?? machine.docker!;
    const own = pick(machine.env, ENGINE_VARIABLES);
    // Values travel in the engine's environment, where `ps` does not show them, unless it needs the name itself.
    const variables = Object.entries(env).filter(([key]) => key !== 'PATH').flatMap(([key, value]) => ['--env', ENGINE_VARIABLES.includes(key) ? `${key}=${value}` : key]);
    const identity = machine.podman !== undefined && !machine.root ? ['--userns=keep-id'] : ['--user', `${user?.uid ?? process.getuid?.() ?? 0}:${user?.gid ?? process.getgid?.() ?? 0}`];
    return {
      argv: [engine, 'run', '--rm', '--init', '--name', name, ...identity, '--security-opt', 'no-new-privileges', '--volume', `${folder}:${folder}:Z`, '--workdir', cwd, ...variables, '--entrypoint', argv[0]!, image, ...argv.slice(1)],
      env: { ...env, ...own },
      forceEnd: [engine, 'rm', '--force', name],
    };
  },
};

function pick(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
