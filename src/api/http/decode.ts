import { ServiceError } from '../../errors/index.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import type { OperationSpec, ParameterSpec } from '../../operations/index.ts';

type Text = string | string[] | undefined;

interface WireInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: Readonly<Record<string, Text>>;
}

/**
 * Path, query and header parameters as fields of the flat input of an operation. A text that cannot be converted to its
 * parameter's type stays text, so that validation rejects it with the field's name.
 */
export function decodeParameters(parameters: readonly ParameterSpec[], wire: WireInput): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const value = decodeParameter(parameter, wire);
    if (value !== undefined) fields[parameter.field] = value;
  }
  return fields;
}

/** Adds the parameters to the body, which makes the flat input. A field of the body cannot replace a header. */
export function joinInput(parameters: readonly ParameterSpec[], fields: Readonly<Record<string, unknown>>,
  body: Record<string, unknown>): Record<string, unknown>
{
  const foreign = parameters.find((parameter) => parameter.in === 'header' && Object.hasOwn(body, parameter.field));
  if (foreign !== undefined)
    throw new ServiceError('invalid_argument',
      `the input must not have the field ${foreign.field}; send the header ${foreign.name}`);
  return Object.assign(body, fields);
}

function decodeParameter(parameter: ParameterSpec, wire: WireInput): unknown {
  if (parameter.in === 'path') return toType(wire.path[parameter.name], parameter.type);
  if (parameter.in === 'header') return toType(wire.headers[parameter.name.toLowerCase()], parameter.type);
  if (parameter.type === 'object') return keyed(parameter, wire.query);
  return toType(oneOrAll(wire.query.get(parameter.name)), parameter.type, parameter.items);
}

/** `meta[category]=news`, or `meta=category=news`, for `meta`: generators of clients disagree about maps. */
function keyed(parameter: ParameterSpec, query: Query): Record<string, unknown> | undefined {
  const values = new Map<string, string[]>();
  const add = (key: string, each: readonly string[]): void =>
    void values.set(key, [...(values.get(key) ?? []), ...each]);
  for (const [name, each] of query) {
    const key = keyOf(parameter.name, name);
    if (key !== undefined) add(key, each);
  }
  for (const pair of query.get(parameter.name) ?? []) {
    const end = pair.indexOf('=');
    if (end < 1)
      throw new ServiceError('invalid_argument',
        `${parameter.name} must be KEY=VALUE, such as ${parameter.name}=category=news or ${parameter.name}[category]=news, got ${
          JSON.stringify(pair.slice(0, 80).toWellFormed())
        }`);
    add(pair.slice(0, end), [pair.slice(end + 1)]);
  }
  if (values.size === 0) return undefined;
  return Object.fromEntries(
    [...values].map(([key, each]) => [key, parameter.items === 'string' ? oneOrAll(each) : each]),
  );
}

/** A parameter that occurs once is its value. */
function oneOrAll(values: readonly string[] | undefined): string | string[] | undefined {
  return values?.length === 1 ? values[0] : values && [...values];
}

function toType(value: unknown, type: ParameterSpec['type'], items?: ParameterSpec['items']): unknown {
  if (type === 'array') {
    if (value === undefined) return undefined;
    const list = Array.isArray(value) ? value : String(value).split(',');
    return list.map((item) => toType(item, items ?? 'string'));
  }
  // A parameter that occurs twice stays an array, and validation rejects it.
  if (typeof value !== 'string') return value;
  if (type === 'integer' || type === 'number') return toNumber(value);
  if (type === 'boolean') return BOOLEANS.get(value.toLowerCase()) ?? value;
  return value;
}

/** A text that is too large for a number also stays text. */
function toNumber(text: string): number | string {
  const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  if (!Number.isFinite(number)) return text;
  return isAbove(text, number) ? number * (1 + Number.EPSILON) : number;
}

/**
 * Whether a text is greater than the number that it was rounded to. Beyond 2^53 a number stands for all integers around
 * it. A text that was rounded down counts as the next number, so that a value slightly above a maximum is not accepted
 * as the maximum.
 */
function isAbove(text: string, number: number): boolean {
  return number > Number.MAX_SAFE_INTEGER && number < 1e21 && /^\d+$/.test(text) &&
    BigInt(text) > BigInt(String(number));
}

const BOOLEANS = new Map([['true', true], ['1', true], ['false', false], ['0', false]]);

/** The values of each parameter of a query string, in their order in the string. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a query string. Throws `invalid_argument` for an invalid escape: the platform would insert a replacement
 * character.
 */
export function parseQuery(text: string): Query {
  checkEscapes(text);
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

function checkEscapes(text: string): void {
  try {
    if (text.includes('%')) decodeURIComponent(text);
  } catch (cause) {
    throw new ServiceError('invalid_argument', 'the query string is not valid UTF-8, percent-encoded', { cause });
  }
}

/**
 * Returns the key of an object parameter that a name contains: `meta[category]` and `meta.category` contain `category`
 * of `meta`. Clients that write a list as `meta[category][]` mean the same. Returns undefined if the
 * name contains none.
 */
function keyOf(parameter: string, name: string): string | undefined {
  if (!name.startsWith(parameter)) return undefined;
  const rest = name.slice(parameter.length);
  const key = rest.startsWith('.') ? rest.slice(1) : /^\[(.+?)\](?:\[\])?$/s.exec(rest)?.[1];
  // A deeper path is not accepted, because values are texts.
  return key === undefined || key === '' || key.includes('][') ? undefined : key;
}

/**
 * A parameter that the operation does not have: its name in quotation marks and, after a semicolon, what to write
 * instead.
 */
interface UnknownParameter {
  readonly name: string;
  readonly hint: string;
}

/** Finds unknown parameters. A filter that was silently ignored would look like a filter that excluded nothing. */
export function unknownParameters({ method, path, parameters }: OperationSpec, query: Query): UnknownParameter[] {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  return [...query.keys()].filter((name) => !known.some((parameter) => isNamed(parameter, name))).slice(0, MAX_REPORTED)
    .map((name) => ({
      name: `"${name.slice(0, SHOWN).toWellFormed()}"`,
      hint: hint(known, name, `${method} ${path}`),
    }));
}

const MAX_REPORTED = 20;

const SHOWN = 80;

function isNamed(parameter: ParameterSpec, name: string): boolean {
  return parameter.name === name || (parameter.type === 'object' && keyOf(parameter.name, name) !== undefined);
}

function hint(known: readonly ParameterSpec[], name: string, operation: string): string {
  if (known.length === 0) return `; ${operation} takes none`;
  const base = name.split(/[.[]/, 1)[0]!;
  const object = known.find((parameter) => parameter.type === 'object' && parameter.name === base);
  if (object !== undefined)
    return `; write ${object.name}[KEY]=VALUE with one key, such as ${object.name}[category]=news`;
  const names = known.map((parameter) => parameter.name);
  // Generated clients used to send a filter here as a field of its own.
  const filter = known.find((parameter) => parameter.type === 'object');
  const near = didYouMean(name, names) || didYouMean(base, names);
  return near ||
    (filter === undefined
      ? `; ${operation} takes ${names.join(', ')}`
      : `; metadata are filtered by ${filter.name}[${name.slice(0, SHOWN).toWellFormed()}]=...`);
}
