import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Machine } from './machine.ts';
import { SANDBOXES, wrap, type FencedCommand, type SandboxName, type User, type Wrapped } from './wrap.ts';

const PROBE_MS = 10_000;

/** Programs that a sandbox needs. */
const NEEDS: Readonly<Record<SandboxName, (machine: Machine, user: User | undefined) => string | undefined>> = {
  none: () => undefined,
  namespaces: ({ unshare, setpriv }, user) => (unshare === undefined ? 'unshare is not installed' : user !== undefined && setpriv === undefined ? 'setpriv is not installed' : undefined),
  bubblewrap: ({ bwrap }) => (bwrap === undefined ? 'bwrap is not installed' : undefined),
  systemd: ({ systemdRun }) => (systemdRun === undefined ? 'systemd-run is not installed' : existsSync('/run/systemd/system') ? undefined : 'systemd does not run here'),
  container: ({ podman, docker }) => (podman === undefined && docker === undefined ? 'neither podman nor docker is installed' : undefined),
};

/**
 * The sandboxes that this machine has. That a program is there does not mean that it may do its work (a
 * kernel may forbid user namespaces, no engine may run), so each is tried once.
 */
export class Sandboxes {
  readonly #machine: Machine;
  readonly #user: User | undefined;
  readonly #trials = new Map<SandboxName, Promise<string | undefined>>();
  readonly #known = new Map<SandboxName, string | undefined>();

  constructor(machine: Machine, user: User | undefined) {
    this.#machine = machine;
    this.#user = user;
  }

  /** Why a sandbox can't be used, as far as is known without waiting; undefined when nothing speaks against it. */
  lacks(name: string): string | undefined {
    if (!isSandbox(name)) return `the sandbox ${name} is unknown`;
    void this.check(name);
    const reason = NEEDS[name](this.#machine, this.#user) ?? this.#known.get(name);
    return reason === undefined ? undefined : `the sandbox ${name} is missing: ${reason}`;
  }

  /** Why a sandbox can't be used, tried out. */
  check(name: SandboxName): Promise<string | undefined> {
    const trial = this.#trials.get(name) ?? this.#try(name);
    this.#trials.set(name, trial);
    return trial;
  }

  wrap(name: SandboxName, command: FencedCommand): Wrapped {
    return wrap[name](command, this.#machine);
  }

  async #try(name: SandboxName): Promise<string | undefined> {
    const reason = NEEDS[name](this.#machine, this.#user) ?? (name === 'none' ? undefined : await this.#run(name));
    this.#known.set(name, reason);
    return reason;
  }

  async #run(name: SandboxName): Promise<string | undefined> {
    const PATH = this.#machine.env['PATH'] ?? '';
    const command: FencedCommand = { argv: ['true'], cwd: '/', env: { PATH }, folder: '/var/tmp', name: `quire-probe-${process.pid}`, image: '', ...(this.#user === undefined ? {} : { user: this.#user }) };
    const { argv, env, user } = wrap[name](command, this.#machine);
    const probe = name === 'container' ? [argv[0]!, 'info'] : argv;
    try {
      await promisify(execFile)(probe[0]!, probe.slice(1), { env: { ...env }, cwd: '/', timeout: PROBE_MS, killSignal: 'SIGKILL', ...user });
      return undefined;
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string };
      return (stderr?.trim() || message).split('\n')[0]!.slice(0, 300);
    }
  }
}

export function isSandbox(name: string): name is SandboxName {
  return (SANDBOXES as readonly string[]).includes(name);
}
