import { isUtf8 } from 'node:buffer';

export interface Decoded {
  readonly text: string;
  /** Number of characters that were invalid in the encoding and were replaced by U+FFFD. */
  readonly repaired: number;
  /** The name of the encoding in the Encoding standard. */
  readonly encoding: string;
}

/**
 * Decodes bytes whose encoding is not certain. In this order: a byte order mark; UTF-8 if the bytes are valid UTF-8;
 * the encoding that the file or its media type names; windows-1252, in which every byte is valid. UTF-8 comes before a
 * named encoding because text in another one is hardly ever valid UTF-8, and names are often wrong.
 */
export function decodeText(bytes: Uint8Array, named?: string): Decoded {
  const bom = byteOrderMark(bytes);
  if (bom !== undefined) return decode(bytes, bom);
  const label = known(named);
  if (label === 'utf-16le' || label === 'utf-16be') return decode(bytes, label);
  if (isUtf8(bytes) && label !== 'iso-2022-jp') return decode(bytes, 'utf-8');
  return decode(bytes, label ?? unnamed(bytes));
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

/** Text with a few broken UTF-8 bytes, such as one that was cut off, counts as UTF-8; otherwise as windows-1252. */
function unnamed(bytes: Uint8Array): string {
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
  return multi > broken * 4 ? 'utf-8' : 'windows-1252';
}

function decode(bytes: Uint8Array, encoding: string): Decoded {
  const text = new TextDecoder(encoding).decode(bytes);
  return { text, encoding, repaired: encoding === 'utf-8' && isUtf8(bytes) ? 0 : replaced(text) };
}

function replaced(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count += 1;
  return count;
}
