import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../../errors/index.ts';
import { decodeUtf8Escaping } from '../../../lib/bytes.ts';
import { setOwn } from '../../../lib/json-in-steps.ts';
import { MAX_KEYS } from '../../../lib/json-scanner.ts';
import { Pace } from '../../../lib/pace.ts';
import { type FieldPlan, type MessagePlan, WIRE_TYPES } from './plan.ts';
import { endOf, readStruct, readValue } from './well-known.ts';

/** Nesting depth of messages; deeper ones could exhaust the stack. */
const MAX_DEPTH = 100;

type Fields = Record<string, unknown>;

export interface DecodeOptions {
  readonly repairText?: boolean;
  /** Most values of the input; a message has up to four fields for each. */
  readonly maxValues?: number | undefined;
}

const FIELDS_PER_VALUE = 4;

/** As many values as the operations with the longest lists take. */
const MAX_VALUES = 1_000_000;

/** A message of more bytes is decoded in steps. */
const AT_ONCE_BYTES = 64 * 1024;

/**
 * Decodes a message into the form that JSON would have. Fields that are not on the wire are absent from the result, so
 * presence is kept. Unknown fields are ignored, because a later version may have them. With `repairText`, bytes that
 * are not UTF-8 become lone surrogates, which the operation finds and repairs. Errors: 400
 * `invalid_argument`, naming the field if there is one.
 */
export function decodeMessage(bytes: Uint8Array, plan: MessagePlan, options: DecodeOptions = {}): unknown {
  const reader = new CountingReader(bytes, options);
  return naming(() => readMessage(reader, bytes.length, plan, undefined, 0));
}

/** The same, with rests between the fields of a long message. */
export async function decodeInSteps(bytes: Uint8Array, plan: MessagePlan, options: DecodeOptions): Promise<unknown> {
  if (bytes.length <= AT_ONCE_BYTES) return decodeMessage(bytes, plan, options);
  const reader = new CountingReader(bytes, options);
  const pace = new Pace();
  const fields: Fields = {};
  while (reader.pos < bytes.length) {
    naming(() => readNext(reader, bytes.length, plan, fields, 0));
    if (pace.isDue) await pace.rest();
  }
  return shownAs(plan, fields);
}

function naming<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw malformed((error as Error).message, error);
  }
}

/** Counts fields, so that a message of a few megabytes does not become millions of values. */
class CountingReader extends BinaryReader {
  readonly #maxValues: number;
  readonly #entries = new WeakMap<object, number>();
  #count = 0;

  constructor(bytes: Uint8Array, { repairText = false, maxValues = MAX_VALUES }: DecodeOptions) {
    super(bytes, repairText ? escapingText : strictText);
    this.#maxValues = maxValues;
  }

  override tag(): ReturnType<BinaryReader['tag']> {
    this.count();
    return super.tag();
  }

