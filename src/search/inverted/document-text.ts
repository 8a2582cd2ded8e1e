import { Buffers, type InvertedKernel, MAX_FORM_BYTES } from '../../kernels/inverted.ts';
import { CLASS_SHIFT, lookUp, TokenClass, tokenTables } from '../../text/token-tables.ts';
import { beginsName, tokenize } from '../../text/tokenize.ts';
import { checkField, type Field } from './fields.ts';

/** A token from the caller: its form, and its position in the field. Several may share a position. */
export interface FormAt {
  readonly form: string;
  readonly position: number;
}

/**
 * A value of a field: prose that the index tokenises, or tokens (of code) from the caller, whose positions must not
 * descend. A field may have several values; phrases do not extend from one to the next.
 */
export type FieldText = { readonly field: Field; readonly text: string } | { readonly field: Field;
  readonly tokens: readonly FormAt[] };

/** Gap of positions between two values: more than any slop. */
export const VALUE_GAP = 10_000;
/** Beyond this position, values have no gap between them, so that positions fit in 32 bits. */
const LAST_START = 0x4000_0000;
const MAX_POSITION = 0x0fff_ffff;

/** The kernel processes this many times more text than the host, or than tokens of a list, in the same time. */
const HOST_SHARE = 8;
/** Units of text after a piece that a word at its end may need: its own bytes, and one more code point. */
const LOOKAHEAD = 512;

/** Throws a RangeError when a document cannot be indexed; the index is unchanged then. */
export function checkFields(fields: readonly FieldText[]): void {
  for (const value of fields) {
    if (typeof value.field === 'number') checkField(value.field);
    if ('tokens' in value) checkPositions(value.tokens);
  }
}

function checkPositions(tokens: readonly FormAt[]): void {
  let last = 0;
  for (const { position } of tokens) {
    if (!(Number.isInteger(position) && position >= last && position <= MAX_POSITION))
      throw new RangeError(
        `positions of tokens are integers that ascend or stay, up to ${MAX_POSITION}; got ${position} behind ${last}`,
      );
    last = position;
  }
}

/**
 * Passes the tokens of a document's fields to the kernel, in the order that it requires; each step processes about
 * `amount` UTF-16 units of text.
 */
export function* addFields(kernel: InvertedKernel, fields: readonly FieldText[], numberOf: (field: Field) => number,
  amount: number): Generator<undefined, void>
{
  const numbers = fields.map(({ field }) => numberOf(field));
  let last = -1;
  let next = 0;
  for (const i of inOrder(numbers)) {
    const [value, number] = [fields[i]!, numbers[i]!];
    if (number !== last) next = 0;
    last = number;
    kernel.call.openField(number);
    const whole = 'text' in value ? addWhole(kernel, value.text, next, amount) : undefined;
    const end: number = whole ??
      (yield* 'tokens' in value
        ? addTokens(kernel, value.tokens, next, amount)
        : addText(kernel, value.text, next, amount));
    if (end > next) next = Math.max(end, Math.min(end + VALUE_GAP, LAST_START));
  }
}

/** Indexes in ascending order of their numbers; most lists are already in order. */
function inOrder(numbers: readonly number[]): number[] {
  const indexes = numbers.map((_, i) => i);
  const isSorted = numbers.every((number, i) => i === 0 || numbers[i - 1]! <= number);
  return isSorted ? indexes : indexes.sort((a, b) => numbers[a]! - numbers[b]!);
}

/**
 * The same as `addText`, for a text of one piece that needs no function of the host, as nearly all texts are; for other
 * texts, returns undefined and does nothing.
 */
function addWhole(kernel: InvertedKernel, text: string, start: number, amount: number): number | undefined {
  if (text.length === 0 || text.length > amount) return text.length === 0 ? start : undefined;
  const { at, length } = kernel.input(text);
  const stop = at + length;
  const host = kernel.call.hostStart(at, stop);
  return host < stop ? undefined : kernel.call.tokenizeText(at, stop, host, start);
}

/**
 * Adds a text whose first token has the position `start`; returns the position after the last token. Tokenisers keep no
 * state between words, so a text is split into pieces, and each is tokenised by the kernel or the host.
 */
