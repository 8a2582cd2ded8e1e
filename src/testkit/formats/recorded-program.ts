import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

/** `quire ...` of this checkout. */
export class RecordedProgram {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #what: string;
  #output = '';
  #onOutput = (): void => undefined;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#what = `quire ${args.join(' ')}`;
    this.#child = spawn(process.execPath, [join(CHECKOUT, 'src', 'app', 'main.ts'), ...args], {
      cwd: CHECKOUT,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
        this.#onOutput();
      });
    }
  }

  /** Waits until its output matches; rejects if it ends before. */
  async wrote(pattern: RegExp): Promise<RegExpExecArray> {
    const found = Promise.withResolvers<RegExpExecArray>();
    this.#onOutput = () => {
      const match = pattern.exec(this.#output);
      if (match !== null) found.resolve(match);
    };
    this.#onOutput();
    return await Promise.race([found.promise, this.#ended.then(() => {
      throw new Error(`${this.#what} ended without writing ${String(pattern)}:\n${this.#output}`);
    })]);
  }

  /** Waits for it to end by itself; rejects if it fails. */
  async succeeded(): Promise<void> {
    await this.#ended;
    if (this.#child.exitCode !== 0) throw new Error(`${this.#what} failed:\n${this.#output}`);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }
}
