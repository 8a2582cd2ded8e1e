import { Prism } from './prism.ts';
// A language stands behind those that it extends.
import 'prismjs/components/prism-markup.js';
import 'prismjs/components/prism-css.js';
import 'prismjs/components/prism-clike.js';
import 'prismjs/components/prism-javascript.js';
import 'prismjs/components/prism-scss.js';
import 'prismjs/components/prism-less.js';
import 'prismjs/components/prism-typescript.js';
import 'prismjs/components/prism-jsx.js';
import 'prismjs/components/prism-tsx.js';
import 'prismjs/components/prism-c.js';
import 'prismjs/components/prism-cpp.js';
import 'prismjs/components/prism-csharp.js';
import 'prismjs/components/prism-go.js';
import 'prismjs/components/prism-java.js';
import 'prismjs/components/prism-kotlin.js';
import 'prismjs/components/prism-lua.js';
import 'prismjs/components/prism-markup-templating.js';
import 'prismjs/components/prism-php.js';
import 'prismjs/components/prism-python.js';
import 'prismjs/components/prism-ruby.js';
import 'prismjs/components/prism-rust.js';
import 'prismjs/components/prism-swift.js';
import 'prismjs/components/prism-bash.js';
import 'prismjs/components/prism-sql.js';

export type Grammar = Parameters<typeof Prism.tokenize>[1];

/** Extensions of source code, with the names of their grammars where these are other ones. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  css: 'css',
  scss: 'scss',
  less: 'less',
  html: 'html',
  htm: 'html',
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  jsx: 'jsx',
  ts: 'ts',
  tsx: 'tsx',
  vue: 'html',
  svelte: 'html',
  go: 'go',
  py: 'py',
  rb: 'rb',
  rs: 'rust',
  java: 'java',
  kt: 'kt',
  swift: 'swift',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  cs: 'cs',
  php: 'php',
  sh: 'sh',
  sql: 'sql',
  lua: 'lua',
};

/** The name of the grammar of a path's extension; undefined if it is none of source code. */
export function languageOfPath(path: string): string | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return path.includes('.') && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Undefined for a language that is shown without colours. */
export function grammarOf(language: string): Grammar | undefined {
  const found = Object.hasOwn(Prism.languages, language) ? Prism.languages[language] : undefined;
  return typeof found === 'function' ? undefined : found;
}
