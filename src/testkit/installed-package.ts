// The published package, installed in an empty folder. `npm install` would need the registry, and
// takes a minute. The result is known without it: the lock file names the packages that the
// manifest requires, and `npm ci` has put them into the checkout. Exactly those are linked into the
// folder, so that packages that are not production dependencies are absent there.
import { execFile } from 'node:child_process';
import { copyFile, link, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './docs-process.ts';

const run = promisify(execFile);

const MODULES = 'node_modules';

/** The entry of one package in a lock file. */
interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface InstalledPackage {
  /** Contains only `node_modules`. */
  readonly folder: string;
  /** The program that npm links as `quire`. */
  readonly program: string;
  remove(): Promise<void>;
}

/** Builds, packs and installs the package without its development dependencies. */
export async function installPackage(): Promise<InstalledPackage> {
  const work = await mkdtemp(join(tmpdir(), 'quire-package-'));
  const [built, folder] = [join(work, 'dist'), join(work, 'installed')];
  // `npm run check` has checked the types.
  await run(process.execPath, [join(ROOT, 'src', 'codegen', 'build.ts'), '--out', built, '--no-check'], { cwd: ROOT });
  await run('npm', ['pack', built, '--pack-destination', work, '--ignore-scripts'], { cwd: work });
  const tarball = (await readdir(work)).find((name) => name.endsWith('.tgz'))!;
  const quire = join(folder, MODULES, 'quire');
  await mkdir(quire, { recursive: true });
  await run('tar', ['-xzf', join(work, tarball), '--strip-components=1', '-C', quire]);
  const manifest = JSON.parse(await readFile(join(quire, 'package.json'), 'utf8')) as LockedPackage & {
    readonly bin: { readonly quire: string };
    readonly bundleDependencies?: readonly string[];
  };
  // Bundled packages are in the tarball.
  const { bundleDependencies = [] } = manifest;
  for (const path of await closure(manifest, new Set(bundleDependencies)))
    await linkPackage(join(ROOT, path), join(folder, path));
  const program = join(folder, MODULES, '.bin', 'quire');
  await mkdir(dirname(program));
  await symlink(join('..', 'quire', manifest.bin.quire), program);
  return { folder, program, remove: () => rm(work, { recursive: true, force: true }) };
}

/** The folders of all packages that a manifest needs, directly or indirectly, as placed by the lock file. */
async function closure(manifest: LockedPackage, bundled: ReadonlySet<string>): Promise<Set<string>> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Set<string>();
  const open: [path: string, locked: LockedPackage][] = [['', manifest]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, locked] = next;
    for (const name of needs(locked)) {
      if (from === '' && bundled.has(name)) continue;
      const path = placeOf(name, from, packages);
      // Packages for other platforms may be locked without their parts.
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      open.push([path, packages[path]!]);
    }
  }
  return found;
}

/** npm also installs the peer dependencies of a package, unless they are optional. */
function needs(
  { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: LockedPackage,
): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/** Where Node looks for a package: in the folder of the package that imports it, then in the folders above. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, LockedPackage>>): string | undefined {
  for (let folder = from;; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${MODULES}/`)))) {
    const path = folder === '' ? `${MODULES}/${name}` : `${folder}/${MODULES}/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

/** Makes a copy with hard links, without nested packages, which are linked separately where they are needed. */
async function linkPackage(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // Optional, and not available for this platform.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length > 0) await mkdir(to, { recursive: true });
  await Promise.all(entries.map(async (entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) return entry.name === MODULES ? undefined : linkPackage(source, target);
    if (entry.isSymbolicLink()) return symlink(await readlink(source), target);
    return linkFile(source, target);
  }));
}

async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    // The temporary folder is on another disk.
    if (error.code === 'EXDEV') return copyFile(from, to);
    throw error;
  });
}
