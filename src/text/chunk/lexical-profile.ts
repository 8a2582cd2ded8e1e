/**
 * The syntax of a language's comments and strings, as bits: the number is passed to the WebAssembly chunker
 * (`asm/chunk.ts` has the same list).
 */
export const Lexical = {
  /** `//` to the end of the line, unless after a colon as in `https://`. */
  lineSlash: 1,
  /** From slash-star to star-slash. */
  block: 2,
  /** `#` after whitespace, to the end of the line. */
  hash: 4,
  /** `--` to the end of the line. */
  dash: 8,
  /** `<!--` to `-->`. */
  angle: 16,
  /** `"…"` within a line. */
  double: 32,
  /** `'…'` within a line. */
  single: 64,
  /** `'x'` or `'\n'`: a single character, so that Rust's lifetimes are not mistaken for strings. */
  character: 128,
  /** Template literals of JavaScript, which may contain `${…}`. */
  template: 256,
  /** From backtick to backtick, without escapes. */
  rawBacktick: 512,
  /** `"""…"""` */
  tripleDouble: 1024,
  /** `'''…'''` */
  tripleSingle: 2048,
  /** Regular expressions of JavaScript, where an operand is expected. */
  regexp: 4096,
  /** `[[…]]`, and `--[[…]]` as a comment. */
  longBracket: 8192,
} as const;

const { lineSlash, block, hash, dash, angle, double, single, character, template, rawBacktick, tripleDouble,
  tripleSingle, regexp, longBracket } = Lexical;

const C_LIKE = lineSlash | block | double | character;
const SCRIPT = lineSlash | block | double | single | template | regexp;
const COMPONENT = angle | double | lineSlash | block;

const PROFILES: Readonly<Record<string, number>> = {
  css: block | double | single,
  scss: lineSlash | block | double | single,
  less: lineSlash | block | double | single,
  javascript: SCRIPT,
  typescript: SCRIPT,
  html: angle | double,
  vue: COMPONENT,
  svelte: COMPONENT,
  c: C_LIKE,
  cpp: C_LIKE,
  csharp: C_LIKE,
  rust: C_LIKE,
  java: C_LIKE | tripleDouble,
  kotlin: C_LIKE | tripleDouble,
  swift: C_LIKE | tripleDouble,
  go: C_LIKE | rawBacktick,
  php: lineSlash | block | hash | double | single,
  python: hash | double | single | tripleDouble | tripleSingle,
  ruby: hash | double | single,
  shell: hash | double | single,
  sql: dash | block | double | single,
  lua: dash | longBracket | double | single,
};

/** The profile of a language of `code/language.ts`; that of C for an unknown language. */
export function lexicalProfile(language: string): number {
  return Object.hasOwn(PROFILES, language) ? PROFILES[language]! : C_LIKE;
}
