// `npm run build` makes the publishable package in dist/: compiled sources and SDKs with their types,
// the files that are read at run time, and a manifest without what only a checkout needs.
import { execFileSync } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SERVICES } from './services.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');

const COPIED = [
  'bin', 'README.md', 'CHANGELOG.md', 'LICENSE', 'runs.example.yaml', join('generated', 'wasm'), join('generated', 'proto'), 'proto', join('generated', 'mcp', 'tools.json'),
  ...SERVICES.flatMap((service) => ['openapi.json', 'openapi.yaml', 'inputs.json'].map((file) => join('generated', service, file))),
];

/** The fields of package.json that hold for the published package, too. */
const KEPT = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'dependencies'];

const OPTIONAL = '@huggingface/transformers';

await rm(dist, { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit', cwd: root });
for (const path of COPIED) await cp(join(root, path), join(dist, path), { recursive: true });
await writeFile(join(dist, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`);
console.log('dist/ written; `npm publish ./dist` publishes it');

async function manifest(): Promise<object> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const module = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  const sdks = SERVICES.flatMap((service) => [
    [`./${service}`, module(`generated/${service}/sdk/index`)],
    [`./${service}/client`, module(`generated/${service}/sdk/client/index`)],
  ]);
  // Large, and needed by one embedding provider only, which tells how to install it.
  const { [OPTIONAL]: version } = own.optionalDependencies as Record<string, string>;
  return {
    ...Object.fromEntries(KEPT.map((field) => [field, own[field]])),
    peerDependencies: { [OPTIONAL]: version },
    peerDependenciesMeta: { [OPTIONAL]: { optional: true } },
    exports: { ...Object.fromEntries(sdks), './package.json': './package.json' },
  };
}
