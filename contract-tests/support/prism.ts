import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/testkit/free-port.ts';

const PRISM = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');

export interface Prism {
  readonly url: string;
  stop(): Promise<void>;
}

/** Responds to every operation of a specification with its examples. */
export function startMock(specification: string): Promise<Prism> {
  return start(['mock', specification]);
}

/** Passes requests on to a server, and fails those whose request or response does not match the specification. */
export async function startProxy(specification: string, upstream: string): Promise<Prism> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-prism-'));
  const copy = join(folder, 'openapi.json');
  await writeFile(copy, withoutInt64(await readFile(specification, 'utf8')));
  const { url, stop: end } = await start(['proxy', '--errors', copy, upstream]);
  return { url, stop: () => end().finally(() => rm(folder, { recursive: true })) };
}

/** Prism interprets the format as a limit of 2^53 - 1, which nanoseconds exceed. */
function withoutInt64(specification: string): string {
  return JSON.stringify(
    JSON.parse(specification, (key, value: unknown) => (key === 'format' && value === 'int64' ? undefined : value)),
  );
}

async function start(args: readonly string[]): Promise<Prism> {
  const port = await freePort();
  const child = spawn(process.execPath, [PRISM, ...args, '-p', String(port), '-h', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await listening(child);
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

async function listening(child: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Prism is listening')) resolve();
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
    child.once('exit', (code) => reject(new Error(`prism ended with ${code}:\n${output}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
