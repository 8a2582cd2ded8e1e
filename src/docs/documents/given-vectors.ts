import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { decodeFloats } from '../../lib/bytes.ts';
import { sparseVector, SparseVectorError } from '../../search/sparse/index.ts';
import { decodeVectors, encodeVectors, packSparse, SPARSE_DIMENSIONS, type SuppliedVectors,
  type VectorPlace } from '../../storage/index.ts';
import type { VectorField, VectorFields } from '../collections/index.ts';

/** Vectors as a client sends them, by field; null removes those of a field. */
export type GivenVectors = Readonly<Record<string, unknown>>;

/** Maximum number of vectors of a document, and of their bytes. */
const MAX_VECTORS = 4096;
const MAX_BYTES = 4 * 2 ** 20;
/** Larger numbers could result in products outside the range of 32-bit floats, and smaller ones in a length of 0. */
const MAX_NUMBER = 1e15;
const MIN_LARGEST = 1e-15;
/** Maximum number of characters of a value in a message. */
const SHOWN = 80;

/** What is wrong with a value that a client sent. */
class Problem extends Error {}

/** The fields of a document, or what is wrong with those that were sent. */
export type ReadVectors = { readonly fields: ReadonlyMap<string, SuppliedVectors>; readonly problem?: undefined } | {
  readonly problem: string;
};

/**
 * The vectors that a client sends with a document, as they are stored. Passages are lines of `contentMd`. Fields that
 * are null are left out.
 */
