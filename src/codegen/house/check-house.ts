// Part of `npm run check`: measures of the sources as a table, the lines that are longer than 120 columns, the lists of
// names of operations, and the imports of areas that pass their entry points.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations as docsOperations } from '../../../generated/docs/operations.ts';
import { operations as runsOperations } from '../../../generated/runs/operations.ts';
import { importCircles, longLines, operationLists, passedEntryPoints } from './measures.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const TESTS = /\.test\.ts$|\/test-fixture\.ts$|\/testkit\//;
/** A file below this length is a fragment of an idea, unless it is an entry point or data. */
const SHORT = 25;

/** The TypeScript files of some folders, as paths from the root with their texts. */
function sourcesOf(...folders: readonly string[]): Map<string, string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts') && !path.includes('node_modules')
    ).map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
  );
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

const linesOf = (text: string): number => text.split('\n').length - 1;
const isEntryPoint = (path: string): boolean => /(?:^|\/)(?:index|main|worker|thread|[a-z-]+-thread)\.ts$/.test(path);

const all = sourcesOf('src', 'asm', 'contract-tests', 'bench');
const house = new Map([...all].filter(([path]) => /^(?:src|asm)\//.test(path) && !TESTS.test(path)));
const long = [...all].flatMap(([path, text]) => longLines(path, text));
const ids = new Set([...Object.keys(docsOperations), ...Object.keys(runsOperations)]);
const lists = [...house].flatMap(([path, text]) => operationLists(path, text, ids));
const outside = new Map([...house].filter(([path]) => !path.endsWith('/test-fixture.ts')));
const passed = [...passedEntryPoints(outside, 'src/docs'), ...passedEntryPoints(outside, 'src/runs')];
const migrations = [...house.keys()].filter((path) => /storage\/migrations\/(?:runs\/)?\d{4}-/.test(path));

const measures: Readonly<Record<string, number>> = {
  'lines of src and asm without tests': [...house.values()].reduce((sum, text) => sum + linesOf(text), 0),
  'files of src without tests': [...house.keys()].filter((path) => path.startsWith('src/')).length,
  [`files under ${SHORT} lines that are no entry point`]:
    [...house].filter(([path, text]) => !isEntryPoint(path) && linesOf(text) < SHORT).length,
  'lines above 120 columns': long.length,
  'lists of names of operations': lists.length,
  'lines of the composition root': linesOf(house.get('src/docs/index.ts')!),
  'migrations': migrations.length,
  'circles of imports': importCircles(house).length,
  'imports that pass an entry point of an area': passed.length,
};
for (const [name, value] of Object.entries(measures)) {
  console.log(`${name.padEnd(50)} ${value.toLocaleString('en-US').padStart(9)}`);
}
const faults = [...long, ...lists, ...passed];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
