import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeAccounts } from './accounts.ts';
import { Containers } from './containers.ts';
import type { Machine } from './machine.ts';
import type { View } from './view.ts';
import { engineOf, type FencedCommand, SANDBOXES, type SandboxName, type User, withNames, wrap,
  type Wrapped } from './wrap.ts';

const PROBE_MS = 10_000;

/** Programs that a sandbox needs. */
const NEEDS: Readonly<Record<SandboxName, (machine: Machine, user: User | undefined) => string | undefined>> = {
  none: () => undefined,
  namespaces: ({ unshare, setpriv, mount, mkdir }) => notInstalled({ unshare, setpriv, mount, mkdir }),
  bubblewrap: ({ bwrap, setpriv }, user) => notInstalled({ bwrap, ...(user !== undefined && { setpriv }) }),
  systemd: ({ systemdRun }) =>
    notInstalled({ 'systemd-run': systemdRun }) ??
      (existsSync('/run/systemd/system') ? undefined : 'systemd does not run here'),
  container: (
    { podman, docker },
  ) => (podman === undefined && docker === undefined ? 'neither podman nor docker is installed' : undefined),
};

/** The strongest first; all of them protect the service equally. */
const BY_STRENGTH: readonly SandboxName[] = ['bubblewrap', 'namespaces', 'none'];

/** The sandboxes in which a step can see neither the files nor the processes of the service, whatever user runs it. */
const SEPARATING: readonly SandboxName[] = ['bubblewrap', 'namespaces', 'container'];

interface SandboxesOptions {
  readonly machine: Machine;
  /** Contains a folder while a sandbox is tested. */
  readonly workDir: string;
  /** A user for steps, if they have one of their own. */
  readonly user: User | undefined;
  /** Whether steps may run as the user of this process without a sandbox. */
  readonly mayShareUser: boolean;
  /** Why a user of its own cannot reach the work folder, for sandboxes that do not mount it. */
  readonly closed: string | undefined;
  readonly view: () => View;
}

/**
 * The sandboxes of this machine. An installed program may still be unable to work (a kernel may forbid user namespaces,
 * a container engine may not run), so each is tested once.
 */
export class Sandboxes {
  readonly #options: SandboxesOptions;
  readonly #trials = new Map<SandboxName, Promise<string | undefined>>();
  readonly #known = new Map<SandboxName, string | undefined>();
  #chosen: { name: SandboxName | undefined; reason: string } | undefined;
  /** For sandboxes that share the machine's files; found when one of them is tested. */
  #naming: FencedCommand['naming'];

  constructor(options: SandboxesOptions) {
    this.#options = options;
  }

  /**
   * Why a sandbox cannot be used, as far as is known without waiting; undefined if no reason is known. `auto` is the
   * strongest one that works.
   */
  lacks(name: string): string | undefined {
    if (name === 'auto') {
      void this.choose(name);
      return this.#chosen?.name === undefined ? this.#chosen?.reason : undefined;
    }
    if (!isSandbox(name)) return `the sandbox ${name} is unknown`;
    void this.check(name);
    return this.#describe(name, this.#missing(name) ?? this.#known.get(name));
  }

  /** The sandbox with this name, or why there is none. */
  async choose(name: string): Promise<{ readonly name: SandboxName } | { readonly reason: string }> {
    if (name !== 'auto') {
      if (!isSandbox(name)) return { reason: `the sandbox ${name} is unknown` };
      const reason = this.#describe(name, await this.check(name));
      return reason === undefined ? { name } : { reason };
    }
    const reasons: string[] = [];
    for (const candidate of BY_STRENGTH) {
      const reason = await this.check(candidate);
      if (reason === undefined) {
        this.#chosen = { name: candidate, reason: '' };
        return { name: candidate };
      }
      if (candidate !== 'none') reasons.push(`${candidate}: ${reason}`);
      else reasons.push(reason);
    }
    const reason = `nothing on this machine keeps steps apart from the service (${reasons.join('; ')})`;
    this.#chosen = { name: undefined, reason };
    return { reason };
  }

  /** Tests a sandbox; returns why it cannot be used. */
  check(name: SandboxName): Promise<string | undefined> {
    const trial = this.#trials.get(name) ?? this.#try(name);
    this.#trials.set(name, trial);
    return trial;
  }

  /** Whether a tested sandbox fails only because a folder is closed to the users of steps. */
  isClosedOff(name: string): boolean {
    const { user, closed, mayShareUser } = this.#options;
    return user !== undefined && !mayShareUser && closed !== undefined &&
      !(SEPARATING as readonly string[]).includes(name);
  }

