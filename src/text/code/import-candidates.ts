import { posix } from 'node:path';

/** Extensions that the tools of a language add to an import without one, in the order in which they try them. */
const SCRIPT_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'];
const STYLE_ENDINGS = ['.scss', '.less', '.css'];

/** TypeScript refers to a module by its compiled file: `./a.js` may mean `a.ts`. */
const COMPILED: ReadonlyMap<string, readonly string[]> = new Map([['.js', ['.ts', '.tsx']], ['.jsx', ['.tsx']], ['.mjs',
  ['.mts']], ['.cjs', ['.cts']]]);

const SCRIPTS: ReadonlySet<string> = new Set(['javascript', 'typescript', 'vue', 'svelte']);
const STYLES: ReadonlySet<string> = new Set(['scss', 'less']);

/**
 * The keys that an import path may refer to, the likeliest first: the path itself, and, if the importing language
 * allows extensions or index files to be omitted, the path with them.
 */
export function importCandidates(path: string, language: string): string[] {
  if (SCRIPTS.has(language)) return scriptCandidates(path);
  if (STYLES.has(language)) return styleCandidates(path);
  return [path];
}

/**
 * The paths by which a key may be imported: all those that `importCandidates` expands to the key in some language. As
 * the reverse of that function, it is approximate: a match has to be confirmed by `importCandidates`.
 */
export function importSpellings(key: string): string[] {
  const spellings = new Set([key]);
  const ending = posix.extname(key);
  const bare = key.slice(0, key.length - ending.length);
  if (SCRIPT_ENDINGS.includes(ending)) {
    spellings.add(bare);
    if (posix.basename(bare) === 'index' && bare.includes('/')) spellings.add(posix.dirname(bare));
  }
  for (const [compiled, sources] of COMPILED) if (sources.includes(ending)) spellings.add(bare + compiled);
  if (STYLE_ENDINGS.includes(ending)) {
    spellings.add(bare);
    for (const path of [key, bare]) spellings.add(withoutUnderscore(path));
  }
  return [...spellings];
}

function scriptCandidates(path: string): string[] {
  const ending = posix.extname(path);
  const sources = (COMPILED.get(ending) ?? []).map((source) => path.slice(0, path.length - ending.length) + source);
  return [path, ...sources, ...SCRIPT_ENDINGS.map((added) => path + added),
    ...SCRIPT_ENDINGS.map((added) => `${path}/index${added}`)];
}

/** A partial of Sass has a leading underscore that imports omit. */
function styleCandidates(path: string): string[] {
  const paths = [path, ...STYLE_ENDINGS.map((ending) => path + ending)];
  return [...paths, ...paths.map(withUnderscore)];
}

function withUnderscore(path: string): string {
  return posix.join(posix.dirname(path), `_${posix.basename(path)}`);
}

function withoutUnderscore(path: string): string {
  const name = posix.basename(path);
  return name.startsWith('_') ? posix.join(posix.dirname(path), name.slice(1)) : path;
}