  /** Counts an entry of a map, which must not have more than an object of JSON. */
  countEntry(map: object, { name }: FieldPlan): void {
    const entries = (this.#entries.get(map) ?? 0) + 1;
    if (entries > MAX_KEYS)
      throw new ServiceError('invalid_argument', `${name} must not have more than ${MAX_KEYS} fields`);
    this.#entries.set(map, entries);
  }

  count(): void {
    this.#count += 1;
    if (this.#count > this.#maxValues * FIELDS_PER_VALUE)
      throw new ServiceError('invalid_argument',
        `the message must not have more than ${this.#maxValues} values; send less at once`);
  }
}

function malformed(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_argument', `malformed message: ${reason}`, { cause });
}

function strictText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw malformed('text must be valid UTF-8');
  return toBuffer(bytes).toString('utf8');
}

const escapingText = (bytes: Uint8Array): string => decodeUtf8Escaping(toBuffer(bytes));

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Decodes up to `end`. A message that occurs twice is merged into the first one, as the format requires. */
function readMessage(reader: CountingReader, end: number, plan: MessagePlan, before: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw malformed(`nested deeper than ${MAX_DEPTH} levels`);
  const fields = fieldsOf(plan, before);
  while (reader.pos < end) readNext(reader, end, plan, fields, depth);
  return shownAs(plan, fields);
}

function readNext(reader: CountingReader, end: number, plan: MessagePlan, fields: Fields, depth: number): void {
  const [number, wireType] = reader.tag();
  const field = plan.byNumber.get(number);
  if (field === undefined) skip(reader, wireType);
  else readField(reader, wireType, field, fields, { plan, depth });
  if (reader.pos > end) throw malformed(`a field reaches beyond the end of ${plan.name}`);
}

/** Returns the fields that were decoded before from their JSON form. */
function fieldsOf(plan: MessagePlan, before: unknown): Fields {
  if (before === undefined) return {};
  return plan.form === 'list' || plan.form === 'map'
    ? { values: before }
    : plan.form === 'union'
    ? {}
    : (before as Fields);
}

function shownAs(plan: MessagePlan, fields: Fields): unknown {
  switch (plan.form) {
    case 'object':
      return fields;
    case 'list':
      return fields['values'] ?? [];
    case 'map':
      return fields['values'] ?? {};
    case 'union':
      return Object.values(fields)[0];
  }
}

/** Groups are obsolete, and may be nested without limit. */
function skip(reader: BinaryReader, wireType: WireType): void {
  if (wireType === WireType.StartGroup || wireType === WireType.EndGroup) throw malformed('groups are not supported');
  reader.skip(wireType);
}

interface Place {
  readonly plan: MessagePlan;
  readonly depth: number;
}

function readField(reader: CountingReader, wireType: WireType, field: FieldPlan, fields: Fields, place: Place): void {
  if (field.shape === 'map') {
    requireType(wireType, WireType.LengthDelimited, field, place);
    readEntry(reader, field, (fields[field.name] ??= {}) as Fields, place.depth);
    return;
  }
  if (field.shape === 'list') {
    readItems(reader, wireType, field, (fields[field.name] ??= []) as unknown[], place);
    return;
  }
  requireType(wireType, WIRE_TYPES[field.kind], field, place);
  const value = readOne(reader, field, fields[field.name], place.depth);
  for (const rival of field.rivals) delete fields[rival];
  if (value !== undefined) fields[field.name] = value;
}

/** Repeated numbers may be packed or not, as the writer prefers. */
function readItems(reader: CountingReader, wireType: WireType, field: FieldPlan, items: unknown[], place: Place): void {
  const expected = WIRE_TYPES[field.kind];
  if (wireType === WireType.LengthDelimited && expected !== WireType.LengthDelimited) {
    const end = endOf(reader);
    while (reader.pos < end) {
      reader.count();
      items.push(readOne(reader, field, undefined, place.depth));
    }
    if (reader.pos > end) throw malformed(`${field.name} does not end with a number`);
    return;
  }
  requireType(wireType, expected, field, place);
  items.push(readOne(reader, field, undefined, place.depth));
}

/** An entry of a map is a message of a key and a value; either may be absent. */
function readEntry(reader: CountingReader, field: FieldPlan, entries: Fields, depth: number): void {
  const end = endOf(reader);
  reader.countEntry(entries, field);
  let key = '';
  let value: unknown;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = reader.string();
    else if (number === 2 && wireType === WIRE_TYPES[field.kind]) value = readOne(reader, field, value, depth);
    else if (number <= 2) throw malformed(`${field.name} has an entry of another type`);
    else skip(reader, wireType);
  }
  if (reader.pos > end) throw malformed(`an entry of ${field.name} reaches beyond its end`);
  setOwn(entries, key, value ?? zeroOf(field));
}

function zeroOf({ kind, message }: FieldPlan): unknown {
  if (kind === 'message') return shownAs(message!, {});
  return kind === 'string'
    ? ''
    : kind === 'bool'
    ? false
    : kind === 'bytes'
    ? new Uint8Array()
    : kind === 'struct'
    ? {}
    : kind === 'value'
    ? null
    : 0;
}

function requireType(actual: WireType, expected: WireType, field: FieldPlan, { plan }: Place): void {
  if (actual !== expected)
    throw malformed(`${field.name} of ${plan.name} has wire type ${actual}, expected ${expected}`);
}

function readOne(reader: CountingReader, field: FieldPlan, before: unknown, depth: number): unknown {
  switch (field.kind) {
    case 'string':
      return reader.string();
    case 'bytes':
      return reader.bytes();
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'uint32':
      return reader.uint32();
    // As JSON has them: beyond 2^53, for example for nanosecond timestamps, the nearest number that it can represent.
    case 'int64':
      return Number(reader.int64());
    case 'uint64':
      return Number(reader.uint64());
    case 'double':
      return reader.double();
    case 'float':
      return reader.float();
    case 'struct':
      return readStruct(reader, endOf(reader), depth + 1);
    case 'value':
      return readValue(reader, endOf(reader), depth + 1);
    case 'message':
      return readMessage(reader, endOf(reader), field.message!, before, depth + 1);
  }
}
