/** Events that a reader of RTF receives, in order. */
export interface RtfHandler {
  open(): void;
  close(): void;
  /** A control word and its number, or a control symbol such as `~`. */
  control(word: string, parameter: number | undefined): void;
  /** Bytes of text in the current encoding; the array is valid only during the call. */
  bytes(bytes: Uint8Array): void;
  /** One byte written as `\'hh`. */
  byte(value: number): void;
}

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MAX_WORD = 32;

/**
 * Reads the tokens of RTF (version 1.9.1) from bytes, in one pass without backtracking. Line ends are not text; the
 * data of `\bin` is skipped.
 */
export function readTokens(source: Uint8Array, handler: RtfHandler): void {
  for (let at = 0; at < source.length;) {
    const byte = source[at]!;
    if (byte === OPEN) handler.open();
    else if (byte === CLOSE) handler.close();
    else if (byte === BACKSLASH) {
      at = readControl(source, at + 1, handler);
      continue;
    } else if (byte !== 0x0a && byte !== 0x0d && byte !== 0) {
      const end = textEnd(source, at);
      handler.bytes(source.subarray(at, end));
      at = end;
      continue;
    }
    at += 1;
  }
}

function textEnd(source: Uint8Array, start: number): number {
  let at = start;
  while (at < source.length) {
    const byte = source[at]!;
    if (byte === BACKSLASH || byte === OPEN || byte === CLOSE || byte === 0x0a || byte === 0x0d || byte === 0) break;
    at += 1;
  }
  return at;
}

/** Reads what follows a backslash; returns where the next token starts. */
function readControl(source: Uint8Array, start: number, handler: RtfHandler): number {
  let at = start;
  if (at >= source.length) return at;
  if (!isLetter(source[at]!)) {
    const symbol = String.fromCharCode(source[at]!);
    if (symbol !== "'") {
      handler.control(symbol === '\n' || symbol === '\r' ? 'par' : symbol, undefined);
      return at + 1;
    }
    const value = Number.parseInt(String.fromCharCode(source[at + 1] ?? 0, source[at + 2] ?? 0), 16);
    if (!Number.isNaN(value)) handler.byte(value);
    return at + 3;
  }
  while (at < source.length && at - start < MAX_WORD && isLetter(source[at]!)) at += 1;
  const word = String.fromCharCode(...source.subarray(start, at));
  const digits = at;
  if (source[at] === 0x2d) at += 1;
  while (at < source.length && at - digits < 12 && source[at]! >= 0x30 && source[at]! <= 0x39) at += 1;
  const parameter = at === digits ? undefined : Number(String.fromCharCode(...source.subarray(digits, at))) || 0;
  if (source[at] === 0x20) at += 1;
  if (word === 'bin') return at + Math.max(0, parameter ?? 0);
  handler.control(word, parameter);
  return at;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}
