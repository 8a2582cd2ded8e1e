import fc from 'fast-check';
import type { SchemaObject } from '../../src/codegen/openapi-types.ts';
import type { ExampleCall } from '../support/examples.ts';
import { BROKEN_BODIES, FOREIGN_TYPES, hostileText, hostileValue } from './hostile-values.ts';
import { type JsonPath, RawJson, REMOVED, toJsonText, valueAt, withValueAt } from './json-text.ts';
import { boundaryValues, type Place, placesOf } from './schema-paths.ts';
import { encode, exampleRequest, type WireRequest } from './wire-request.ts';

/** Requests to an operation that differ from its example in one to three respects. */
export function mutatedRequests(call: ExampleCall, input: SchemaObject): fc.Arbitrary<WireRequest> {
  const base = exampleRequest(call);
  if (call.options.body === undefined)
    return fc.oneof({ weight: 6, arbitrary: mutatedQuery(base, input) }, {
      weight: 1,
      arbitrary: mutatedHeaders(base),
    });
  const body = call.options.body;
  const sound: WireRequest = { ...base, body: toJsonText(body), verdict: 'as its body' };
  return fc.oneof({
    weight: 8,
    arbitrary: mutatedFields(body, placesOf(input)).map((changed) => ({ ...sound, body: toJsonText(changed) })),
  }, { weight: 2, arbitrary: mutatedBytes(toJsonText(body)).map((bytes) => ({ ...sound, body: bytes })) }, {
    weight: 1,
    arbitrary: fc.constantFrom(...FOREIGN_TYPES).map((type): WireRequest => ({
      ...sound,
      headers: { 'Content-Type': type },
      verdict: 'bad',
    })),
  }, { weight: 1, arbitrary: mutatedHeaders(sound) });
}

function mutatedFields(body: unknown, places: readonly Place[]): fc.Arbitrary<unknown> {
  const inside = places.map((place) => changeAt(place, body));
  return fc.array(
    fc.oneof({ weight: 1, arbitrary: extended([]) }, ...inside.map((arbitrary) => ({ weight: 2, arbitrary }))),
    { minLength: 1, maxLength: 3 },
  ).map((changes) => changes.reduce((changed, apply) => apply(changed), body));
}

type Change = (body: unknown) => unknown;

function changeAt({ path, schema }: Place, body: unknown): fc.Arbitrary<Change> {
  const boundaries = boundaryValues(schema);
  const values = boundaries.length === 0
    ? hostileValue
    : fc.oneof({ weight: 2, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constantFrom(...boundaries) });
  const replaced = values.map((value): Change => (root) => withValueAt(root, path, value));
  const removed = fc.constant<Change>((root) => withValueAt(root, path, REMOVED));
  const isObject = valueAt(body, path)?.constructor === Object;
  return fc.oneof({ weight: 6, arbitrary: replaced }, { weight: 1, arbitrary: removed }, {
    weight: isObject ? 2 : 0,
    arbitrary: extended(path),
  });
}

const extended = (path: JsonPath): fc.Arbitrary<Change> =>
  fc.tuple(hostileText, hostileValue).map(([name, value]): Change => (root) => extend(root, path, name, value));

/** Adds a member to the JSON text of an object: its name may be `__proto__`, or that of an existing field. */
function extend(root: unknown, path: JsonPath, name: string, value: unknown): unknown {
  const text = toJsonText(valueAt(root, path));
  if (!text.startsWith('{')) return root;
  const rest = text.slice(1);
  return withValueAt(root, path,
    new RawJson(`{${JSON.stringify(name)}:${toJsonText(value)}${rest === '}' ? '' : ','}${rest}`));
}

