/** Keywords before a parenthesis that are not function calls. */
const KEYWORDS: ReadonlySet<string> = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'typeof',
  'void', 'await', 'async', 'with', 'super']);
/** Objects that the browser provides: their methods are not names of the document. */
const PROVIDED: ReadonlySet<string> = new Set(['this', 'event', '$event', 'document', 'console', 'location', 'history',
  'navigator', 'Math', 'JSON', 'Object', 'localStorage', 'sessionStorage']);
const GLOBALS: ReadonlySet<string> = new Set(['window', 'self', 'globalThis']);

const PATH = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u;
const CALL = /(?<![\p{ID_Continue}$.])([\p{ID_Start}$_][\p{ID_Continue}$.]*)(?=\s{0,8}\()/gu;
const STRINGS = /'(?:[^'\\]|\\[^])*(?:'|$)|"(?:[^"\\]|\\[^])*(?:"|$)/g;
const MAX_HANDLER_LENGTH = 4096;

/**
 * The names that an event handler refers to: the functions that it calls, or the function that it is. For `App.open()`
 * that is `App`, which a script may define; for `event.preventDefault()` it is nothing.
 */
export function handlerNames(value: string): string[] {
  if (value.length > MAX_HANDLER_LENGTH) return [];
  const code = value.trim().replace(/^\{(.*)\}$/s, '$1').trim();
  if (PATH.test(code)) return named(code);
  return [...code.replace(STRINGS, "''").matchAll(CALL)].flatMap((match) => named(match[1]!));
}

function named(path: string): string[] {
  const parts = path.split('.');
  const root = GLOBALS.has(parts[0]!) && parts.length > 1 ? parts[1]! : parts[0]!;
  return KEYWORDS.has(root) || PROVIDED.has(root) || root === '' ? [] : [root];
}
