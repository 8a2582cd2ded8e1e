import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleProgram } from '../../codegen/bundle-program.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'quire-program');
const DAY_MS = 24 * 60 * 60_000;

/**
 * Tests that start `quire` as a process start the bundle that the published package has, since a start takes a third
 * less. It is made of the sources as they are when the tests begin, or begin again while vitest watches, unless it is
 * there already.
 */
export async function setup(project: TestProject): Promise<void> {
  // Each project begins with this.
  if (process.env['QUIRE_TEST_PROGRAM'] !== undefined) return;
  await useProgram();
  project.onTestsRerun(useProgram);
}

async function useProgram(): Promise<void> {
  const folder = join(CACHE, await stateOfSources());
  if (!await exists(folder)) await make(folder);
  process.env['QUIRE_TEST_PROGRAM'] = join(folder, 'main.js');
}

/** Changes with each file that is added, removed or written to. */
async function stateOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['src', 'generated']) {
    const files = await readdir(join(ROOT, folder), { recursive: true });
    for (const file of files.filter((each) => /\.[jt]s$/.test(each)).toSorted()) {
      const { mtimeMs, size } = await stat(join(ROOT, folder, file));
      hash.update(`${folder}/${file} ${mtimeMs} ${size}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Other runs of tests may make the same bundle at the same time, or use one of other sources. */
async function make(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  await bundleProgram(join(ROOT, 'src', 'app', 'main.ts'), fresh);
  // Otherwise Node compiles each file twice, to find out that it is a module.
  await writeFile(join(fresh, 'package.json'), '{ "type": "module" }\n');
  await rename(fresh, folder).catch(async (error: unknown) => {
    if (!await exists(folder)) throw error;
    await rm(fresh, { recursive: true });
  });
  for (const name of await readdir(CACHE)) {
    const other = join(CACHE, name);
    const found = await stat(other).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - DAY_MS) await rm(other, { recursive: true, force: true });
  }
}

function exists(folder: string): Promise<boolean> {
  return stat(folder).then(() => true, () => false);
}