function* addText(kernel: InvertedKernel, text: string, start: number, amount: number): Generator<undefined, number> {
  const { call } = kernel;
  let position = start;
  for (let from = 0; from < text.length;) {
    if (from > 0) yield;
    // A full stop that ends a word does not begin the next, which cannot be seen from its own piece.
    if (text[from] === '.' && !beginsName(text, from)) {
      from++;
      continue;
    }
    const cut = afterPair(text, from + amount);
    const { at, stop, end } = inputPiece(kernel, text, from, cut);
    const host = call.hostStart(at, end);
    if (host > at) position = call.tokenizeText(at, Math.min(stop, host), host, position);
    if (host >= stop) from = cut + unitsOf(kernel.bytes.subarray(stop, Math.max(stop, call.textAt())));
    else {
      from += unitsOf(kernel.bytes.subarray(at, host));
      const behind = wordBoundary(text, from, Math.ceil(amount / HOST_SHARE));
      position = yield* addTokens(kernel, tokenize(text.slice(from, behind)), position, amount);
      from = behind;
    }
  }
  return position;
}

/** Copies a piece of a text to the kernel, followed by the text that a word at its end may need. */
function inputPiece(kernel: InvertedKernel, text: string, from: number,
  cut: number): { readonly at: number; readonly stop: number; readonly end: number }
{
  if (from > 0 || cut < text.length)
    return kernel.inputParts(text.slice(from, cut), text.slice(cut, afterPair(text, cut + LOOKAHEAD)));
  const { at, length } = kernel.input(text);
  return { at, stop: at + length, end: at + length };
}

/** The offset, or the next one if it would split a surrogate pair. */
function afterPair(text: string, offset: number): number {
  const parts = offset < text.length && isLowSurrogate(text, offset) &&
    (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800;
  return parts ? offset + 1 : Math.min(offset, text.length);
}

function isLowSurrogate(text: string, offset: number): boolean {
  return (text.charCodeAt(offset) & 0xfc00) === 0xdc00;
}

/** Number of UTF-16 units of a UTF-8 text. */
function unitsOf(bytes: Uint8Array): number {
  let units = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  return units;
}

/** The last offset in the next `amount` units that is between words; otherwise the first one after them, or the end. */
function wordBoundary(text: string, from: number, amount: number): number {
  const tables = tokenTables();
  // Signs may belong to the word before them.
  const separates = (offset: number) =>
    !isLowSurrogate(text, offset) && text[offset] !== '+' && text[offset] !== '#' &&
    lookUp(tables, text.codePointAt(offset)!) >>> CLASS_SHIFT === TokenClass.separator;
  if (from + amount >= text.length) return text.length;
  for (let offset = from + amount; offset > from; offset--) if (separates(offset)) return offset;
  for (let offset = from + amount + 1; offset < text.length; offset++) if (separates(offset)) return offset;
  return text.length;
}

function* addTokens(kernel: InvertedKernel, tokens: readonly FormAt[], start: number,
  amount: number): Generator<undefined, number>
{
  const atOnce = Math.ceil(amount / HOST_SHARE);
  for (let from = 0; from < tokens.length; from += atOnce) {
    if (from > 0) yield;
    const bytes = tokenBytes(tokens.slice(from, from + atOnce), start);
    const at = kernel.write(Buffers.input, bytes);
    kernel.call.addTokens(at, at + bytes.length);
  }
  return tokens.length === 0 ? start : start + tokens.at(-1)!.position + 1;
}

/**
 * Encodes tokens for the kernel: varint position, varint length, UTF-8. Empty forms are omitted, long ones truncated.
 */
export function tokenBytes(tokens: readonly FormAt[], start: number): Uint8Array {
  const forms = tokens.map(({ form }) => utf8Of(form));
  const bytes = Buffer.allocUnsafe(forms.reduce((sum, form) => sum + form.length + 10, 0));
  let end = 0;
  for (const [i, form] of forms.entries()) {
    if (form.length === 0) continue;
    end = putVarint(bytes, end, start + tokens[i]!.position);
    end = putVarint(bytes, end, form.length);
    end += form.copy(bytes, end);
  }
  return bytes.subarray(0, end);
}

function utf8Of(form: string): Buffer {
  const bytes = Buffer.from(form);
  if (bytes.length <= MAX_FORM_BYTES) return bytes;
  let end = MAX_FORM_BYTES;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

function putVarint(bytes: Buffer, at: number, value: number): number {
  while (value >= 0x80) {
    bytes[at++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  bytes[at] = value;
  return at + 1;
}
