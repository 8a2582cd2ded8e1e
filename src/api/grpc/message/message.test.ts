import { type DescMessage, fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../errors/index.ts';
import { IMAGE } from '../../../testkit/grpc-client.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { type FieldPlan, type MessagePlan, readSchema } from './plan.ts';

const schema = readSchema(IMAGE);
const message = (name: string): DescMessage => schema.registry.getMessage(`quire.docs.v1.${name}`)!;
const plan = (name: string): MessagePlan => schema.plan(message(name));
const bytesOf = (name: string, json: JsonObject): Uint8Array => toBinary(message(name), fromJson(message(name), json));

const messages = [...schema.registry].filter((each): each is DescMessage =>
  each.kind === 'message' && each.typeName.startsWith('quire.')
);

/** Text without lone surrogates, which protobuf does not have. */
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', ''));
const integer = (low: number, high: number) =>
  fc.oneof(fc.integer({ min: low, max: high }), fc.constantFrom(0, low, high));
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constant(null), fc.boolean(), text,
    fc.double({ noNaN: true, noDefaultInfinity: true }), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}));

/** Values of a message in JSON form; depth is bounded if messages contain themselves. */
function valueOf(plan: MessagePlan, depth = 0): fc.Arbitrary<unknown> {
  const [first] = plan.fields;
  if (plan.form === 'list' || plan.form === 'map') return fieldOf(first!, depth);
  if (plan.form === 'union') return fc.oneof(...plan.fields.map((field) => fieldOf(field, depth)));
  const fields = plan.fields.filter(({ rivals, name }) => rivals.every((rival) => name < rival));
  return fc.record(Object.fromEntries(fields.map((field) => [field.name, fieldOf(field, depth)])), {
    requiredKeys: [],
    noNullPrototype: true,
  });
}

function fieldOf(field: FieldPlan, depth: number): fc.Arbitrary<unknown> {
  const one = singleOf(field, depth + 1);
  if (field.shape === 'list') return fc.array(one, { maxLength: 3 });
  return field.shape === 'map' ? fc.dictionary(key, one, { maxKeys: 3, noNullPrototype: true }) : one;
}

function singleOf({ kind, message }: FieldPlan, depth: number): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'string':
      return text;
    case 'bytes':
      return fc.uint8Array({ maxLength: 5 });
    case 'bool':
      return fc.boolean();
    case 'int32':
      return integer(-(2 ** 31), 2 ** 31 - 1);
    case 'uint32':
      return integer(0, 2 ** 32 - 1);
    case 'int64':
      return integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    case 'uint64':
      return integer(0, Number.MAX_SAFE_INTEGER);
    case 'double':
      return fc.double({ noNaN: true });
    case 'float':
      return fc.float({ noNaN: true });
    case 'struct':
      return json.object;
    case 'value':
      return json.value;
    case 'message':
      return depth > 5 && message!.form !== 'union'
        ? fc.constant(message!.form === 'list' ? [] : {})
        : valueOf(message!, depth);
  }
}

/** The part of a value that is encoded on the wire: empty lists and maps, and zeros without presence, are omitted. */
function onTheWire(value: unknown, plan: MessagePlan): unknown {
  if (plan.form === 'list' || plan.form === 'map') return fieldOnTheWire(value, plan.fields[0]!);
  if (plan.form === 'union') return value;
  const shown: Record<string, unknown> = {};
  for (const field of plan.fields) {
    const given = (value as Record<string, unknown>)[field.name];
    if (given === undefined) continue;
    const left = fieldOnTheWire(given, field);
    const empty = field.shape === 'one'
      ? !field.presence &&
        (left === '' || left === false || Object.is(left, 0) || (left instanceof Uint8Array && left.length === 0))
      : Object.keys(left as object).length === 0;
    if (!empty) shown[field.name] = left;
  }
  return shown;
}

function fieldOnTheWire(value: unknown, field: FieldPlan): unknown {
  const one = (item: unknown) => (field.kind === 'message' ? onTheWire(item, field.message!) : item);
  if (field.shape === 'list') return (value as unknown[]).map(one);
  if (field.shape === 'one') return one(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, one(item)]));
}

