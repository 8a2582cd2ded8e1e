import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
/** `quire` as tests start it: the bundle that `vitest/program-setup.ts` has made, or its sources. */
export const MAIN = process.env['QUIRE_TEST_PROGRAM'] ?? join(ROOT, 'src', 'app', 'main.ts');
/** Arguments of Node that start it: with the 1 MB where Node begins, collecting garbage takes an eighth of a start. */
export const START = ['--min-semi-space-size=16', MAIN] as const;

/** Services of several tests run in parallel. */
const FREE_PORTS = { SVC_GRPC_ADDR: '127.0.0.1:0', SVC_MCP_ADDR: '127.0.0.1:0' };

const LISTENING = /listening on (https?:\/\/\S+)/;

/** How a process ended, with all its output. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The document service as a separate process, started like `npm start`. */
export class DocsProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ending>;
  #stdout = '';
  #stderr = '';
  static readonly #running = new Set<DocsProcess>();

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout!.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    // `close` rather than `exit`: only then has all output been read.
    this.#ended = once(child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
    DocsProcess.#running.add(this);
    void this.#ended.finally(() => DocsProcess.#running.delete(this));
  }

  /** Kills processes that a failed test left behind; must be called after each test. */
  static async killAll(): Promise<void> {
    await Promise.all([...DocsProcess.#running].map((each) => each.#kill()));
  }

  /** Starts `node main.ts docs ...`. */
  static run(args: readonly string[], options: SpawnOptions = {}): DocsProcess {
    return DocsProcess.command(process.execPath, [...START, 'docs', ...args], options);
  }

  /** Starts any command that results in the service; variables of this shell are not passed on. */
  static command(command: string, args: readonly string[], options: SpawnOptions = {}): DocsProcess {
    const env = { ...withoutSettings(process.env), ...FREE_PORTS, ...options.env };
    // A separate process group, so that its children can be found and ended with it.
    return new DocsProcess(
      spawn(command, args, { cwd: ROOT, ...options, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  /** Starts the service on a database file and a free port of this machine, and waits until it listens. */
  static async serve(database: string, args: readonly string[] = [],
    env: NodeJS.ProcessEnv = {}): Promise<{ server: DocsProcess; url: string }>
  {
    const server = DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', database, ...args], {
      env: { ...process.env, ...env },
    });
    return { server, url: await server.listening() };
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get ended(): Promise<Ending> {
    return this.#ended;
  }

  /** True while this process or one of its descendants is alive. */
  get groupIsAlive(): boolean {
    try {
      return process.kill(-this.pid, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
  }

  /** The URL that the service prints; rejects with its output if it ends before. */
  listening(): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const url = LISTENING.exec(this.#stdout + this.#stderr)?.[1];
        if (url !== undefined) resolve(url);
      };
      this.#child.stdout!.on('data', look);
      this.#child.stderr!.on('data', look);
      look();
      void this.#ended.then((ending) =>
        reject(new Error(`the service ended with ${ending.code ?? ending.signal}:\n${ending.stdout}${ending.stderr}`))
      );
    });
  }

  /** Sends a signal and waits until the process ends. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return this.#ended;
  }

  async #kill(): Promise<void> {
    if (this.groupIsAlive) process.kill(-this.pid, 'SIGKILL');
    await this.#ended;
  }
}

/** Tests must not depend on the settings in the developer's environment. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SVC_')));
}
