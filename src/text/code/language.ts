type Meta = Readonly<Record<string, readonly string[]>>;

/** Aliases in meta `language` for languages of `SOURCE_EXTENSIONS`. */
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

/**
 * The extensions of source code files, with the language of each. JSON, YAML, TOML and XML count as prose, so they are
 * not listed.
 */
export const SOURCE_EXTENSIONS = {
  css: 'css',
  scss: 'scss',
  less: 'less',
  html: 'html',
  htm: 'html',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'vue',
  svelte: 'svelte',
  go: 'go',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  java: 'java',
  kt: 'kotlin',
  swift: 'swift',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  php: 'php',
  sh: 'shell',
  sql: 'sql',
  lua: 'lua',
} as const satisfies Readonly<Record<string, string>>;

type SourceExtension = keyof typeof SOURCE_EXTENSIONS;
type SourceLanguage = (typeof SOURCE_EXTENSIONS)[SourceExtension];

/** The language of a path's extension, ignoring case; undefined for prose. */
export function languageOfPath(path: string): SourceLanguage | undefined {
  const dot = path.lastIndexOf('.');
  const extension = path.slice(dot + 1).toLowerCase();
  return dot >= 0 && Object.hasOwn(SOURCE_EXTENSIONS, extension)
    ? SOURCE_EXTENSIONS[extension as SourceExtension]
    : undefined;
}

/**
 * Whether a document is source code (contract, section 2, "Code documents"). An explicit meta `kind` alone decides,
 * either way; if it is absent or empty, the extension of the key or of meta `path` does.
 */
export function isCode(kind: string | undefined, key: string, path?: string): boolean {
  if (kind) return kind === 'code';
  return languageOfPath(key) !== undefined || (path !== undefined && languageOfPath(path) !== undefined);
}
