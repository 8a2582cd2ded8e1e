import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Manifest, publishedManifest, SERVICES } from './manifest.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Entry points of the published package: its command and the modules that its manifest exports. */
const ENTRIES = ['src/app/main.ts', 'src/client/docs.ts', 'src/client/runs.ts',
  ...SERVICES.flatMap((service) => [`generated/${service}/sdk/index.ts`, `generated/${service}/sdk/client/index.ts`])];

const WORKER = /workerFile\(import\.meta\.url, '([^']+)'\)/g;
/** `preProcessFile` of TypeScript passes over these. */
const NAMESPACE = /^export \* as \w+ from '([^']+)'/gm;
const REQUIRED = /(?:createRequire\(import\.meta\.url\)|\brequire)(?:\.resolve)?\('([^']+)'\)/g;

/** The TypeScript files that the build compiles, relative to the root. */
function shippedFiles(): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT).fileNames.map((file) => relative(ROOT, file));
}

/** Statements of this kind are removed completely when a file runs. */
const TYPES = /^(?:import|export) type [^;]*;$/gm;

/**
 * The dependencies of a file, which it imports, loads or starts as a worker: files relative to the root, and run-time
 * packages by name.
 */
function importsOf(file: string): { files: string[]; packages: string[] } {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const specifiersOf = (
    text: string,
  ) => [...ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName),
    ...[...text.matchAll(REQUIRED), ...text.matchAll(NAMESPACE)].map(([, name]) => name!)];
  const specifiers = specifiersOf(source);
  const beside = (path: string) => join(dirname(file), path);
  return {
    files: [...specifiers.filter((name) => name.startsWith('.')).map(beside),
      ...[...source.matchAll(WORKER)].map(([, name]) => beside(`${name!}.ts`))],
    packages: specifiersOf(source.replace(TYPES, '')).filter((name) => !name.startsWith('.') && !isBuiltin(name)).map((
      name,
    ) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')),
  };
}

const shipped = shippedFiles();
const imports = new Map(shipped.map((file) => [file, importsOf(file)]));

/** The files that the entry points need, directly or indirectly. */
function reached(): Set<string> {
  const found = new Set<string>();
  const open = [...ENTRIES];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    open.push(...(imports.get(file)?.files ?? []));
  }
  return found;
}

describe('the published package (src/codegen/build.ts)', () => {
  it('imports its production dependencies only', () => {
    const manifest = publishedManifest(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest);
    const declared = new Set(
      ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) => Object.keys(manifest[kind]!)),
    );
    const undeclared = shipped.flatMap((file) =>
      imports.get(file)!.packages.filter((name) => !declared.has(name)).map((name) => `${file} imports ${name}`)
    );
    expect(undeclared).toEqual([]);
  });

  it('holds no file that only tests need', () => {
    const needed = reached();
    // Declarations of foreign modules are found by the compiler, not imported.
    expect(shipped.filter((file) => !needed.has(file) && !file.endsWith('.d.ts'))).toEqual([]);
  });

  it('holds every file that its code needs', () => {
    // Generated scripts are copied with their folder, not compiled.
    const present = new Set(shipped);
    expect([...reached()].filter((file) => !present.has(file) && !file.startsWith('generated/proto/'))).toEqual([]);
  });
});
