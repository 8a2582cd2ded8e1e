import { ACCENTS, ACCENTS_BELOW, COMMANDS, FUNCTIONS, LETTERS, SIGNS } from './symbols.ts';

const TALL = /\\(?:frac|begin|sum|prod|int|sqrt|binom|substack|overset|underset)/;
const DELIMITERS: ReadonlyMap<string, string> = new Map([['{', '\\{'], ['}', '\\}'], ['', '.']]);
const OPERATOR = /^\\(?:[A-Za-z]{2,20}|(?:operatorname|underbrace|overbrace)\{.{0,4000}\})$/;

/** Joins pieces of TeX; a command is separated from a letter or digit after it. */
export function joinTex(pieces: readonly string[]): string {
  let before = '';
  return pieces.map((piece) => {
    const space = /^[\p{L}\p{N}]/u.test(piece) && /\\[A-Za-z]+$/.test(before.slice(-24)) ? ' ' : '';
    if (piece !== '') before = piece;
    return space + piece;
  }).join('');
}

/** Symbols as TeX: `50%` becomes `50\%`, `x→0` becomes `x\to 0`. */
export function symbolsTex(symbols: string): string {
  return joinTex(
    Array.from(symbols.replace(/\s+/g, ' '), (character) =>
      COMMANDS.get(character) ?? SIGNS.get(character) ?? (/[%#&$_{}]/.test(character) ? `\\${character}` : character)),
  );
}

/** Words within a formula. */
export function wordsTex(words: string): string {
  return words.trim() === '' ? '' : `\\text{${words.replace(/\s+/g, ' ').replace(/[%#&$_{}]/g, '\\$&')}}`;
}

/** The name of a function or of a variable of several letters. */
export function nameTex(name: string): string {
  const plain = name.trim();
  if (FUNCTIONS.has(plain)) return `\\${plain}`;
  return /^\p{L}{2,40}$/u.test(plain) ? `\\operatorname{${plain}}` : symbolsTex(name);
}

/** A base with what stands at its lower and upper right; both may be ''. */
export function scriptsTex(base: string, lower: string, upper: string): string {
  // TeX refuses a second script on one base.
  const isScripted = (lower !== '' || upper !== '') && /[\^_]/.test(base.slice(-64));
  const held = base === '' || isScripted ? `{${base}}` : base;
  return held + script('_', lower) + script('^', upper);
}

function script(sign: string, value: string): string {
  if (value === '') return '';
  return /^(?:[^\\{}]|\\[%#&$_{}])$/u.test(value) ? `${sign}${value}` : `${sign}{${value}}`;
}

/** A base with something below and above it, which may be '': an accent, limits of an operator, other formulas. */
export function stackedTex(base: string, below: string, above: string): string {
  const accent = below === '' ? ACCENTS.get(above.trim()) : above === '' ? ACCENTS_BELOW.get(below.trim()) : undefined;
  if (accent !== undefined) return `${accent}{${base}}`;
  if (OPERATOR.test(base) && !LETTERS.has(base)) return scriptsTex(base, below, above);
  if (below === '' && above === '\\to') return `\\vec{${base}}`;
  const under = below === '' ? base : `\\underset{${below}}{${base}}`;
  return above === '' ? under : `\\overset{${above}}{${under}}`;
}

/** Whether a character above or below a letter is an accent, rather than a formula of its own. */
export function isAccent(character: string): boolean {
  return ACCENTS.has(character) || ACCENTS_BELOW.has(character);
}

/** Content between delimiters; '' as a delimiter is none. */
export function delimitedTex(open: string, content: string, close: string): string {
  const binomial = /^\\substack\{([^{}\\]{1,200})\\\\([^{}\\]{1,200})\}$/.exec(content);
  if (binomial !== null && open === '(' && close === ')') return `\\binom{${binomial[1]}}{${binomial[2]}}`;
  const [left, right] = [delimiterTex(open), delimiterTex(close)];
  if (left === '.' || right === '.' || TALL.test(content))
    return joinTex([`\\left${left}`, content, `\\right${right}`]);
  return joinTex([left, content, right]);
}

function delimiterTex(delimiter: string): string {
  return DELIMITERS.get(delimiter) ?? symbolsTex(delimiter);
}

/** Rows of cells, without delimiters. */
export function matrixTex(rows: readonly (readonly string[])[], environment = 'matrix'): string {
  return `\\begin{${environment}}${rows.map((row) => row.join('&')).join('\\\\')}\\end{${environment}}`;
}

/** A fraction, or two formulas above each other without a bar. */
export function fractionTex(above: string, below: string, bar: boolean): string {
  return bar ? `\\frac{${above}}{${below}}` : `\\substack{${above}\\\\${below}}`;
}

export function rootTex(content: string, degree: string): string {
  return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${content}}`;
}
