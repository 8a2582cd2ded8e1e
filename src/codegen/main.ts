// `npm run generate` writes generated/, docs/cli.md and docs/names.md; with --check it fails if they do not match
// the specifications and the commands.
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isCommandLineCurrent, writeCommandLine } from './command-line.ts';
import { generateAll } from './generate.ts';
import { SpecificationError } from './openapi-types.ts';

/** One line for each file that exists in only one of two folders, or that differs between them. */
async function differences(left: string, right: string): Promise<string[]> {
  const [a, b] = await Promise.all([filesBelow(left), filesBelow(right)]);
  const lines = [...a].filter((file) => !b.has(file)).map((file) => `${file} should not be there`);
  for (const file of b) {
    if (!a.has(file)) lines.push(`${file} is missing`);
    else if (!(await sameContent(join(left, file), join(right, file)))) lines.push(`${file} differs`);
  }
  return lines.sort();
}

async function filesBelow(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}

async function sameContent(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([readFile(left), readFile(right)]);
  return a.equals(b);
}

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
