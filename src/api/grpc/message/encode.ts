import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type FieldPlan, type Kind, type MessagePlan, WIRE_TYPES } from './plan.ts';
import { writeStruct, writeValue } from './well-known.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Encodes a value in JSON form as a message. Absent and null fields are not written, nor is the zero of a scalar
 * without presence. Throws if the value does not fit, which is a bug of the code that made it.
 */
export function encodeMessage(value: unknown, plan: MessagePlan): Buffer {
  const writer = new BinaryWriter();
  writeFields(writer, value, plan);
  const { buffer, byteOffset, byteLength } = writer.finish();
  return Buffer.from(buffer, byteOffset, byteLength);
}

function writeFields(writer: BinaryWriter, value: unknown, plan: MessagePlan): void {
  const fields = toFields(value, plan);
  for (const field of plan.fields) {
    const given = fields[field.name];
    if (given === undefined || given === null) continue;
    if (field.shape === 'one') writeOne(writer, field, given);
    else if (field.shape === 'list') writeList(writer, field, given as readonly unknown[]);
    else writeMap(writer, field, given as Fields);
  }
}

function toFields(value: unknown, plan: MessagePlan): Fields {
  if (plan.form === 'object') return value as Fields;
  if (plan.form !== 'union') return { values: value };
  const member = plan.fields.find(({ kind }) => suits(kind, value));
  if (member === undefined) throw new TypeError(`${plan.name} cannot hold a value of type ${typeof value}`);
  return { [member.name]: value };
}

/** Which member of a union a value belongs to, by its type. */
function suits(kind: Kind, value: unknown): boolean {
  if (kind === 'string') return typeof value === 'string';
  if (kind === 'bool') return typeof value === 'boolean';
  if (kind === 'struct' || kind === 'message') return typeof value === 'object';
  return typeof value === 'number' && kind !== 'bytes';
}

function writeOne(writer: BinaryWriter, field: FieldPlan, value: unknown): void {
  if (!field.presence && isZero(value)) return;
  writer.tag(field.number, WIRE_TYPES[field.kind]);
  write(writer, field, value);
}

const isZero = (value: unknown): boolean =>
  value === '' || value === false || Object.is(value, 0) || (value instanceof Uint8Array && value.length === 0);

function writeList(writer: BinaryWriter, field: FieldPlan, items: readonly unknown[]): void {
  if (items.length === 0) return;
  const wireType = WIRE_TYPES[field.kind];
  if (wireType !== WireType.LengthDelimited) {
    writer.tag(field.number, WireType.LengthDelimited).fork();
    for (const item of items) write(writer, field, item);
    writer.join();
    return;
  }
  for (const item of items) {
    writer.tag(field.number, wireType);
    write(writer, field, item);
  }
}

function writeMap(writer: BinaryWriter, field: FieldPlan, entries: Fields): void {
  for (const [key, value] of Object.entries(entries)) {
    if (value === undefined || value === null) continue;
    writer.tag(field.number, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key.toWellFormed());
    writer.tag(2, WIRE_TYPES[field.kind]);
    write(writer, field, value);
    writer.join();
  }
}

function write(writer: BinaryWriter, field: FieldPlan, value: unknown): void {
  switch (field.kind) {
    // A lone surrogate has no UTF-8 encoding.
    case 'string':
      writer.string((value as string).toWellFormed());
      break;
    case 'bytes':
      writer.bytes(value as Uint8Array);
      break;
    case 'bool':
      writer.bool(value as boolean);
      break;
    case 'int32':
      writer.int32(value as number);
      break;
    case 'uint32':
      writer.uint32(value as number);
      break;
    case 'int64':
      writer.int64(value as number);
      break;
    case 'uint64':
      writer.uint64(value as number);
      break;
    case 'double':
      writer.double(value as number);
      break;
    case 'float':
      writer.float(value as number);
      break;
    default:
      writeNested(writer, field, value);
  }
}

function writeNested(writer: BinaryWriter, { kind, message }: FieldPlan, value: unknown): void {
  writer.fork();
  if (kind === 'struct') writeStruct(writer, value as Fields);
  else if (kind === 'value') writeValue(writer, value);
  else writeFields(writer, value, message!);
  writer.join();
}
