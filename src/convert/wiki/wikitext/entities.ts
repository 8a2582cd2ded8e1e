import { parseFragment } from 'parse5';

const KNOWN = new Map([['amp', '&'], ['lt', '<'], ['gt', '>'], ['quot', '"'], ['apos', "'"], ['nbsp', '\u00a0'], [
  'ndash',
  '–',
], ['mdash', '—'], ['minus', '−'], ['times', '×'], ['thinsp', '\u2009'], ['hellip', '…'], ['deg', '°'], ['middot', '·'],
  ['bull', '•'], ['rarr', '→'], ['larr', '←'], ['laquo', '«'], ['raquo', '»']]);

/** Limit on cached names, so that names invented by pages do not fill the memory. */
const MAX_KNOWN = 4000;

export const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/y;

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
