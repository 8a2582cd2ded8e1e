import { posix } from 'node:path';

/** A scheme before a colon, as in `https:`, `data:`, `sass:`; at least two characters, which excludes drive letters. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
/** URLs that contain their content, or do not refer to a file. */
const INLINE = /^(?:data|blob|about|javascript|mailto|tel):/i;
/** Placeholders of template languages: the target is known only when the page is generated. */
const PLACEHOLDER = /[{}]|<%|%>/;

/**
 * The path that an `href` or `src` in a document refers to, or undefined if it is not a local file: another site,
 * inline data, mail, script, a fragment of the same document, or a template's placeholder. A bare path is relative to
 * the document (contract, "Code documents").
 */
export function resolveLocal(target: string, referrer: string): string | undefined {
  const url = target.trim();
  return isExternal(url) || PLACEHOLDER.test(url) ? undefined : resolveUrlPath(url, referrer);
}

/**
 * The target of an `@import` or `url()` in a style sheet: a path as from `resolveLocal`, or the original text for
 * external targets (`https:`, `//`, the built-in `sass:` and the packages `~name` of bundlers).
 */
export function resolveStyleTarget(target: string, referrer: string): string | undefined {
  const url = target.trim();
  if (INLINE.test(url) || PLACEHOLDER.test(url)) return undefined;
  return isExternal(url) || url.startsWith('~') ? url : resolveUrlPath(url, referrer);
}

/**
 * The target of a module specifier: a path if it is relative or starts with a slash; a bare one names a package and is
 * unchanged, as is a URL.
 */
export function resolveModule(specifier: string, referrer: string): string | undefined {
  if (INLINE.test(specifier)) return undefined;
  return /^(?:\.{0,2}\/(?!\/)|\.{1,2}$)/.test(specifier) ? join(withoutSuffix(specifier), referrer) : specifier;
}

function isExternal(url: string): boolean {
  return url.startsWith('//') || SCHEME.test(url);
}

function resolveUrlPath(url: string, referrer: string): string | undefined {
  const path = withoutSuffix(url);
  return path === '' ? undefined : join(decode(path), referrer);
}

/** Query and fragment select a part or variant of a file, not another file. */
function withoutSuffix(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path; // an invalid percent sequence is literal
    throw error;
  }
}

/**
 * Joins paths as browsers do: `..` beyond the root stays at the root. The result begins with a slash if the referrer's
 * path does.
 */
function join(path: string, referrer: string): string | undefined {
  const folder = path.startsWith('/') ? '' : referrer.slice(0, referrer.lastIndexOf('/') + 1);
  const segments: string[] = [];
  for (const segment of `${folder}${path}`.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  if (segments.length === 0) return undefined;
  return (referrer.startsWith('/') ? '/' : '') + segments.join('/');
}

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
