// `npm run build` compiles the publishable package into dist/: JavaScript with types, and beside it
// the files that are read at run time.
import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SERVICES } from './services.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

await rm(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit', cwd: root });
for (const service of SERVICES) {
  for (const file of ['openapi.json', 'openapi.yaml', 'inputs.json']) {
    const path = join('generated', service, file);
    await cp(join(root, path), join(dist, path));
  }
}
await cp(join(root, 'runs.example.yaml'), join(dist, 'runs.example.yaml'));
console.log('dist/ written');
