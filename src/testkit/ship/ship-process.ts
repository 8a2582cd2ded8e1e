import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment } from '../bare-environment.ts';
import { type Ending, ROOT, START } from '../docs-process.ts';

/** `quire ship ...` as a separate process. */
export class ShipProcess {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #output = '';
  #onOutput: (() => void)[] = [];
  static readonly #running = new Set<ShipProcess>();

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [...START, 'ship', ...args], {
      cwd: ROOT,
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].on('data', (chunk: Buffer) => {
        texts[stream] += chunk.toString();
        this.#output += chunk.toString();
        for (const look of this.#onOutput) look();
      });
    }
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
    ShipProcess.#running.add(this);
    void this.ended.finally(() => ShipProcess.#running.delete(this));
  }

  /** Kills processes that a failed test left behind; must be called after each test. */
  static async killAll(): Promise<void> {
    await Promise.all([...ShipProcess.#running].map((each) => each.signal('SIGKILL').ended));
  }

  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): this {
    this.#child.kill(signal);
    return this;
  }

  /** Resolves when its output contains this the given number of times; rejects if it ends before. */
  async wrote(text: string, times = 1): Promise<void> {
    const found = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.#output.split(text).length > times) found.resolve();
    };
    this.#onOutput.push(look);
    look();
    await Promise.race([found.promise, this.ended.then(({ code }) => {
      throw new Error(`the ship ended with ${code}:\n${this.#output}`);
    })]);
  }
}
