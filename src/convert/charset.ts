import { isUtf8 } from 'node:buffer';
import { guessEncoding, orderOfUtf16 } from './guess-encoding.ts';

export interface Decoded {
  readonly text: string;
  /** Number of characters that were invalid in the encoding and were replaced by U+FFFD. */
  readonly repaired: number;
  /** The name of the encoding in the Encoding standard. */
  readonly encoding: string;
  /** What the reader must know: that the encoding was guessed, or that characters were lost. Complete sentences. */
  readonly warnings: readonly string[];
}

/**
 * Decodes bytes whose encoding is not certain. In this order: a byte order mark; UTF-16 by its NUL bytes; UTF-8 if the
 * bytes are valid UTF-8; the encoding that the file or its media type names; the one that a detector finds likeliest.
 * UTF-8 comes before a named encoding because text in another one is hardly ever valid UTF-8, and names are often
 * wrong; UTF-8 that is named is believed only for text that is UTF-8 for the most part.
 */
export function decodeText(bytes: Uint8Array, named?: string): Decoded {
  const bom = byteOrderMark(bytes);
  if (bom !== undefined) return decode(bytes, bom);
  const label = known(named);
  if (label === 'utf-16le' || label === 'utf-16be') return decode(bytes, label);
  const order = orderOfUtf16(bytes);
  if (order !== undefined) return decode(bytes, order, true);
  if (isUtf8(bytes) && label !== 'iso-2022-jp')
    return isIso2022Jp(bytes) ? decode(bytes, 'iso-2022-jp', true) : decode(bytes, 'utf-8');
  if (label !== undefined && label !== 'utf-8') return decode(bytes, label);
  return isMostlyUtf8(bytes) ? decode(bytes, 'utf-8') : decode(bytes, guessEncoding(bytes), true);
}

/** The charset of a media type, such as `text/html; charset=utf-8`. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s{0,20}charset\s{0,20}=\s{0,20}"?([^\s";]{1,40})/i.exec(contentType ?? '')?.[1];
}

/** Whether an encoding is supported by every runtime. */
export function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** Whether text has at most a few broken UTF-8 bytes, such as one that was cut off. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let multi = 0;
  let broken = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte < 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    if (length > 1 && isUtf8(bytes.subarray(i, i + length)) && i + length <= bytes.length) {
      multi += 1;
      i += length - 1;
    } else broken += 1;
  }
  return multi > broken * 4;
}

/** The sequences that switch to Japanese; text in ISO-2022-JP is ASCII otherwise, and so valid UTF-8. */
const TO_JAPANESE = ['\x1b$B', '\x1b$@'];

function isIso2022Jp(bytes: Uint8Array): boolean {
  if (!bytes.includes(0x1b)) return false;
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return TO_JAPANESE.some((sequence) => content.includes(sequence, 0, 'latin1'));
}

function decode(bytes: Uint8Array, encoding: string, guessed = false): Decoded {
  const decoded = new TextDecoder(encoding).decode(bytes);
  const replaced = encoding === 'utf-8' && isUtf8(bytes) ? 0 : count(decoded, '\ufffd');
  const nuls = count(decoded, '\0');
  const warnings = [...(guessed ? [`The file does not say its encoding; it was read as ${encoding}.`] : []),
    ...(replaced > 0 ? [`${characters(replaced)} not valid ${encoding}, and became U+FFFD.`] : []),
    ...(nuls > 0 ? [`${characters(nuls)} NUL, and left out.`] : [])];
  return { text: nuls > 0 ? decoded.replaceAll('\0', '') : decoded, encoding, repaired: replaced + nuls, warnings };
}

function characters(number: number): string {
  return number === 1 ? '1 character was' : `${number} characters were`;
}

function count(text: string, character: string): number {
  let number = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) number += 1;
  return number;
}
