import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Called, Calls } from './in-process.ts';

export type { Call, Called, Calls } from './in-process.ts';

/** Calls the service in a separate process; no other process may have its database open. */
export async function callInProcess<Kind extends string>(folder: string,
  calls: Calls & { readonly kinds: Readonly<Record<Kind, unknown>> }): Promise<Record<Kind, Called>>
{
  const [job, answer] = [join(folder, 'calls.json'), join(folder, 'called.json')];
  await writeFile(job, JSON.stringify(calls));
  try {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'in-process.ts'), job, answer], {
      maxBuffer: 1e8,
    });
    return JSON.parse(await readFile(answer, 'utf8')) as Record<Kind, Called>;
  } finally {
    await rm(job, { force: true });
    await rm(answer, { force: true });
  }
}
