import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Job } from './job.ts';

/** Heap limit of a JavaScript peer, in megabytes. */
const HEAP_MEGABYTES = 6000;

/** Runs an engine of `child.ts` in a separate process. */
export function runEngine(name: string, job: Job): Promise<Answer> {
  const file = join(job.folder, 'job.json');
  writeFileSync(file, JSON.stringify(job));
  return answerOf(process.execPath, ['--expose-gc', `--max-old-space-size=${HEAP_MEGABYTES}`,
    join(import.meta.dirname, 'child.ts'), name, file]);
}

/** The output of a program. Rejects if it fails, with the end of its standard error, or if it takes too long. */
export async function answerOf<T = Answer>(command: string, args: readonly string[], seconds = 0): Promise<T> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: seconds * 1000 });
  let output = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-2000)));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) return JSON.parse(output) as T;
  if (/heap out of memory|OutOfMemoryError/.test(complaints)) throw new Error('ran out of memory');
  throw new Error(`ended with ${signal ?? code}: ${complaints.trim().split('\n').slice(-8).join('\n')}`);
}