describe('the codec', () => {
  it('writes and reads every message of the interface as protobuf-es does', () => {
    for (const descriptor of messages) {
      const plan = schema.plan(descriptor);
      fc.assert(fc.property(valueOf(plan), (value) => {
        const ours = encodeMessage(value, plan);
        // A message that another library has decoded and encoded again has the same value for us, whatever the order of
        // its fields.
        const theirs = toBinary(descriptor, fromBinary(descriptor, ours));
        expect(decodeMessage(theirs, plan)).toEqual(onTheWire(value, plan));
        expect(decodeMessage(Uint8Array.from(ours), plan)).toEqual(onTheWire(value, plan));
      }), { numRuns: 6 });
    }
  });

  it('keeps the presence of scalars: unset, zero and empty differ', () => {
    expect(decodeMessage(bytesOf('SearchRequest', { collection: 'c' }), plan('SearchRequest'))).toEqual({
      collection: 'c',
    });
    expect(
      decodeMessage(bytesOf('SearchRequest', { collection: 'c', asc: false, limit: 0, sort: '' }),
        plan('SearchRequest')),
    ).toEqual({ collection: 'c', asc: false, limit: 0, sort: '' });
    expect(decodeMessage(bytesOf('UpdateRequest', { meta: {} }), plan('UpdateRequest'))).toEqual({ meta: {} });
    expect(decodeMessage(bytesOf('UpdateRequest', {}), plan('UpdateRequest'))).toEqual({});
  });

  it('takes moments in nanoseconds, as near as JSON has them', () => {
    const request = { fromNanos: 1_700_000_000_000_000_256 };
    expect(decodeMessage(bytesOf('ListAuditRequest', { fromNanos: '1700000000000000255' }), plan('ListAuditRequest')))
      .toEqual(request);
    expect(decodeMessage(Uint8Array.from(encodeMessage(request, plan('ListAuditRequest'))), plan('ListAuditRequest')))
      .toEqual(request);
  });

  it('shows wrappers as what they hold', () => {
    const add = { meta: { tags: { values: ['a', 'b'] }, none: {} } };
    expect(decodeMessage(bytesOf('AddRequest', add), plan('AddRequest'))).toEqual({
      meta: { tags: ['a', 'b'], none: [] },
    });
    const ranges = { rangeMeta: [{ field: 'price', gte: { number: 0 }, lt: { text: '' } }] };
    expect(decodeMessage(bytesOf('FTSRequest', ranges), plan('FTSRequest'))).toEqual({
      rangeMeta: [{ field: 'price', gte: 0, lt: '' }],
    });
    const polygon = { polygon: { coordinates: [{ values: [{ values: [1, 2] }, { values: [0, 0] }] }] } };
    expect(decodeMessage(bytesOf('GeoPolygonRequest', polygon), plan('GeoPolygonRequest'))).toEqual({
      polygon: { coordinates: [[[1, 2], [0, 0]]] },
    });
    expect(decodeMessage(bytesOf('SetSchemaRequest', { schema: { text: '{}' } }), plan('SetSchemaRequest'))).toEqual({
      schema: '{}',
    });
    expect(
      decodeMessage(bytesOf('SetSchemaRequest', { schema: { object: { required: ['a'] } } }), plan('SetSchemaRequest')),
    ).toEqual({ schema: { required: ['a'] } });
  });

  it('writes null and undefined as absent, and text without lone surrogates', () => {
    const bytes = encodeMessage({ event: 'a\ud800b', document: null, detail: { a: null, b: undefined } },
      plan('DocumentEvent'));
    expect(toJson(message('DocumentEvent'), fromBinary(message('DocumentEvent'), bytes))).toEqual({
      event: 'a\ufffdb',
      detail: { a: null },
    });
  });

  it('takes the last of several values, joins lists, and merges messages', () => {
    const both = (name: string, a: JsonObject, b: JsonObject) =>
      decodeMessage(Buffer.concat([bytesOf(name, a), bytesOf(name, b)]), plan(name));
    expect(both('AddRequest', { key: 'a', meta: { x: { values: ['1'] } } }, { key: 'b', meta: { y: {} } })).toEqual({
      key: 'b',
      meta: { x: ['1'], y: [] },
    });
    expect(both('SearchRequest', { fields: ['a'] }, { fields: ['b'] })).toEqual({ fields: ['a', 'b'] });
    expect(both('HybridSearchRequest', { geo: { lat: 1 } }, { geo: { lng: 2 } })).toEqual({ geo: { lat: 1, lng: 2 } });
    expect(both('UpdateRequest', { meta: { values: { x: {} } } }, { meta: { values: { y: {} } } })).toEqual({
      meta: { x: [], y: [] },
    });
    expect(both('UploadChunk', { data: 'AAAA' }, { file: { name: 'a' } })).toEqual({ file: { name: 'a' } });
  });

  it('takes numbers packed or one by one', () => {
    const packed = encodeMessage({ queryVector: [1, 2] }, plan('VectorSearchRequest'));
    const single = Buffer.concat(
      [0, 1].map((i) => Buffer.concat([Buffer.from([packed[0]! - 2 + 5]), packed.subarray(2 + 4 * i, 6 + 4 * i)])),
    );
    expect(decodeMessage(single, plan('VectorSearchRequest'))).toEqual({ queryVector: [1, 2] });
  });

  it('passes over fields that it does not know', () => {
    const unknown = Buffer.from([0xa0, 0x06, 0x05, 0xaa, 0x06, 0x01, 0x41, 0xa9, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(decodeMessage(Buffer.concat([unknown, bytesOf('GetRequest', { key: 'k' }), unknown]), plan('GetRequest')))
      .toEqual({ key: 'k' });
  });
});

describe('a malformed message is refused', () => {
  const refused = (bytes: Uint8Array, name = 'AddRequest'): string => {
    try {
      decodeMessage(bytes, plan(name));
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceError);
      expect((error as ServiceError).code).toBe('invalid_argument');
      return (error as ServiceError).message;
    }
    throw new Error('it was accepted');
  };

  it.each([['a field of another wire type, by name', [0x08, 0x01],
    'malformed message: collection of quire.docs.v1.AddRequest has wire type 0, expected 2'], [
    'a number where a map should be',
    [0x20, 0x01],
    'malformed message: meta of quire.docs.v1.AddRequest has wire type 0, expected 2',
  ], ['a length beyond the end', [0x0a, 0x05, 0x41], 'malformed message: premature EOF'], [
    'a message whose field reaches beyond it',
    [0x22, 0x03, 0x0a, 0x05, 0x41],
    'malformed message: premature EOF',
  ], ['an entry of another type', [0x22, 0x02, 0x08, 0x01], 'malformed message: meta has an entry of another type'], [
    'text that is not UTF-8',
    [0x0a, 0x01, 0xff],
    'malformed message: text must be valid UTF-8',
  ], ['a group', [0xa3, 0x06, 0xa4, 0x06], 'malformed message: groups are not supported'], ['field number 0', [0x00,
    0x00], 'malformed message: illegal tag: field no 0 wire type 0']])('%s', (_, bytes, expected) => {
      expect(refused(Uint8Array.from(bytes))).toBe(expected);
    });

  it('values nested without an end', () => {
    let value: JsonObject = { a: 1 };
    for (let i = 0; i < 300; i++) value = { a: value };
    expect(
      refused(encodeMessage({ customMeta: value }, plan('SetCollectionConfigRequest')), 'SetCollectionConfigRequest'),
    ).toContain('nested deeper');
  });

  it('any other bytes, without ever failing otherwise', () => {
    fc.assert(fc.property(fc.constantFrom(...messages), fc.uint8Array({ maxLength: 40 }), (descriptor, bytes) => {
      try {
        decodeMessage(bytes, schema.plan(descriptor));
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }), { numRuns: 3000 });
  });

  it('one cut short or changed, without ever failing otherwise', () => {
    const damage = fc.record({
      descriptor: fc.constantFrom(...messages),
      cut: fc.nat(200),
      flip: fc.nat(200),
      bit: fc.nat(7),
    });
    fc.assert(fc.property(damage, ({ descriptor, cut, flip, bit }) => {
      const plan = schema.plan(descriptor);
      const [value] = fc.sample(valueOf(plan), { numRuns: 1, seed: cut * 1000 + flip });
      const bytes = encodeMessage(value, plan).subarray(0, cut);
      if (flip < bytes.length) bytes[flip]! ^= 1 << bit;
      try {
        decodeMessage(bytes, plan);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }), { numRuns: 500 });
  });
});

describe('text that is not UTF-8', () => {
  it('becomes lone surrogates where the operation repairs text', () => {
    const bytes = Uint8Array.from([0x0a, 0x03, 0x41, 0xff, 0x42]);
    expect(decodeMessage(bytes, plan('AddBatchRequest'), { repairText: true })).toEqual({ collection: 'A\udcffB' });
  });
});
