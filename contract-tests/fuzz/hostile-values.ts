import fc from 'fast-check';
import { RawJson } from './json-text.ts';

/** Texts that have broken other servers: control characters, separators, paths, names of the runtime, rare scripts. */
const TEXTS = ['', ' ', '\u0000', 'a\u0000b', '\u0007\u001b[31m', '\r\nX-Injected: 1', '\t', '\u007f', '|', 'a|b', '.',
  '..', '../../etc/passwd', '/etc/passwd', '/', '//', 'a//b', '\\', '..\\..\\windows', 'C:\\x', 'file:///etc/passwd',
  '_', '_system', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'NaN', 'Infinity', '-1',
  '1e309', '0x10', 'null', 'undefined', 'true', '[object Object]', `' OR 1=1 --`, `"; DROP TABLE documents; --`, '%',
  '%_', '%00', '%2e%2e%2f', '%%site%%', '${1+1}', '{{7*7}}', '<script>', '(a+)+$', '[', '(?<', '\\1', '*',
  '---\na: 1\n---\n', '---\n!!js/function >\n---\n', '&a [*a]', '\u202e', 'مرحبا', '中文', '👩‍👩‍👧‍👦', 'e\u0301', '\ufeff',
  '\u2028', '\uffff', 'ẞ', 'İ', 'ſ', 'ﬁ', '\u0130\u0307', '\u{10ffff}', '\ud800', '\udc00', 'a\udc00\ud800b', 'blog',
  'BLOG', 'hello-world', 'en', 'news', '0', '2026-07-28', 'boltdb', 's3', 'memory', 'int8'];

export const hostileText: fc.Arbitrary<string> = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TEXTS) }, {
  weight: 2,
  arbitrary: fc.string({ unit: 'binary', maxLength: 40 }),
}, { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) }, {
  weight: 1,
  arbitrary: fc.tuple(fc.constantFrom('x', 'é', '👾', '\u0000'), fc.constantFrom(36, 129, 513, 1025, 8193, 70_000)).map(
    ([unit, length]) => unit.repeat(length)
  ),
});

const NUMBERS = ['-1', '0', '-0', '1', '1.5', '1e3', '2147483648', '9007199254740993', '-9007199254740993', '1e999',
  '-1e999', '1e-999', '123456789012345678901234567890', '0.1e1'].map((text) => new RawJson(text));

const nested = (open: string, close: string, depth: number) =>
  new RawJson(open.repeat(depth) + '1' + close.repeat(depth));

/** Structures that may exhaust the stack of a recursive function, and structures that exceed every limit. */
const STRUCTURES = [[], {}, [[]], [null], [{}], { a: null }, { a: ['b'] }, { a: 'b' }, { '': [''] }, ['a', 1], {
  length: 3,
}, { toString: ['x'], valueOf: ['y'] },
  ...[65, 1000, 20_000].flatMap((depth) => [nested('[', ']', depth), nested('{"a":', '}', depth)]),
  Array.from({ length: 1001 }, (_, i) => `v${i}`), Array.from({ length: 10_001 }, () => ({})),
  Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`k${i}`, ['v']]))];

/** JSON texts of objects with names that only a raw text can contain, or that occur twice. */
const OBJECTS = ['{"__proto__":{"polluted":["yes"]}}', '{"__proto__":["x"],"constructor":["y"],"prototype":["z"]}',
  '{"constructor":{"prototype":{"polluted":true}}}', '{"a":["1"],"a":["2"]}', '{"\\ud800":["x"]}',
  '{"\\u0000":["\\u0000"]}', '{"a\\u0000b":["c|d"]}', '{"__proto__":null}'].map((text) => new RawJson(text));

/** Values of every JSON type, for any field. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof({ weight: 6, arbitrary: hostileText }, {
  weight: 4,
  arbitrary: fc.constantFrom<unknown>(...NUMBERS),
}, { weight: 3, arbitrary: fc.constantFrom<unknown>(...STRUCTURES) }, {
  weight: 2,
  arbitrary: fc.constantFrom<unknown>(...OBJECTS),
}, { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false) }, {
  weight: 2,
  arbitrary: fc.array(hostileText, { maxLength: 3 }),
}, {
  weight: 2,
  arbitrary: fc.array(fc.tuple(hostileText, fc.array(hostileText, { maxLength: 2 })), { maxLength: 3 }).map(
    toObjectText,
  ),
}, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });

function toObjectText(entries: [string, string[]][]): RawJson {
  return new RawJson(
    `{${entries.map(([name, values]) => `${JSON.stringify(name)}:${JSON.stringify(values)}`).join(',')}}`,
  );
}

/** Bodies that are not JSON objects. */
export const BROKEN_BODIES = ['', ' ', '{', '}', '[]', '[{}]', 'null', 'true', '1', '"x"', 'NaN', '{"a":}', `{'a':1}`,
  '{"a":1,}', '{"a":1}{"b":2}', '{a:1}', '/* */{}', '\ufeff{}', 'undefined', '{"a":"\n"}', '{"a":01}', '\u0000'];

/** Content types that a JSON operation must reject (415). */
export const FOREIGN_TYPES = ['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded',
  'multipart/form-data', 'multipart/form-data; boundary=x', 'application/json; charset=latin1',
  'application/json; charset=utf-16', 'application/octet-stream', ';', '/', 'json', 'x'.repeat(500)];
