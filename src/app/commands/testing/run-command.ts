import { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { registerExport, registerImport, registerImportWiki, registerMigrateStore, registerSearch, registerSync } from '../index.ts';
import { registerRuns } from '../runs/index.ts';
import type { Io, OutputStream } from '../shared/io.ts';

export interface CommandRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface CommandInput {
  readonly stdin?: string | Buffer;
  /** Makes standard output a terminal of this width. */
  readonly columns?: number;
  /** Makes standard output a pipe whose reader has gone. */
  readonly closed?: boolean;
}

/** Runs `quire ARGUMENTS` within this process, and answers what it wrote and the status it chose. */
export async function runQuire(arguments_: readonly string[], { stdin = '', columns, closed = false }: CommandInput = {}): Promise<CommandRun> {
  const [stdout, stderr] = [new Sink(columns, closed), new Sink()];
  let exitCode = 0;
  const io: Io = { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, setExitCode: (code) => (exitCode = code) };
  const program = new Command('quire').exitOverride();
  for (const register of [registerImport, registerImportWiki, registerSync, registerExport, registerMigrateStore, registerSearch, registerRuns]) register(program, io);
  for (const command of allOf(program)) {
    command.exitOverride().configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  }
  try {
    await program.parseAsync(arguments_, { from: 'user' });
  } catch (error) {
    // Commander's own way to end: help, or arguments that it refuses.
    exitCode = (error as { exitCode?: number }).exitCode ?? Number.NaN;
    if (Number.isNaN(exitCode)) throw error;
  }
  return { stdout: stdout.text, stderr: stderr.text, exitCode };
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

/** Keeps what is written; with `columns` it passes for a terminal of that width. */
export class Sink extends Writable implements OutputStream {
  text = '';
  readonly isTTY: boolean;
  readonly columns?: number;

  readonly #closed: boolean;

  constructor(columns?: number, closed = false) {
    super();
    this.#closed = closed;
    this.isTTY = columns !== undefined;
    if (columns !== undefined) this.columns = columns;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#closed) return done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    this.text += chunk.toString();
    done();
  }
}
