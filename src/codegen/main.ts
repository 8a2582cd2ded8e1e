// `npm run generate` writes generated/; with --check it fails when generated/ is not what the
// specifications say.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpecificationError } from './bundle.ts';
import { differences } from './compare-folders.ts';
import { generateAll } from './generate.ts';

const root = join(import.meta.dirname, '..', '..');
const committed = join(root, 'generated');

async function check(): Promise<number> {
  const fresh = await mkdtemp(join(tmpdir(), 'quire-generated-'));
  try {
    await generateAll(root, fresh);
    const drift = await differences(committed, fresh);
    for (const line of drift.slice(0, 20)) console.error(`generated/ drifts from the specifications: ${line}`);
    if (drift.length > 0) console.error('run `npm run generate` and commit the result');
    return drift.length > 0 ? 1 : 0;
  } finally {
    await rm(fresh, { recursive: true });
  }
}

async function write(): Promise<number> {
  await rm(committed, { recursive: true, force: true });
  await generateAll(root, committed);
  console.log('generated/ written');
  return 0;
}

try {
  process.exitCode = await (process.argv.includes('--check') ? check() : write());
} catch (error) {
  if (!(error instanceof SpecificationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
