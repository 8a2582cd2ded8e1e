import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Packages of tens of megabytes of which the published package needs a few files; the rest is other builds of the same
 * code, source maps, or a peer dependency for its types. They are bundled (`bundleDependencies`) with only these files
 * and their licences.
 */
export const SLIM: Readonly<Record<string, readonly string[]>> = {
  'sql.js': ['LICENSE', 'dist/sql-wasm.js', 'dist/sql-wasm.wasm'],
  '@graphql-yoga/render-graphiql': ['LICENSE', 'esm'],
  'swagger-ui-dist': ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css'],
};

/** Fields on which `npm install` would act: nothing must be installed for them, and no script run. */
const DROPPED = new Set(['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies', 'scripts']);

/** Copies the needed files from the checkout's `node_modules` to that of the package. */
export async function copySlimPackages(root: string, out: string): Promise<void> {
  for (const [name, files] of Object.entries(SLIM)) {
    const [from, to] = [root, out].map((folder) => join(folder, 'node_modules', name)) as [string, string];
    for (const file of files) {
      await mkdir(dirname(join(to, file)), { recursive: true });
      await cp(join(from, file), join(to, file), { recursive: true });
    }
    const manifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8')) as Record<string, unknown>;
    const kept = Object.fromEntries(Object.entries(manifest).filter(([field]) => !DROPPED.has(field)));
    await writeFile(join(to, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  }
}