export function readVectors(given: GivenVectors, declared: VectorFields = {}, contentMd: string): ReadVectors {
  try {
    const body = new BodyLines(contentMd);
    const fields = new Map<string, SuppliedVectors>();
    for (const [name, value] of Object.entries(given)) {
      const field = Object.hasOwn(declared, name) ? declared[name]! : undefined;
      if (field === undefined) throw new Problem(unknownField(name, declared));
      if (field.source === 'provider')
        throw new Problem(`vectors.${name} must not be sent: an embedding provider makes the vectors of this field`);
      if (value === null) continue;
      fields.set(name, readField(value, field, `vectors.${name}`, body));
    }
    checkSizes(fields);
    return { fields };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

/** The stored form of the vectors of a document, null for none; undefined if the request does not mention them. */
export function storedVectors(read: ReadonlyMap<string, SuppliedVectors>): Uint8Array | null {
  return encodeVectors(read) ?? null;
}

/** What a document has after an update: given fields replace those stored, null removes one, others stay. */
export function mergeVectors(stored: Uint8Array | null, given: GivenVectors,
  read: ReadonlyMap<string, SuppliedVectors>): ReadVectors
{
  const fields = new Map(stored === null ? [] : decodeVectors(stored));
  for (const name of Object.keys(given)) {
    const next = read.get(name);
    if (next === undefined) fields.delete(name);
    else fields.set(name, next);
  }
  try {
    checkSizes(fields);
    return { fields };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

/** The fields; throws `invalid_argument` with the problem of a single write. */
export function requireVectors(read: ReadVectors): ReadonlyMap<string, SuppliedVectors> {
  if (read.problem !== undefined) throw new ServiceError('invalid_argument', read.problem);
  return read.fields;
}

function unknownField(name: string, declared: VectorFields): string {
  const names = Object.keys(declared);
  const shown = name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name;
  return names.length === 0
    ? `vectors.${shown}: the collection declares no vector fields; declare them with PUT /v1/collection-config`
    : `vectors.${shown} is no vector field of the collection, which declares ${names.join(', ')}`;
}

function checkSizes(fields: ReadonlyMap<string, SuppliedVectors>): void {
  let [vectors, bytes] = [0, 0];
  for (const { shape, numbers, dimensions } of fields.values()) {
    vectors += shape === 'sparse' ? 1 : numbers.length / dimensions;
    bytes += numbers.byteLength;
  }
  if (vectors > MAX_VECTORS)
    throw new Problem(`vectors must be at most ${MAX_VECTORS} of all fields together, got ${vectors}`);
  if (bytes > MAX_BYTES)
    throw new Problem(`vectors must have at most ${MAX_BYTES} bytes of all fields together, got ${bytes}`);
}

function readField(value: unknown, field: VectorField, path: string, body: BodyLines): SuppliedVectors {
  const { dimensions, kind } = field;
  const { crc, bytes } = body;
  if (kind === 'sparse') {
    const numbers = readSparse(value, path);
    return { shape: 'sparse', dimensions: SPARSE_DIMENSIONS, crc, bytes, places: [body.whole], numbers };
  }
  if (kind === 'multi') {
    const rows = manyRows(value, field, path);
    return { shape: 'tokens', dimensions, crc, bytes, places: [body.whole], numbers: joined(rows) };
  }
  if (Array.isArray(value) && isObject(value[0])) {
    requireCount(value.length, path);
    const rows = value.map((passage: unknown, i) => readPassage(passage, field, `${path}[${i}]`, body));
    return {
      shape: 'passages',
      dimensions,
      crc,
      bytes,
      places: rows.map(({ place }) => place),
      numbers: joined(rows.map(({ vector }) => vector)),
    };
  }
  return { shape: 'one', dimensions, crc, bytes, places: [body.whole], numbers: readVector(value, field, path) };
}

function readPassage(value: unknown, field: VectorField, path: string,
  body: BodyLines): { vector: Float32Array; place: VectorPlace }
{
  if (!isObject(value)) throw new Problem(`${path} must be an object with vector, start and end`);
  const { vector, start, end } = value;
  if (vector === undefined) throw new Problem(`${path}.vector is missing`);
  return { vector: readVector(vector, field, `${path}.vector`), place: body.placeOf(start, end, path) };
}

/** The vectors of a field for late interaction: a list of them, or one text of all. */
function manyRows(value: unknown, field: VectorField, path: string): Float32Array[] {
  if (typeof value === 'string') {
    const numbers = fromBase64(value, path);
    if (numbers.length === 0 || numbers.length % field.dimensions !== 0)
      throw new Problem(`${path} must have a multiple of ${field.dimensions} numbers, got ${numbers.length}`);
    requireCount(numbers.length / field.dimensions, path);
    checkEach(numbers, field, path);
    return [numbers];
  }
  if (!Array.isArray(value)) throw new Problem(`${path} must be an array of vectors`);
  requireCount(value.length, path);
  return value.map((row: unknown, i) => readVector(row, field, `${path}[${i}]`));
}

/** A vector of the kind `sparse`, as it is stored. */
function readSparse(value: unknown, path: string): Float32Array {
  if (!isObject(value)) throw new Problem(`${path} must be an object with indices and values`);
  const other = Object.keys(value).find((name) => name !== 'indices' && name !== 'values');
  if (other !== undefined) throw new Problem(`${path}.${shown(other)} is unknown: there are indices and values`);
  const [given, numbers] = (['indices', 'values'] as const).map((name) => {
    const list = value[name];
    if (!Array.isArray(list)) throw new Problem(`${path}.${name} must be an array of numbers`);
    const wrong = list.findIndex((number) => typeof number !== 'number');
    if (wrong >= 0) throw new Problem(`${path}.${name}[${wrong}] must be a number`);
    return list as number[];
  }) as [number[], number[]];
  try {
    const { indices, values } = sparseVector(given, numbers);
    if (indices.length === 0)
      throw new Problem(`${path} must have a value that is not 0; null removes the field`);
    return packSparse(indices, values);
  } catch (error) {
    if (error instanceof SparseVectorError) throw new Problem(`${path} ${error.message}`);
    throw error;
  }
}

function requireCount(count: number, path: string): void {
  if (count === 0) throw new Problem(`${path} must have at least one vector; null removes the field`);
  if (count > MAX_VECTORS) throw new Problem(`${path} must have at most ${MAX_VECTORS} vectors, got ${count}`);
}

/** One vector: an array of numbers, or base64 of 32-bit floats, little-endian. */
function readVector(value: unknown, field: VectorField, path: string): Float32Array {
  const numbers = typeof value === 'string' ? fromBase64(value, path) : fromNumbers(value, path);
  if (numbers.length !== field.dimensions)
    throw new Problem(`${path} must have ${field.dimensions} numbers, got ${numbers.length}`);
  checkEach(numbers, field, path);
  return numbers;
}

function fromNumbers(value: unknown, path: string): Float32Array {
  if (!Array.isArray(value)) throw new Problem(`${path} must be an array of numbers, or base64 of 32-bit floats`);
  const wrong = value.findIndex((number) => typeof number !== 'number');
  if (wrong >= 0) throw new Problem(`${path}[${wrong}] must be a number`);
  return Float32Array.from(value as number[]);
}

function fromBase64(value: string, path: string): Float32Array {
  const numbers = decodeFloats(value);
  if (numbers === undefined) throw new Problem(`${path} must be base64 of 32-bit floats, of four bytes each`);
  return numbers;
}

/** Throws for numbers that cannot be compared, and for a vector without a direction where the cosine needs one. */
function checkEach(numbers: Float32Array, { dimensions, metric }: VectorField, path: string): void {
  for (let at = 0; at < numbers.length; at += dimensions) {
    let largest = 0;
    for (let i = at; i < at + dimensions; i++) {
      const size = Math.abs(numbers[i]!);
      if (!(size <= MAX_NUMBER)) {
        throw new Problem(`${path}[${i}] must be a finite number up to ${MAX_NUMBER}, got ${numbers[i]}`);
      }
      if (size > largest) largest = size;
    }
    if (metric === 'cosine' && largest < MIN_LARGEST)
      throw new Problem(`${path} must not be all zeros: it has no direction that a cosine could be measured from`);
  }
}

function joined(rows: readonly Float32Array[]): Float32Array {
  if (rows.length === 1) return rows[0]!;
  const all = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LINE_FEED = 0x0a;

/** The lines of a body, which name passages as in the results of searches. */
class BodyLines {
  readonly crc: number;
  readonly bytes: number;
  /** Where each line begins. */
  readonly #starts = [0];

  constructor(text: string) {
    const body = Buffer.from(text);
    this.crc = crc32(body);
    this.bytes = body.length;
    for (let at = body.indexOf(LINE_FEED); at >= 0; at = body.indexOf(LINE_FEED, at + 1)) this.#starts.push(at + 1);
  }

  get whole(): VectorPlace {
    return { start: 0, end: this.bytes, startLine: 1, endLine: this.#starts.length };
  }

  /** From the first byte of a line to the last of another, without its line feed. */
  placeOf(startLine: unknown, endLine: unknown, path: string): VectorPlace {
    const lines = this.#starts.length;
    for (const [name, line] of [['start', startLine], ['end', endLine]] as const) {
      if (!Number.isInteger(line) || (line as number) < 1 || (line as number) > lines)
        throw new Problem(`${path}.${name} must be a line of contentMd, 1 to ${lines}, got ${shown(line)}`);
    }
    const [first, last] = [startLine as number, endLine as number];
    if (first > last) throw new Problem(`${path}.end must not be before start, got ${first} to ${last}`);
    return {
      start: this.#starts[first - 1]!,
      end: last === lines ? this.bytes : this.#starts[last]! - 1,
      startLine: first,
      endLine: last,
    };
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN);
}
