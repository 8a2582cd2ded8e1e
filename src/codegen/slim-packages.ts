import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Packages of which the published one needs a few files and that are tens of megabytes: other builds of the same code, maps of
 * sources, a peer that is there for its types. They are bundled (`bundleDependencies`) with these files, their licences included.
 */
export const SLIM: Readonly<Record<string, readonly string[]>> = {
  'sql.js': ['LICENSE', 'dist/sql-wasm.js', 'dist/sql-wasm.wasm'],
  '@graphql-yoga/render-graphiql': ['LICENSE', 'esm'],
  'swagger-ui-dist': ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css'],
};

/** What `npm install` would act on: nothing is to be installed for them, and nothing run. */
const DROPPED = new Set(['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies', 'scripts']);

/** Copies the files that are needed from `node_modules` of the checkout to that of the package. */
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
