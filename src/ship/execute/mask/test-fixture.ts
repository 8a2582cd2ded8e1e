import type { Pattern, Spelling } from './secret-patterns.ts';

/** Ways in which programs write a text; `seed` chooses where there is a choice. */
export const WRITERS: Readonly<Record<string, (text: string, seed: number) => string | Buffer>> = {
  'as it is': (text) => text,
  'encodeURIComponent': (text) => encodeURIComponent(text),
  'encodeURIComponent in small letters': (text) =>
    encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase()),
  'encodeURI': (text) => encodeURI(text),
  'a form': (text) => new URLSearchParams([['q', text]]).toString().slice(2),
  'every byte percent-encoded': (text, seed) => bytesAs(text, seed, (hex) => `%${hex}`),
  'some bytes percent-encoded': (text, seed) =>
    bytesAs(text, seed,
      (hex, index,
        byte) => (/\w/.test(String.fromCharCode(byte)) && index % 3 > 0 ? String.fromCharCode(byte) : `%${hex}`)),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'JSON': (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON with escaped slashes': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'JSON with every character escaped': (text, seed) => unitsAs(text, seed, (hex) => `\\u${hex.padStart(4, '0')}`),
  'JSON for HTML': (text, seed) =>
    JSON.stringify(text).replace(/[<>&'\u2028]/g, (char) => unitsAs(char, seed, (hex) => `\\u${hex.padStart(4, '0')}`)),
  'YAML in double quotes': (text) =>
    `"${
      text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replace(/[\x80-\xff]/g, (char) =>
        `\\x${char.charCodeAt(0).toString(16)}`)
    }"`,
  'YAML in single quotes': (text) => `'${text.replaceAll("'", "''")}'`,
  'the shell in single quotes': (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`,
  'dash in a trace': (text) => `'${text.replaceAll("'", `'"'"'`)}'`,
  'printf %q': (text) => text.replace(/[^\w\n\x80-\uffff]/g, '\\$&'),
  'bytes in octal': (text) =>
    `$'${Array.from(Buffer.from(text), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`,
  'bytes in Python': (text, seed) => bytesAs(text, seed, (hex) => `\\x${hex}`),
  'HTML': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll(
      "'",
      '&#39;',
    ),
  'HTML, every character by number': (text) => Array.from(text, (char) => `&#${char.codePointAt(0)};`).join(''),
  'HTML, every character by hexadecimal number': (text, seed) =>
    Array.from(text, (char) => `&#x${either(char.codePointAt(0)!.toString(16), seed)};`).join(''),
  'hexadecimal': (text, seed) => bytesAs(text, seed, (hex) => hex),
  'hexadecimal with blanks': (text, seed) => bytesAs(text, seed, (hex) => `${hex} `),
  'hexadecimal with colons': (text, seed) => bytesAs(text, seed, (hex, index) => (index === 0 ? hex : `:${hex}`)),
  'hexadecimal in lines': (text, seed) =>
    bytesAs(text, seed, (hex, index) => (index > 0 && index % 16 === 0 ? `\n ${hex}` : ` ${hex}`)),
  'base64': (text) => Buffer.from(text).toString('base64'),
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 in a form': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  'base64 in lines': (text, seed) =>
    Buffer.from(text).toString('base64').replace(new RegExp(`.{${4 + (seed % 73)}}`, 'g'), '$&\n'),
  'base64 of base64': (text) => Buffer.from(Buffer.from(text).toString('base64')).toString('base64'),
  'UTF-16': (text) => (/^[\x01-\x7f]*$/.test(text) ? Buffer.from(text, 'utf16le') : text),
  'with a carriage return in the middle': (text, seed) =>
    Array.from(text, (char, index) => (index === 1 + (seed % 7) ? `\r${char}` : char)).join(''),
};

/** Each letter in capitals, or not. */
const either = (hex: string, seed: number): string =>
  Array.from(hex, (digit, index) => ((seed >> (index % 8)) % 2 === 1 ? digit.toUpperCase() : digit)).join('');

const bytesAs = (text: string, seed: number, write: (hex: string, index: number, byte: number) => string): string => (
  Array.from(Buffer.from(text),
    (byte, index) => write(either(byte.toString(16).padStart(2, '0'), seed + index), index, byte)).join('')
);

const unitsAs = (text: string, seed: number, write: (hex: string) => string): string => (
  Array.from({ length: text.length }, (_, index) => write(either(text.charCodeAt(index).toString(16), seed + index)))
    .join('')
);

/** A slow search: the ends of all matches of a pattern that begin here. */
export function endsOf({ spellings, mayLackFirst }: Pattern, bytes: Uint8Array, start: number): Set<number> {
  let reached = new Set([start]);
  for (const [index, spelling] of spellings.entries())
    reached = new Set(
      [...(index === 1 && mayLackFirst ? [start] : []), ...reached].flatMap((at) =>
        endsOfCharacter(spelling, bytes, at)
      ),
    );
  return reached;
}

function endsOfCharacter(place: Spelling, bytes: Uint8Array, at: number): number[] {
  const next = at < bytes.length ? place.next.get(bytes[at]!) : undefined;
  return [...(place.complete ? [at] : []), ...(next === undefined ? [] : endsOfCharacter(next, bytes, at + 1))];
}
