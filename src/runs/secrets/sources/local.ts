import { spawn } from 'node:child_process';
import { constants, open } from 'node:fs/promises';
import { decodeUtf8 } from '../../../lib/bytes.ts';
import { MAX_VALUE_BYTES, type SecretSource, type SourceDeps, SourceFailure } from '../port.ts';

/** A variable of this process. */
export function envSource({ variables }: Pick<SourceDeps, 'variables'>): SecretSource {
  return { value: async ({ env }) => variables[env] };
}

/** A file, such as a secret of Docker or Kubernetes. It is read each time, so a new content counts at once. */
export const fileSource: SecretSource = { value: async ({ file }) => readSecretFile(file) };

/**
 * The content of a file without the line break at its end. Rejects with `SourceFailure` for a file that cannot be read,
 * that is larger than 64 KiB, or that is not text.
 */
export async function readSecretFile(path: string): Promise<string> {
  // A pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new SourceFailure(`the file ${path} cannot be read (${error.code ?? 'unknown error'})`);
  });
  try {
    if (!(await handle.stat()).isFile()) throw new SourceFailure(`${path} is not a file`);
    const buffer = Buffer.alloc(MAX_VALUE_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      ({ bytesRead: read } = await handle.read(buffer, length, buffer.length - length));
    return textOf(buffer.subarray(0, length), `the file ${path}`);
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    throw new SourceFailure(
      `the file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    );
  } finally {
    await handle.close();
  }
}

function textOf(bytes: Buffer, what: string): string {
  if (bytes.length > MAX_VALUE_BYTES) throw new SourceFailure(`${what} has more than ${MAX_VALUE_BYTES} bytes`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new SourceFailure(`${what} is not UTF-8`);
  return text.replace(/\r?\n$/, '');
}

/**
 * A program that prints the value. It gets the environment of this process, no input and no shell. Its error output may
 * repeat what it read, so no message shows it.
 */
export function commandSource({ variables }: Pick<SourceDeps, 'variables'>): SecretSource {
  return { value: ({ command: [program = '', ...args] }, signal) => run(program, args, variables, signal) };
}

function run(program: string, args: readonly string[], env: SourceDeps['variables'],
  signal: AbortSignal): Promise<string>
{
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new SourceFailure(`the command ${program} ${why}`));
    // A group of its own, so that what it starts ends with it.
    const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const pieces: Buffer[] = [];
    let length = 0;
    const kill = (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_VALUE_BYTES) return kill();
      pieces.push(piece);
    });
    child.on('error', (error: NodeJS.ErrnoException) => fail(`cannot be started (${error.code ?? 'unknown error'})`));
    child.on('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      if (length > MAX_VALUE_BYTES) return fail(`printed more than ${MAX_VALUE_BYTES} bytes`);
      if (code !== 0) return fail(code === null ? `was ended by ${killedBy}` : `failed with the status ${code}`);
      try {
        resolve(textOf(Buffer.concat(pieces), `the output of the command ${program}`));
      } catch (error) {
        reject(error as Error);
      }
    });
    if (signal.aborted) kill();
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
