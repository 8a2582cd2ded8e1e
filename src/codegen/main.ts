// `npm run generate` writes generated/; with --check it fails when generated/ is not what the
// specifications say.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differences } from './compare-folders.ts';
import { generateAll } from './generate.ts';
import { SpecificationError } from './specification-error.ts';

const root = join(import.meta.dirname, '..', '..');
const committed = join(root, 'generated');

/** Generates into a temporary folder, so that a specification that does not lint leaves generated/ as it was. */
async function withFresh<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const fresh = await mkdtemp(join(tmpdir(), 'quire-generated-'));
  try {
    await generateAll(root, fresh);
    return await use(fresh);
  } finally {
    await rm(fresh, { recursive: true });
  }
}

async function check(fresh: string): Promise<number> {
  const drift = await differences(committed, fresh);
  for (const line of drift.slice(0, 20)) console.error(`generated/ drifts from the specifications: ${line}`);
  if (drift.length > 0) console.error('run `npm run generate` and commit the result');
  return drift.length > 0 ? 1 : 0;
}

async function write(fresh: string): Promise<number> {
  await rm(committed, { recursive: true, force: true });
  // The copy of a temporary folder would be closed to other users, as that folder is.
  await mkdir(committed);
  await cp(fresh, committed, { recursive: true });
  console.log('generated/ written');
  return 0;
}

try {
  process.exitCode = await withFresh(process.argv.includes('--check') ? check : write);
} catch (error) {
  if (!(error instanceof SpecificationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
