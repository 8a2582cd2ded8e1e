import { isCode, languageOfPath } from '../source-extensions.ts';

type Meta = Readonly<Record<string, readonly string[]>>;

/** Aliases in meta `language` for languages of `source-extensions.ts`. */
const ALIASES: Readonly<Record<string, string>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ecmascript: 'javascript',
  node: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  htm: 'html',
  xhtml: 'html',
  sass: 'scss',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  golang: 'go',
  kt: 'kotlin',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
};

/** The first value of a meta key, or undefined. */
function first(meta: Meta, key: string): string | undefined {
  return Object.hasOwn(meta, key) ? meta[key]![0] : undefined;
}

/** Whether a document is source code, by its meta `kind`, its key and meta `path` (contract, "Code documents"). */
export function isCodeDocument({ key, meta }: { readonly key: string; readonly meta: Meta }): boolean {
  return isCode(first(meta, 'kind'), key, first(meta, 'path'));
}

/**
 * The programming language of a code document: meta `language` in lower case, with common short names replaced by the
 * full one; without it, the language of the extension of `path` or of the key; otherwise empty.
 */
export function codeLanguage({ key, meta }: { readonly key: string; readonly meta: Meta }): string {
  const given = first(meta, 'language')?.trim().toLowerCase();
  if (given) return Object.hasOwn(ALIASES, given) ? ALIASES[given]! : given;
  return languageOfPath(codePath({ key, meta })) ?? languageOfPath(key) ?? '';
}

/** The path of the source: meta `path` if the key is a slug, otherwise the key. Imports are relative to it. */
export function codePath({ key, meta }: { readonly key: string; readonly meta: Meta }): string {
  return first(meta, 'path') || key;
}