/** Bodies whose text is broken: cut off, with foreign bytes, doubled, or replaced. */
function mutatedBytes(text: string): fc.Arbitrary<Uint8Array> {
  const bytes = Buffer.from(text);
  const position = fc.nat({ max: bytes.length });
  const inserted = fc.tuple(position, fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([at, extra]) =>
    Buffer.concat([bytes.subarray(0, at), extra, bytes.subarray(at)])
  );
  return fc.oneof(position.map((at) => bytes.subarray(0, at)), inserted,
    fc.constantFrom(...BROKEN_BODIES).map((body) => Buffer.from(body)),
    fc.constantFrom(...BROKEN_BODIES).map((body) => Buffer.concat([bytes, Buffer.from(body)])),
    fc.constantFrom('__proto__', 'constructor', 'collection').map((name) =>
      Buffer.from(`{"${name}":{"polluted":["yes"]},${text.slice(1)}`)
    ), fc.constant(Buffer.from(`{"padding":"${'x'.repeat(300_000)}",${text.slice(1)}`)));
}

/** Escapes that no encoder produces. */
const BAD_ESCAPES = ['%', '%z', '%zz', '%E0%A4%A', '%ff', '%00', '%ed%a0%80', '%252e', '+', '%2B'];

function mutatedQuery(base: WireRequest, input: SchemaObject): fc.Arbitrary<WireRequest> {
  const places = placesOf(input);
  const required = new Set(input.required ?? []);
  const names = places.filter(({ path }) => path.length === 1).map(({ path }) => encode(String(path[0])));
  const foreign = fc.constantFrom('other', '__proto__', 'constructor', 'meta.a');
  const name = names.length === 0
    ? foreign
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: foreign });
  const value = fc.oneof(hostileText.map((text) => encode(text).slice(0, 9000)), fc.constantFrom(...BAD_ESCAPES));
  const without = (given: string) => base.query.filter(([other]) => other !== given);
  return fc.oneof({
    weight: 6,
    arbitrary: fc.tuple(name, value).map(([given, text]) =>
      ({ ...base, query: [...without(given), [given, text]] }) as WireRequest
    ),
  }, {
    weight: 1,
    arbitrary: fc.tuple(name, value).map(([given, text]) =>
      ({ ...base, query: [...base.query, [given, text]] }) as WireRequest
    ),
  }, {
    weight: 1,
    arbitrary: name.map((given): WireRequest => ({
      ...base,
      query: without(given),
      verdict: required.has(given) ? 'bad' : 'unknown',
    })),
  }, {
    weight: 1,
    arbitrary: fc.tuple(name, fc.constantFrom('[]', '[0]', '[a]', '.a', '%00')).map(([given, suffix]) =>
      ({ ...base, query: [[given + suffix, 'x'], ...base.query] }) as WireRequest
    ),
  }, { weight: 1, arbitrary: value.map((text) => ({ ...base, query: [...base.query, [text, '']] }) as WireRequest) });
}

const HEADERS: Record<string, string>[] = [{ 'Content-Encoding': 'gzip' }, { 'Content-Encoding': 'x'.repeat(500) }, {
  'Content-Type': '',
}, { 'Content-Type': 'APPLICATION/JSON; CHARSET="UTF-8"' }, { 'Content-Type': 'application/merge-patch+json' }, {
  Accept: 'text/html',
}, { Accept: 'nonsense' }, { Authorization: 'Bearer x'.repeat(100) }, { 'X-API-Key': '__proto__' }, {
  'X-Request-Id': '../../../etc/passwd',
}, { 'X-Request-Id': 'x'.repeat(5000) }, { Origin: 'null' }, { 'X-HTTP-Method-Override': 'DELETE' }, {
  Range: 'bytes=0-1',
}, { 'If-None-Match': '*' }, { Expect: '100-continue' }, { Cookie: 'a=b; __proto__=c' }, { Host: 'evil.example' }, {
  Host: '..%2f',
}, { 'X-Forwarded-For': "'" }];

function mutatedHeaders(base: WireRequest): fc.Arbitrary<WireRequest> {
  return fc.constantFrom(...HEADERS).map((headers) => ({ ...base, headers, verdict: 'unknown' }));
}
