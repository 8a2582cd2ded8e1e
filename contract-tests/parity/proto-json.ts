import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { Inexpressible } from './driver.ts';

/*
 * Converts between JSON in REST's form and in protobuf's form. Written from the descriptors alone and independent of
 * the server's codec, so that the two cannot have the same bug.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A message that represents a list or a map, and exists only because maps and presence need a message. */
function wrapped(message: DescMessage): DescField | undefined {
  const [field] = message.fields;
  return message.fields.length === 1 && field!.name === 'values' &&
      (field!.fieldKind === 'list' || field!.fieldKind === 'map')
    ? field
    : undefined;
}

const isUnion = ({ fields, oneofs }: DescMessage): boolean =>
  oneofs.length === 1 && oneofs[0]!.name === 'value' && oneofs[0]!.fields.length === fields.length;
const isFree = ({ typeName }: DescMessage): boolean =>
  typeName === 'google.protobuf.Struct' || typeName === 'google.protobuf.Value';
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A request in protobuf's JSON. Throws `Inexpressible` for values that the message cannot represent. */
export function toProtoJson(message: DescMessage, value: unknown): JsonValue {
  if (isFree(message)) return freeJson(message, value);
  const wrapper = wrapped(message);
  if (wrapper !== undefined) return { values: fieldToProto(wrapper, value) };
  if (isUnion(message)) return memberOf(message, value);
  if (!isObject(value)) throw new Inexpressible(`${message.name} is an object`);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => {
    const field = message.fields.find(({ jsonName }) => jsonName === name);
    if (field === undefined) throw new Inexpressible(`${message.name} has no field ${name}`);
    return [name, fieldToProto(field, inner)];
  }));
}

function freeJson(message: DescMessage, value: unknown): JsonValue {
  if (message.typeName === 'google.protobuf.Struct' && !isObject(value))
    throw new Inexpressible('a Struct is an object');
  return value as JsonValue;
}

function memberOf(message: DescMessage, value: unknown): JsonObject {
  const member = message.fields.find((
    field,
  ) => (typeof value === 'string'
    ? field.scalar === ScalarType.STRING
    : typeof value === 'number'
    ? field.scalar === ScalarType.DOUBLE
    : field.message !== undefined && isObject(value))
  );
  if (member === undefined) throw new Inexpressible(`${message.name} has no place for ${typeof value}`);
  return { [member.jsonName]: fieldToProto(member, value) };
}

function fieldToProto(field: DescField, value: unknown): JsonValue {
  if (field.fieldKind === 'list') {
    if (!Array.isArray(value)) throw new Inexpressible(`${field.name} is a list`);
    if (value.length === 0 && field.parent.typeName.endsWith('Request'))
      throw new Inexpressible(`${field.name}: an empty list is an absent one`);
    return value.map((item) => oneToProto(field, item));
  }
  if (field.fieldKind === 'map') {
    if (!isObject(value)) throw new Inexpressible(`${field.name} is a map`);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), oneToProto(field, item)]));
  }
  return oneToProto(field, value);
}

function oneToProto(field: DescField, value: unknown): JsonValue {
  if (field.message !== undefined) return toProtoJson(field.message, value);
  const wanted = field.scalar === ScalarType.STRING
    ? 'string'
    : field.scalar === ScalarType.BOOL
    ? 'boolean'
    : 'number';
  if (typeof value !== wanted) throw new Inexpressible(`${field.name} is a ${wanted}`);
  if (INTEGERS.has(field.scalar!) && !Number.isSafeInteger(value))
    throw new Inexpressible(`${field.name} is an integer`);
  if (SHORT.has(field.scalar!) && Math.abs(value as number) > 2 ** 31 - 1)
    throw new Inexpressible(`${field.name} has 32 bits`);
  return typeof value === 'string' ? wellFormed(value) : (value as number | boolean);
}

const SHORT = new Set([ScalarType.INT32, ScalarType.UINT32]);
const INTEGERS = new Set([...SHORT, ScalarType.INT64, ScalarType.UINT64]);

/** Protobuf's text is UTF-8. */
function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new Inexpressible('text is valid Unicode');
  return text;
}

/** A response in REST's form, except that fields without presence are always there (`withDefaults`). */
export function fromProtoJson(message: DescMessage, value: JsonValue): unknown {
  if (isFree(message)) return value;
  const wrapper = wrapped(message);
  if (wrapper !== undefined) return fieldFromProto(wrapper, (value as JsonObject)['values']!);
  const fields = Object.entries(value as JsonObject).map(([name, inner]) =>
    [name, fieldFromProto(message.fields.find(({ jsonName }) => jsonName === name)!, inner)] as const
  );
  return isUnion(message) ? fields[0]?.[1] : Object.fromEntries(fields);
}

function fieldFromProto(field: DescField, value: JsonValue): unknown {
  if (field.fieldKind === 'list') return (value as JsonValue[]).map((item) => oneFromProto(field, item));
  if (field.fieldKind === 'map')
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, item]) => [key, oneFromProto(field, item)]),
    );
  return oneFromProto(field, value);
}

function oneFromProto(field: DescField, value: JsonValue): unknown {
  if (field.message !== undefined) return fromProtoJson(field.message, value);
  return typeof value === 'string' && field.scalar !== ScalarType.STRING ? Number(value) : value;
}

/**
 * A response of REST in the form of a message: a field without presence is zero if REST omits it or has null. A field
 * that the message lacks stays, so that it is reported as a difference.
 */
export function withDefaults(message: DescMessage, value: unknown): unknown {
  if (isFree(message)) return value;
  const wrapper = wrapped(message);
  if (wrapper !== undefined) return fieldWithDefaults(wrapper, value);
  if (isUnion(message) || !isObject(value)) return value;
  const known = message.fields.map((field) =>
    [field.jsonName,
      value[field.jsonName] == null ? zeroOf(field) : fieldWithDefaults(field, value[field.jsonName])] as const
  );
  const unknown = Object.entries(value).filter(([name]) => !message.fields.some(({ jsonName }) => jsonName === name));
  return Object.fromEntries([...known.filter(([, inner]) => inner !== undefined), ...unknown]);
}

function fieldWithDefaults(field: DescField, value: unknown): unknown {
  const { message } = field;
  if (message === undefined) return value;
  if (field.fieldKind === 'list') return (value as unknown[]).map((item) => withDefaults(message, item));
  if (field.fieldKind === 'map')
    return Object.fromEntries(Object.entries(value as Fields).map(([key, item]) => [key, withDefaults(message, item)]));
  return withDefaults(message, value);
}

function zeroOf(field: DescField): unknown {
  if (field.fieldKind === 'list') return [];
  if (field.fieldKind === 'map') return {};
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return undefined;
  return field.scalar === ScalarType.STRING ? '' : field.scalar === ScalarType.BOOL ? false : 0;
}
