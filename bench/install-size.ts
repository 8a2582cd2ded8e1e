// `node bench/install-size.ts` measures the disk space of an `npm install` of the published package: without
// development dependencies and without optional peers (the model runtime, OpenTelemetry). It builds, packs and really
// installs into a temporary folder, so it needs the registry.
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Number of the largest packages that are listed. */
const LISTED = 20;

interface Size {
  /** Total length of files. */
  readonly bytes: number;
  /** Disk space used for them, in whole blocks. */
  readonly onDisk: number;
}

const sum = (sizes: readonly Size[]): Size => ({
  bytes: sizes.reduce((total, { bytes }) => total + bytes, 0),
  onDisk: sizes.reduce((total, { onDisk }) => total + onDisk, 0),
});

async function sizeOf(path: string): Promise<Size> {
  const found = await lstat(path);
  const own = { bytes: found.isDirectory() ? 0 : found.size, onDisk: found.blocks * 512 };
  return found.isDirectory()
    ? sum([own, ...(await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name)))))])
    : own;
}

/** Folders of packages within `node_modules`, including scoped ones. */
async function packagesIn(modules: string): Promise<string[]> {
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.'));
  const scoped = await Promise.all(
    names.filter((name) => name.startsWith('@')).map(async (scope) =>
      (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`)
    ),
  );
  return [...names.filter((name) => !name.startsWith('@')), ...scoped.flat()];
}

const work = await mkdtemp(join(tmpdir(), 'quire-size-'));
try {
  const [built, folder] = [join(work, 'dist'), join(work, 'installed')];
  execFileSync(process.execPath, [join(ROOT, 'src', 'codegen', 'build.ts'), '--out', built, '--no-check'], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  execFileSync('npm', ['pack', built, '--pack-destination', work, '--ignore-scripts'], { cwd: work, stdio: 'ignore' });
  const tarball = (await readdir(work)).find((name) => name.endsWith('.tgz'))!;
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private": true}\n');
  execFileSync('npm', ['install', join(work, tarball), '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const modules = join(folder, 'node_modules');
  const rows = await Promise.all(
    (await packagesIn(modules)).map(async (name) => ({ name, ...(await sizeOf(join(modules, name))) })),
  );
  rows.sort((a, b) => b.bytes - a.bytes);
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  const total = sum(rows);
  console.log(
    `tarball ${megabytes((await sizeOf(join(work, tarball))).bytes)} MB; installed ${
      megabytes(total.bytes)
    } MB in ${rows.length} packages, ${megabytes(total.onDisk)} MB on this disk`,
  );
  for (const { name, bytes } of rows.slice(0, LISTED)) console.log(`${megabytes(bytes).padStart(7)}  ${name}`);
} finally {
  await rm(work, { recursive: true, force: true });
}
