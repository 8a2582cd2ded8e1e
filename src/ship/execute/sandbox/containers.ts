import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Engine } from './wrap.ts';

/** Longest time of a command of the engine. */
const TIMEOUT_MS = 30_000;

/** Runs, and then its addresses. */
const FORMAT = '{{.State.Running}}{{range .NetworkSettings.Networks}} {{.IPAddress}}{{end}}';

/** What a container engine does besides running a command: networks, and containers that are there already. */
export class Containers {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Creates a network that only the containers in it are in. Throws what the engine says. */
  async createNetwork(name: string, label: string): Promise<void> {
    await this.#run('network', 'create', '--label', label, name);
  }

  async removeNetwork(name: string): Promise<void> {
    await this.#run('network', 'rm', name);
  }

  /** The address of a container; undefined while it does not run, such as while its image is fetched. */
  async addressOf(container: string): Promise<string | undefined> {
    const shown = await this.#run('inspect', '--format', FORMAT, container).catch(() => '');
    const [isRunning, address] = shown.trim().split(/\s+/);
    return isRunning === 'true' ? address ?? '' : undefined;
  }

  /** What runs a command in a running container. */
  inside(container: string, argv: readonly string[]): Engine & { readonly argv: readonly string[] } {
    return { ...this.#engine, argv: [this.#engine.program, 'exec', container, ...argv] };
  }

  /** Removes all containers and networks with a label. Throws what the engine says. */
  async clear(label: string): Promise<void> {
    const containers = wordsOf(await this.#run('ps', '--all', '--quiet', '--filter', `label=${label}`));
    if (containers.length > 0) await this.#run('rm', '--force', ...containers);
    const networks = wordsOf(await this.#run('network', 'ls', '--quiet', '--filter', `label=${label}`));
    if (networks.length > 0) await this.#run('network', 'rm', ...networks);
  }

  async #run(...args: readonly string[]): Promise<string> {
    const { program, env } = this.#engine;
    try {
      const { stdout } = await promisify(execFile)(program, args, {
        env: { ...env },
        cwd: '/',
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      return stdout;
    } catch (cause) {
      const { stderr, message } = cause as { stderr?: string; message: string };
      throw new Error((stderr?.trim() || message).split('\n')[0]!.slice(0, 300), { cause });
    }
  }
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
