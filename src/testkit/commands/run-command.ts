import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runProgram } from '../../app/commands/program.ts';
import type { Io, OutputStream } from '../../app/commands/shared/io.ts';

// The user that runs the tests may have profiles.
process.env['XDG_CONFIG_HOME'] = join(tmpdir(), 'quire-without-profiles');

export interface CommandRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface CommandInput {
  readonly stdin?: string | Buffer;
  /** Makes standard output a terminal of this width. */
  readonly columns?: number;
  /** Makes standard output a pipe that its reader has closed. */
  readonly closed?: boolean;
}

/** Runs `quire ARGUMENTS` within this process, and returns its output and its exit status. */
export async function runQuire(arguments_: readonly string[],
  { stdin = '', columns, closed = false }: CommandInput = {}): Promise<CommandRun>
{
  const [stdout, stderr] = [new Sink(columns, closed), new Sink()];
  let exitCode = 0;
  const io: Io = {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    setExitCode: (code) => (exitCode = code),
  };
  await runProgram(arguments_, io);
  return { stdout: stdout.text, stderr: stderr.text, exitCode };
}

/** Stores what is written; with `columns` it acts as a terminal of that width. */
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
