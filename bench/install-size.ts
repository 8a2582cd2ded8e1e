// `node bench/install-size.ts` measures what `npm install` of the published package puts on a disk, without development
// dependencies and without optional peers (the model runtime, OpenTelemetry). It builds, packs and installs into a temporary folder.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackage } from '../src/testkit/installed-package.ts';

/** The largest packages that are listed. */
const LISTED = 15;

async function bytesOf(path: string): Promise<number> {
  const found = await lstat(path);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytesOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Folders of packages within `node_modules`, scoped ones included. */
async function packagesIn(modules: string): Promise<string[]> {
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.'));
  const scoped = await Promise.all(names.filter((name) => name.startsWith('@')).map(async (scope) => (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`)));
  return [...names.filter((name) => !name.startsWith('@')), ...scoped.flat()];
}

const installed = await installPackage();
try {
  const modules = join(installed.folder, 'node_modules');
  const rows = await Promise.all((await packagesIn(modules)).map(async (name) => ({ name, bytes: await bytesOf(join(modules, name)) })));
  rows.sort((a, b) => b.bytes - a.bytes);
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  console.log(`${megabytes(rows.reduce((sum, { bytes }) => sum + bytes, 0))} MB in ${rows.length} packages`);
  for (const { name, bytes } of rows.slice(0, LISTED)) console.log(`${megabytes(bytes).padStart(7)}  ${name}`);
} finally {
  await installed.remove();
}
