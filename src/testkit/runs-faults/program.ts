import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment } from '../bare-environment.ts';
import { type Ending, ROOT, START } from '../docs-process.ts';
import { TIMEOUT_MS } from './eventually.ts';

export interface ProgramOptions {
  /** Variables that replace this shell's environment, in addition to PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Maximum size in bytes of each file that the process and its children write, which simulates a full disk for any
   * user. A multiple of 512.
   */
  readonly maxFileBytes?: number;
}

/** `quire ...` as a separate process. */
export class Program {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #onOutput = new Set<() => void>();
  #output = '';

  constructor(args: readonly string[], { env = {}, maxFileBytes }: ProgramOptions = {}) {
    const command = [process.execPath, ...START, ...args];
    // Only the soft limit, so that it can be lifted again.
    const argv = maxFileBytes === undefined
      ? command
      : ['sh', '-c', `ulimit -S -f ${maxFileBytes / 512}; exec "$0" "$@"`, ...command];
    const child = spawn(argv[0]!, argv.slice(1), {
      cwd: ROOT,
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        texts[stream] += text;
        this.#output += text;
        for (const look of [...this.#onOutput]) look();
      });
    }
    // `close` rather than `exit`: only then has all output been read.
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Both streams, in the order of arrival. */
  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): this {
    this.#child.kill(signal);
    return this;
  }

  /** Waits for the `times`th match in its output; rejects if the program ends before, and after a long time. */
  async wrote(pattern: string | RegExp, times = 1): Promise<RegExpExecArray> {
    const every = new RegExp(typeof pattern === 'string' ? RegExp.escape(pattern) : pattern.source, 'g');
    const found = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const match = [...this.#output.matchAll(every)][times - 1];
      if (match !== undefined) found.resolve(match);
    };
    this.#onOutput.add(look);
    look();
    const timeout = setTimeout(
      () => found.reject(new Error(`waited in vain for the program to write ${String(pattern)}:\n${this.#output}`)),
      TIMEOUT_MS,
    );
    try {
      return await Promise.race([found.promise, this.ended.then(({ code, signal }) => {
        throw new Error(`the program ended with ${code ?? signal}:\n${this.#output}`);
      })]);
    } finally {
      clearTimeout(timeout);
      this.#onOutput.delete(look);
    }
  }
}