  wrap(name: SandboxName, command: FencedCommand): Wrapped {
    return wrap[name]({ ...command, naming: command.accounts === undefined ? undefined : this.#naming },
      this.#options.machine);
  }

  /** The containers of this machine; undefined without an engine. */
  containers(): Containers | undefined {
    const engine = engineOf(this.#options.machine);
    return engine && new Containers(engine);
  }

  #describe(name: SandboxName, reason: string | undefined): string | undefined {
    if (reason === undefined) return undefined;
    return name === 'none' || reason === this.#unseparated(name) ? reason : `the sandbox ${name} is missing: ${reason}`;
  }

  #missing(name: SandboxName): string | undefined {
    const { machine, user } = this.#options;
    return NEEDS[name](machine, user) ?? this.#unseparated(name);
  }

  /** Why steps would not be isolated from the service. */
  #unseparated(name: SandboxName): string | undefined {
    const { user, mayShareUser, closed } = this.#options;
    if (mayShareUser || SEPARATING.includes(name)) return undefined;
    if (user === undefined)
      return `with the sandbox ${name} steps would run as this process's own user and could read its secrets: install ` +
        'bubblewrap, allow user namespaces, or set run_as by name (local.run_as, quire ship run --run-as)';
    return closed === undefined
      ? undefined
      : `with the sandbox ${name} the user of the steps can't get to the work folder, because others may not pass ` +
        `through ${closed}: open it (chmod o+x), put the data folder elsewhere, or install bubblewrap`;
  }

  async #try(name: SandboxName): Promise<string | undefined> {
    const reason = this.#missing(name) ?? await this.#run(name);
    if (reason === undefined && (name === 'none' || name === 'systemd')) this.#naming = await this.#findNaming();
    this.#known.set(name, reason);
    return reason;
  }

  async #run(name: SandboxName): Promise<string | undefined> {
    const { machine, user, workDir } = this.#options;
    if (name === 'none' && user === undefined) return undefined;
    let trial: string | undefined;
    try {
      trial = await mkdtemp(join(workDir, '.trial-'));
      const command = await this.#trialIn(trial, SEPARATING.includes(name));
      const { argv, env, cwd, user: as } = wrap[name](command, machine);
      const probe = name === 'container' ? [argv[0]!, 'info'] : argv;
      await promisify(execFile)(probe[0]!, probe.slice(1), {
        env: { ...env },
        cwd,
        timeout: PROBE_MS,
        killSignal: 'SIGKILL',
        ...as,
      });
      return undefined;
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string };
      return (stderr?.trim() || message).split('\n')[0]!.slice(0, 300);
    } finally {
      if (trial !== undefined) await rm(trial, { recursive: true, force: true });
    }
  }

  /** How steps that see the machine's files get a name for their user; undefined if they have one, or get none. */
  async #findNaming(): Promise<FencedCommand['naming']> {
    const { machine, user, workDir } = this.#options;
    const { root, unshare, mount, setpriv, nssWrapper } = machine;
    if (user === undefined) return hasName() || nssWrapper === undefined ? undefined : 'library';
    const trial = await mkdtemp(join(workDir, '.trial-'));
    try {
      const accounts = join(trial, 'etc');
      await writeAccounts(accounts, { ...user, home: trial });
      if (root && unshare !== undefined && mount !== undefined && setpriv !== undefined) {
        const [program, ...args] = [...withNames({ accounts, naming: 'mount' }, machine), '/bin/true'];
        const works = await promisify(execFile)(program!, args, { timeout: PROBE_MS, killSignal: 'SIGKILL' }).then(
          () => true,
          () => false,
        );
        if (works) return 'mount';
      }
      return nssWrapper === undefined ? undefined : 'library';
    } finally {
      await rm(trial, { recursive: true, force: true });
    }
  }

  /** Succeeds if a step can write to its folder and, in an isolating sandbox, cannot see its surroundings. */
  async #trialIn(trial: string, apart: boolean): Promise<FencedCommand> {
    const { machine, user } = this.#options;
    const folder = join(trial, 'folder');
    await mkdir(folder, { mode: 0o711 });
    await writeFile(join(trial, 'hidden'), '');
    for (const name of ['src', 'tmp']) {
      await mkdir(join(folder, name));
      if (user !== undefined) await chown(join(folder, name), user.uid, user.gid);
    }
    if (user !== undefined) await chown(trial, user.uid, user.gid);
    const accounts = join(trial, 'etc');
    await writeAccounts(accounts, { ...(user ?? ownUser()), home: folder });
    return {
      accounts,
      argv: ['/bin/sh', '-c', ': > written; [ ! -e "$0" ] || { echo "it does not hide files" >&2; exit 1; }',
        apart ? join(trial, 'hidden') : '/dev/null/none'],
      cwd: join(folder, 'src'),
      env: { PATH: machine.env['PATH'] ?? '' },
      folder,
      view: this.#options.view(),
      name: `quire-probe-${process.pid}`,
      image: '',
      user,
    };
  }
}

function isSandbox(name: string): name is SandboxName {
  return (SANDBOXES as readonly string[]).includes(name);
}

function notInstalled(programs: Readonly<Record<string, string | undefined>>): string | undefined {
  const missing = Object.entries(programs).filter(([, path]) => path === undefined).map(([name]) => name);
  return missing.length === 0
    ? undefined
    : `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed`;
}

/** The user of this process. */
export function ownUser(): User {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}
