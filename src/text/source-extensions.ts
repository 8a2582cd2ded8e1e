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

export type SourceExtension = keyof typeof SOURCE_EXTENSIONS;
export type SourceLanguage = (typeof SOURCE_EXTENSIONS)[SourceExtension];

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
