import { ServiceError } from '../../errors/index.ts';
import type { ParameterSpec } from '../../operations/index.ts';
import { keyOf, type Query } from './query.ts';

type Text = string | string[] | undefined;

export interface WireInput {
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
