// `npm run build` creates the publishable package in dist/: compiled sources and SDKs with their types,
// the files that are read at run time, and a manifest without the parts that only a checkout needs.
//   --out FOLDER   writes it there instead, replacing the contents of the folder
//   --no-check     compiles without checking types, for callers that have checked them
import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProgram } from './bundle-program.ts';
import { copySlimPackages, type Manifest, publishedManifest, SERVICES } from './manifest.ts';

const root = join(import.meta.dirname, '..', '..');
const { values: options } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') }, check: { type: 'boolean', default: true } },
  allowNegative: true,
});
const out = resolve(options.out);

const COPIED = ['bin', 'models', join('src', 'app', 'demo', 'corpus'), join('src', 'convert', 'pdf', 'cmaps.br'),
  'README.md', 'CHANGELOG.md', 'LICENSE', 'runs.example.yaml', join('generated', 'wasm'), join('generated', 'text'),
  join('generated', 'console'), join('generated', 'proto'), 'proto', join('generated', 'mcp', 'tools.json'),
  ...SERVICES.flatMap((service) =>
    ['openapi.json', 'openapi.yaml', 'openapi-3.0.json', 'inputs.json'].map((file) => join('generated', service, file))
  )];

await rm(out, { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', out,
  ...(options.check ? [] : ['--noCheck'])], { stdio: 'inherit', cwd: root });
await removeInnerTypes();
for (const path of COPIED) await cp(join(root, path), join(out, path), { recursive: true });
await bundle();
await copySlimPackages(root, out);
const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
await writeFile(join(out, 'package.json'), `${JSON.stringify(publishedManifest(own), null, 2)}\n`);
console.log(`${out} written; \`npm publish\` in it publishes the package`);

/** The command line and the services start from a bundle; workers and clients are modules of their own. */
async function bundle(): Promise<void> {
  const folder = join(out, 'src', 'app');
  const program = join(folder, 'main.js');
  await bundleProgram(program, join(folder, 'program'));
  await writeFile(program, "import './program/main.js';\n");
}

/** Declarations are needed for the package's exports: the SDKs, and the clients that use them. */
async function removeInnerTypes(): Promise<void> {
  const files = await readdir(join(out, 'src'), { recursive: true });
  for (const file of files) if (file.endsWith('.d.ts') && !file.startsWith('client/')) await rm(join(out, 'src', file));
}
