import { CLASS_SHIFT, lookUp, TokenClass, tokenTables } from '../token-tables.ts';
import { MAX_TOKEN_BYTES, type Token, tokenize } from '../tokenize.ts';

const IDENTIFIERS_AT_ONCE = 512;

/** Letters, digits, `_` and `$`, and hyphens between them, as in the names of CSS and HTML. */
const IDENTIFIER = /[\p{L}\p{M}\p{N}_$]+(?:-+[\p{L}\p{M}\p{N}_$]+)*/gu;

/**
 * The parts of an identifier: capitals that are not followed by a lower-case letter (`HTTP` of `HTTPServer`),
 * lower-case letters with the capital before them, digits. Letters without case count as lower-case.
 */
const PART =
  /(?:[\p{Lu}\p{Lt}]\p{M}*)+(?![\p{M}\p{Ll}\p{Lo}\p{Lm}])|(?:[\p{Lu}\p{Lt}]\p{M}*)?(?:[\p{Ll}\p{Lo}\p{Lm}]\p{M}*)+|\p{N}+/gu;

/**
 * The tokens of source code (contract, "Code documents"): each identifier as a whole, then its parts if they differ
 * from it, split on camelCase, snake_case, kebab-case and at digits. Nothing is stemmed or omitted, not even single
 * characters and digits; forms are lowercased and in NFC.
 *
 * The parts share the position of their identifier, so that a phrase counts identifiers; offsets are those of the part
 * itself, in bytes of the UTF-8 text. An identifier of more than `MAX_TOKEN_BYTES` is data, not a name: only its parts
 * are emitted, divided if they are longer.
 *
 * A run that consists only of letters of a script without spaces is prose, as in comments, and is segmented into words.
 */
export function tokenizeCode(text: string): Token[] {
  return [...tokenizeCodeInPieces(text)].flat();
}

/** The same in steps of a few hundred identifiers, about a millisecond each, for texts that would take seconds. */
export function* tokenizeCodeInPieces(text: string): Generator<Token[], void> {
  let tokens: Token[] = [];
  const bytes = new ByteOffsets(text);
  let position = 0;
  let identifiers = 0;
  for (const { 0: identifier, index } of text.matchAll(IDENTIFIER)) {
    position += emit(tokens, identifier, bytes.at(index), position);
    identifiers += 1;
    if (identifiers % IDENTIFIERS_AT_ONCE !== 0) continue;
    yield tokens;
    tokens = [];
  }
  yield tokens;
}

/** The forms by which an identifier is found, the whole one first. */
export function codeForms(text: string): string[] {
  return tokenizeCode(text).map(({ form }) => form);
}

/** Adds the tokens of an identifier, or of words without spaces; returns the number of their positions. */
function emit(tokens: Token[], identifier: string, start: number, position: number): number {
  if (isSpaceless(identifier)) {
    const words = tokenize(identifier);
    for (const word of words)
      tokens.push({
        start: start + word.start,
        end: start + word.end,
        form: word.form,
        position: position + word.position,
      });
    return words.length;
  }
  const size = Buffer.byteLength(identifier);
  if (size <= MAX_TOKEN_BYTES) tokens.push({ start, end: start + size, form: formOf(identifier), position });
  emitParts(tokens, identifier, start, position);
  return 1;
}

/** Whether all letters are of scripts that are written without spaces. */
function isSpaceless(identifier: string): boolean {
  if (identifier.charCodeAt(0) < 0x80) return false;
  const tables = tokenTables();
  return [...identifier].every((character) => {
    const kind = lookUp(tables, character.codePointAt(0)!) >>> CLASS_SHIFT;
    return kind === TokenClass.segmented || kind === TokenClass.extend || kind === TokenClass.composing;
  });
}

function emitParts(tokens: Token[], identifier: string, start: number, position: number): void {
  const bytes = new ByteOffsets(identifier);
  const short = Buffer.byteLength(identifier) <= MAX_TOKEN_BYTES;
  for (const { 0: part, index } of identifier.matchAll(PART)) {
    if (short && part === identifier) return; // the whole is emitted already
    let from = start + bytes.at(index);
    for (const piece of piecesOf(part)) {
      const end = from + Buffer.byteLength(piece);
      tokens.push({ start: from, end, form: formOf(piece), position });
      from = end;
    }
  }
}

/** Divides a part into pieces of at most `MAX_TOKEN_BYTES` bytes, between characters. */
function piecesOf(part: string): string[] {
  if (part.length * 3 <= MAX_TOKEN_BYTES || Buffer.byteLength(part) <= MAX_TOKEN_BYTES) return [part];
  const pieces = [''];
  let size = 0;
  for (const character of part) {
    const width = Buffer.byteLength(character);
    if (size + width > MAX_TOKEN_BYTES) {
      pieces.push('');
      size = 0;
    }
    pieces[pieces.length - 1] += character;
    size += width;
  }
  return pieces;
}

function formOf(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

/** Converts ascending offsets in UTF-16 units into offsets in bytes. */
class ByteOffsets {
  readonly #text: string;
  #units = 0;
  #bytes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  at(units: number): number {
    this.#bytes += Buffer.byteLength(this.#text.slice(this.#units, units));
    this.#units = units;
    return this.#bytes;
  }
}
