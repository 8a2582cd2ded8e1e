import { FIELD_COUNT, type InvertedKernel, MAX_FORM_BYTES } from '../../kernels/inverted.ts';
import { tokenize } from '../../text/tokenize.ts';

/** A token that the caller made: its form, and its position in the field. Several may share a position. */
export interface FormAt {
  readonly form: string;
  readonly position: number;
}

/**
 * A value of a field: prose that the index tokenises, or tokens (of code) that the caller made, whose positions do not
 * descend. A field may have several values; phrases don't reach from one to the next.
 */
export type FieldText = { readonly field: number; readonly text: string } | { readonly field: number; readonly tokens: readonly FormAt[] };

/** Positions between two values of a field: more than any slop. */
export const VALUE_GAP = 10_000;
/** Positions have 29 bits. */
const MAX_POSITION = 0x1fff_ffff;

/** Throws a RangeError when a document cannot be indexed as it is; nothing has happened then. */
export function checkFields(fields: readonly FieldText[]): void {
  for (const value of fields) {
    if (!(Number.isInteger(value.field) && value.field >= 0 && value.field < FIELD_COUNT)) throw new RangeError(`a field is a number from 0 to ${FIELD_COUNT - 1}, got ${value.field}`);
    if ('tokens' in value) checkPositions(value.tokens);
  }
}

function checkPositions(tokens: readonly FormAt[]): void {
  let last = 0;
  for (const { position } of tokens) {
    if (!(Number.isInteger(position) && position >= last && position <= MAX_POSITION / 2)) throw new RangeError(`positions of tokens are integers that do not descend, got ${position} behind ${last}`);
    last = position;
  }
}

/** Gives the tokens of a document's fields to the kernel, in the order that it wants. */
export function addFields(kernel: InvertedKernel, fields: readonly FieldText[]): void {
  const next = new Array<number>(FIELD_COUNT).fill(0);
  for (const value of [...fields].sort((a, b) => a.field - b.field)) {
    const start = next[value.field]!;
    const end = 'tokens' in value ? addTokens(kernel, value.field, value.tokens, start) : addText(kernel, value.field, value.text, start);
    if (end > start) next[value.field] = end + VALUE_GAP;
  }
}

/** Adds a text whose first token has a position; gives the position behind the last. */
function addText(kernel: InvertedKernel, field: number, text: string, start: number): number {
  const { at, length } = kernel.input(text);
  if (kernel.call.needsHost(at, at + length) === 0) return kernel.call.tokenizeText(field, at, at + length, start);
  return addTokens(kernel, field, tokenize(text), start);
}

function addTokens(kernel: InvertedKernel, field: number, tokens: readonly FormAt[], start: number): number {
  const bytes = tokenBytes(tokens, start);
  const at = kernel.write(0, bytes);
  kernel.call.addTokens(field, at, at + bytes.length);
  return tokens.length === 0 ? start : start + tokens.at(-1)!.position + 1;
}

/** Tokens as the kernel reads them: varint position, varint length, UTF-8. Empty forms are left out, long ones cut. */
function tokenBytes(tokens: readonly FormAt[], start: number): Uint8Array {
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
