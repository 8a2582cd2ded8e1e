// `npm run format`: formats the TypeScript of the project by dprint.json; with `--check`, names the files that differ.
// The formatter is the WebAssembly of dprint's plugin, so no binary for each platform has to be installed.
import { createFromBuffer } from '@dprint/formatter';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

interface Config {
  readonly lineWidth: number;
  readonly indentWidth: number;
  readonly typescript: Record<string, string | boolean>;
}

const { lineWidth, indentWidth, typescript } = JSON.parse(readFileSync(join(ROOT, 'dprint.json'), 'utf8')) as Config;
const plugin = createRequire(import.meta.url).resolve('@dprint/typescript/plugin.wasm');
const formatter = createFromBuffer(readFileSync(plugin));
formatter.setConfig({ lineWidth, indentWidth }, typescript);

/**
 * What git knows, without what is generated. Without git, such as in a published package, there is nothing to format.
 */
function files(): string[] {
  if (!existsSync(join(ROOT, '.git'))) return [];
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.js',
    '*.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) =>
    path !== '' && !path.startsWith('generated/') && existsSync(join(ROOT, path))
  );
}

const isCheck = process.argv.includes('--check');
let differing = 0;
for (const path of files()) {
  const before = readFileSync(join(ROOT, path), 'utf8');
  const after = formatter.formatText({ filePath: join(ROOT, path), fileText: before });
  if (after === before) continue;
  differing++;
  if (isCheck) console.error(`${path} is not formatted; run \`npm run format\``);
  else writeFileSync(join(ROOT, path), after);
}
if (isCheck && differing > 0) process.exitCode = 1;
