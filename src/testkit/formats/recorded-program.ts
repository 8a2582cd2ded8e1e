import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** `quire ...` of a checkout, which may be that of an older version. */
export class RecordedProgram {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #what: string;
  #output = '';
  #onOutput = (): void => undefined;

  constructor(checkout: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#what = `quire ${args.join(' ')} of ${checkout}`;
    this.#child = spawn(process.execPath, [join(checkout, 'src', 'app', 'main.ts'), ...args], {
      cwd: checkout,
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

/** The version of the newest migration of a database. */
export function formatOf(database: string): number {
  const opened = new DatabaseSync(database, { readOnly: true });
  const { format } = opened.prepare('SELECT max(version) AS format FROM schema_version').get() as { format: number };
  opened.close();
  return format;
}
