import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment } from '../bare-environment.ts';
import { MAIN, ROOT, type Ending } from '../docs-process.ts';
import { TIMEOUT_MS } from './eventually.ts';

export interface ProgramOptions {
  /** In place of this shell's environment, besides PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** No file of the process, nor of those that it starts, may grow beyond: a disk without room, for any user. A multiple of 512. */
  readonly maxFileBytes?: number;
}

/** `quire ...` as a process of its own. */
export class Program {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #onOutput = new Set<() => void>();
  #output = '';

  constructor(args: readonly string[], { env = {}, maxFileBytes }: ProgramOptions = {}) {
    const command = [process.execPath, MAIN, ...args];
    // Only the soft limit, so that it can be lifted again.
    const argv = maxFileBytes === undefined ? command : ['sh', '-c', `ulimit -S -f ${maxFileBytes / 512}; exec "$0" "$@"`, ...command];
    const child = spawn(argv[0]!, argv.slice(1), { cwd: ROOT, env: { ...bareEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const texts = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        texts[stream] += text;
        this.#output += text;
        for (const look of [...this.#onOutput]) look();
      });
    }
    // `close` rather than `exit`: only then everything that was written has been read.
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Both streams as they came. */
  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): this {
    this.#child.kill(signal);
    return this;
  }

  /** What it has written that matches, for the `times`th time; rejects when it ends before, and after a long time. */
  async wrote(pattern: string | RegExp, times = 1): Promise<RegExpExecArray> {
    const every = new RegExp(typeof pattern === 'string' ? RegExp.escape(pattern) : pattern.source, 'g');
    const found = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const match = [...this.#output.matchAll(every)][times - 1];
      if (match !== undefined) found.resolve(match);
    };
    this.#onOutput.add(look);
    look();
    const timeout = setTimeout(() => found.reject(new Error(`waited in vain for the program to write ${String(pattern)}:\n${this.#output}`)), TIMEOUT_MS);
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
