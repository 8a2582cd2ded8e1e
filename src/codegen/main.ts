// `npm run generate` writes generated/, docs/cli.md and docs/names.md; with --check it fails if they do not match
// the specifications and the commands.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCommandLineCurrent, writeCommandLine } from './command-line.ts';
import { differences } from './compare-folders.ts';
import { generateAll } from './generate.ts';
import { SpecificationError } from './specification-error.ts';

const root = join(import.meta.dirname, '..', '..');
const committed = join(root, 'generated');

/** Generates into a temporary folder, so that a specification that does not lint leaves generated/ unchanged. */
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
  const isCurrent = await isCommandLineCurrent(root);
  if (!isCurrent) console.error('docs/cli.md drifts from the help of the commands');
  const { checkNames } = await import('./names/page.ts');
  const names = await checkNames(root);
  for (const problem of names) console.error(problem);
  const isRight = drift.length === 0 && isCurrent && names.length === 0;
  if (!isRight) console.error('run `npm run generate` and commit the result');
  return isRight ? 0 : 1;
}

async function write(fresh: string): Promise<number> {
  await rm(committed, { recursive: true, force: true });
  // Without this, the copy would have the permissions of the temporary folder, which other users cannot read.
  await mkdir(committed);
  await cp(fresh, committed, { recursive: true });
  // These load the operations, which are now the newly generated ones.
  await writeCommandLine(root);
  const { writeNames } = await import('./names/page.ts');
  await writeNames(root);
  console.log('generated/, docs/cli.md and docs/names.md written');
  return 0;
}

try {
  process.exitCode = await withFresh(process.argv.includes('--check') ? check : write);
} catch (error) {
  if (!(error instanceof SpecificationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
