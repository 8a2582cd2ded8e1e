import { createFileRegistry, type DescField, type DescMessage, type FileRegistry, fromBinary,
  ScalarType } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/** How a single value is encoded on the wire. `struct` and `value` are google.protobuf's own forms of JSON. */
export type Kind = 'string' | 'bytes' | 'bool' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'double' | 'float'
  | 'message' | 'struct' | 'value';

/** A field of a message, as the codec needs it. */
export interface FieldPlan {
  readonly number: number;
  /** Name in JSON, which is the name in the operation's input and output. */
  readonly name: string;
  readonly kind: Kind;
  readonly shape: 'one' | 'list' | 'map';
  /** False for a scalar whose zero equals absence. */
  readonly presence: boolean;
  /** The message of a field of kind `message`. */
  readonly message?: MessagePlan;
  /** Names of the other members of its oneof: setting it unsets them. */
  readonly rivals: readonly string[];
}

/**
 * A message, as the codec needs it. Messages that only exist because protobuf requires a wrapper are transparent: a
 * message whose only field is a list or a map named `values` is that list or map, and a message that is only a oneof
 * named `value` is the member that is set.
 */
export interface MessagePlan {
  readonly name: string;
  readonly form: 'object' | 'list' | 'map' | 'union';
  readonly fields: readonly FieldPlan[];
  readonly byNumber: ReadonlyMap<number, FieldPlan>;
}

/** The messages and services of an image that `buf build` made. */
export interface Schema {
  readonly files: FileDescriptorSet;
  readonly registry: FileRegistry;
  /** Returns the plan of a message by its full name; always the same object. */
  plan(message: DescMessage): MessagePlan;
}

const KINDS = new Map<ScalarType, Kind>([[ScalarType.STRING, 'string'], [ScalarType.BYTES, 'bytes'], [ScalarType.BOOL,
  'bool'], [ScalarType.INT32, 'int32'], [ScalarType.UINT32, 'uint32'], [ScalarType.INT64, 'int64'], [ScalarType.UINT64,
  'uint64'], [ScalarType.DOUBLE, 'double'], [ScalarType.FLOAT, 'float']]);

/** The wire type of each kind, unless it is packed. */
export const WIRE_TYPES: Readonly<Record<Kind, WireType>> = {
  string: WireType.LengthDelimited,
  bytes: WireType.LengthDelimited,
  message: WireType.LengthDelimited,
  struct: WireType.LengthDelimited,
  value: WireType.LengthDelimited,
  bool: WireType.Varint,
  int32: WireType.Varint,
  uint32: WireType.Varint,
  int64: WireType.Varint,
  uint64: WireType.Varint,
  double: WireType.Bit64,
  float: WireType.Bit32,
};

const WELL_KNOWN = new Map<string, Kind>([['google.protobuf.Struct', 'struct'], ['google.protobuf.Value', 'value']]);

/**
 * Reads an image. Throws if it contains something that the codec does not support, such as enums, so that the build
 * fails rather than a request.
 */
export function readSchema(image: Uint8Array): Schema {
  const files = fromBinary(FileDescriptorSetSchema, image);
  const plans = new Map<string, MessagePlan>();
  return {
    files,
    registry: createFileRegistry(files),
    plan: (message) => planOf(message, plans),
  };
}

function planOf(message: DescMessage, plans: Map<string, MessagePlan>): MessagePlan {
  const known = plans.get(message.typeName);
  if (known !== undefined) return known;
  const fields: FieldPlan[] = [];
  const byNumber = new Map<number, FieldPlan>();
  const plan: MessagePlan = { name: message.typeName, form: formOf(message), fields, byNumber };
  // Registered before its fields are read, because messages may contain themselves.
  plans.set(message.typeName, plan);
  for (const descriptor of message.fields) {
    const field = planField(descriptor, plans);
    fields.push(field);
    byNumber.set(field.number, field);
  }
  return plan;
}

function formOf({ fields, oneofs }: DescMessage): MessagePlan['form'] {
  const [first] = fields;
  if (first === undefined) return 'object';
  if (fields.length === 1 && first.name === 'values') {
    if (first.fieldKind === 'list') return 'list';
    if (first.fieldKind === 'map') return 'map';
  }
  const [oneof] = oneofs;
  return oneofs.length === 1 && oneof!.name === 'value' && oneof!.fields.length === fields.length ? 'union' : 'object';
}

function planField(field: DescField, plans: Map<string, MessagePlan>): FieldPlan {
  const { kind, message } = elementOf(field);
  const rivals = field.oneof === undefined
    ? []
    : field.oneof.fields.filter((other) => other !== field).map((other) => other.jsonName);
  return {
    number: field.number,
    name: field.jsonName,
    kind,
    shape: field.fieldKind === 'list' ? 'list' : field.fieldKind === 'map' ? 'map' : 'one',
    presence: field.fieldKind === 'message' || (field.fieldKind === 'scalar' && field.proto.proto3Optional) ||
      field.oneof !== undefined,
    rivals,
    ...(message !== undefined && { message: planOf(message, plans) }),
  };
}

function elementOf(field: DescField): { kind: Kind; message?: DescMessage } {
  if (field.message !== undefined) {
    const known = WELL_KNOWN.get(field.message.typeName);
    return known === undefined ? { kind: 'message', message: field.message } : { kind: known };
  }
  if (field.fieldKind === 'map' && field.mapKey !== ScalarType.STRING)
    throw new Error(`${field.toString()}: maps have text as keys`);
  const kind = field.scalar === undefined ? undefined : KINDS.get(field.scalar);
  if (kind === undefined) throw new Error(`${field.toString()}: this type of field is not known`);
  return { kind };
}
