import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { WireType } from '@bufbuild/protobuf/wire';
import { setOwn } from '../../../lib/json-in-steps.ts';

/**
 * google.protobuf.Struct, Value and ListValue: JSON as protobuf writes it.
 *
 *   Struct     1: map<string, Value>
 *   Value      one of 1: null (0), 2: double, 3: string, 4: bool, 5: Struct, 6: ListValue
 *   ListValue  1: repeated Value
 */

/** The same limit as for other messages: each level of JSON takes two of them. */
const MAX_DEPTH = 200;

export function readStruct(reader: BinaryReader, end: number, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  each(reader, end, depth, () => {
    const entryEnd = endOf(reader);
    let key = '';
    let value: unknown = null;
    each(reader, entryEnd, depth, (number) => {
      if (number === 1) key = reader.string();
      else value = readValue(reader, endOf(reader), depth + 1);
    }, 2);
    setOwn(object, key, value);
  });
  return object;
}

export function readValue(reader: BinaryReader, end: number, depth: number): unknown {
  let value: unknown = null;
  each(reader, end, depth, (number) => {
    switch (number) {
      case 1:
        reader.int32();
        value = null;
        break;
      case 2:
        value = reader.double();
        break;
      case 3:
        value = reader.string();
        break;
      case 4:
        value = reader.bool();
        break;
      case 5:
        value = readStruct(reader, endOf(reader), depth + 1);
        break;
      default:
        value = readList(reader, endOf(reader), depth + 1);
    }
  }, 6);
  return value;
}

function readList(reader: BinaryReader, end: number, depth: number): unknown[] {
  const list: unknown[] = [];
  each(reader, end, depth, () => void list.push(readValue(reader, endOf(reader), depth + 1)));
  return list;
}

/** Wire types of `Value`, by number. In the other messages every field is length-delimited. */
const VALUE_TYPES: readonly WireType[] = [0, WireType.Varint, WireType.Bit64, WireType.LengthDelimited, WireType.Varint,
  WireType.LengthDelimited, WireType.LengthDelimited];

/** Calls `read` for each field from 1 to `known`, and skips the others. */
function each(reader: BinaryReader, end: number, depth: number, read: (number: number) => void,
  known: 1 | 2 | 6 = 1): void
{
  if (depth > MAX_DEPTH) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`);
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const expected = known === 6 ? VALUE_TYPES[number] : WireType.LengthDelimited;
    if (wireType === WireType.StartGroup || wireType === WireType.EndGroup)
      throw new RangeError('groups are not supported');
    if (number > known) reader.skip(wireType);
    else if (wireType !== expected)
      throw new RangeError(`wire type ${wireType} in google.protobuf.Value, expected ${expected}`);
    else read(number);
  }
  if (reader.pos > end) throw new RangeError('a value reaches beyond its end');
}

/** Reads a length, and returns the position where the data ends. */
export function endOf(reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('it ends too early');
  return end;
}

export function writeStruct(writer: BinaryWriter, object: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key.toWellFormed());
    writer.tag(2, WireType.LengthDelimited).fork();
    writeValue(writer, value);
    writer.join().join();
  }
}

export function writeValue(writer: BinaryWriter, value: unknown): void {
  if (value === null || value === undefined) writer.tag(1, WireType.Varint).int32(0);
  else if (typeof value === 'number') writer.tag(2, WireType.Bit64).double(value);
  else if (typeof value === 'string') writer.tag(3, WireType.LengthDelimited).string(value.toWellFormed());
  else if (typeof value === 'boolean') writer.tag(4, WireType.Varint).bool(value);
  else if (Array.isArray(value)) {
    writer.tag(6, WireType.LengthDelimited).fork();
    for (const item of value) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeValue(writer, item);
      writer.join();
    }
    writer.join();
  } else {
    writer.tag(5, WireType.LengthDelimited).fork();
    writeStruct(writer, value as Record<string, unknown>);
    writer.join();
  }
}
