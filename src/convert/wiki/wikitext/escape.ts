import { parseFragment } from 'parse5';

const KNOWN = new Map([['amp', '&'], ['lt', '<'], ['gt', '>'], ['quot', '"'], ['apos', "'"], ['nbsp', '\u00a0'], [
  'ndash',
  '–',
], ['mdash', '—'], ['minus', '−'], ['times', '×'], ['thinsp', '\u2009'], ['hellip', '…'], ['deg', '°'], ['middot', '·'],
  ['bull', '•'], ['rarr', '→'], ['larr', '←'], ['laquo', '«'], ['raquo', '»']]);

/** Limit on cached names, so that names invented by pages do not fill the memory. */
const MAX_KNOWN = 4000;

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/y;

/** The character of the entity at a position, and the length of its source; undefined if there is none. */
export function entityAt(text: string, at: number): { text: string; length: number } | undefined {
  ENTITY.lastIndex = at;
  const match = ENTITY.exec(text);
  if (match === null) return undefined;
  const [whole, decimal, hexadecimal, name] = match;
  const found = name === undefined
    ? characterOf(decimal === undefined ? parseInt(hexadecimal!, 16) : Number(decimal))
    : named(name);
  return found === undefined ? undefined : { text: found, length: whole.length };
}

/** A text with its entities replaced by their characters. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  let decoded = '';
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    const entity = entityAt(text, at);
    if (entity === undefined) continue;
    decoded += text.slice(from, at) + entity.text;
    from = at + entity.length;
  }
  return decoded + text.slice(from);
}

function characterOf(code: number): string | undefined {
  const isText = code === 9 || code === 10 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0x10ffff);
  return isText ? String.fromCodePoint(code) : undefined;
}

function named(name: string): string | undefined {
  const known = KNOWN.get(name);
  if (known !== undefined) return known === '' ? undefined : known;
  const [node] = parseFragment(`&${name};`).childNodes;
  const value = node !== undefined && 'value' in node ? node.value : '';
  const found = value.startsWith('&') && value.endsWith(';') && value.length > 1 ? '' : value;
  if (KNOWN.size < MAX_KNOWN) KNOWN.set(name, found);
  return found === '' ? undefined : found;
}

const SPECIAL = /[\\`*_~<\]&]/;

/** Escapes text so that it reads the same as markdown; only characters with a special meaning are escaped. */
export function escapeText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  let escaped = '';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (!needsEscape(text, i)) continue;
    escaped += `${text.slice(from, i)}\\`;
    from = i;
  }
  return escaped + text.slice(from);
}

function needsEscape(text: string, i: number): boolean {
  switch (text.charCodeAt(i)) {
    case 0x5c:
      return i + 1 < text.length ? /[!-/:-@[-`{-~]/.test(text[i + 1]!) : true; // a backslash
    case 0x60:
    case 0x2a:
      return true; // ` and *
    case 0x5f:
      return !(isWordAt(text, i - 1) && isWordAt(text, i + 1)); // _
    case 0x7e:
      return text[i + 1] === '~' || text[i - 1] === '~';
    case 0x3c:
      return i + 1 === text.length || /[A-Za-z/!?]/.test(text[i + 1]!); // <
    case 0x5d:
      return text[i + 1] === '(' || text[i + 1] === ':'; // ]
    case 0x26:
      return /^&(?:#\w{1,8}|[A-Za-z]\w{1,31});/.test(text.slice(i, i + 40)); // &
    default:
      return false;
  }
}

function isWordAt(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[at] ?? ' ');
}

const LINE_START = /^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-+\s*$|:)/;
const NUMBERED = /^(\s*\d{1,9})([.)])(?=\s|$)/;

/** Escapes the first characters of a line if they would start another kind of block. */
export function guardLine(line: string): string {
  const code = line.charCodeAt(0);
  // A letter, the usual case, needs no escape.
  if (code > 0x3e) return line;
  return line.replace(LINE_START, '$1\\$2').replace(NUMBERED, '$1\\$2');
}

/** A link target, escaped for use in parentheses. */
export function linkTarget(target: string): string {
  return target.trim().replace(/[\s()<>\\\u0000-\u0008]/g,
    (character) => TARGET[character] ?? (/\s/.test(character) ? '_' : ''));
}

/** A web address, escaped for use in parentheses. */
export function webTarget(url: string): string {
  return url.replace(/[\s()<>\\|]/g,
    (character) => encodeURIComponent(character).replace('(', '%28').replace(')', '%29'));
}

const TARGET: Readonly<Record<string, string>> = { '(': '%28', ')': '%29', '<': '%3C', '>': '%3E', '\\': '%5C' };

/** Text as a code span; the fence is longer than any fence in the text. */
export function codeSpan(text: string): string {
  const code = text.split('\n').map((line) => line.trim()).join(' ').trim();
  if (code === '') return '';
  const fence = '`'.repeat(longest(code) + 1);
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${fence}${space}${code}${space}${fence}`;
}

/** Text as a fenced block. */
export function codeBlock(text: string, language = ''): string {
  const code = text.replace(/^[ \t]*\n/, '').trimEnd();
  const fence = '`'.repeat(Math.max(3, longest(code) + 1));
  return `${fence}${language.replace(/[^\w+#.-]/g, '')}\n${code}\n${fence}`;
}

function longest(text: string): number {
  let most = 0;
  for (const [run] of text.matchAll(/`+/g)) most = Math.max(most, run.length);
  return most;
}
