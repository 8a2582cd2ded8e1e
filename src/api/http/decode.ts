import { ServiceError } from '../../errors/index.ts';
import type { ParameterSpec } from '../../operations/index.ts';

type Text = string | string[] | undefined;

export interface WireInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, Text>>;
}

/**
 * Path, query and header as fields of the flat input of an operation. Text that does not read as its parameter's
 * type stays text, for validation to refuse with the field's name.
 */
export function decodeParameters(parameters: readonly ParameterSpec[], wire: WireInput): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const value = decodeParameter(parameter, wire);
    if (value !== undefined) fields[parameter.field] = value;
  }
  return fields;
}

/** Adds the parameters to the body, which then is the flat input. A field of the body cannot stand in for a header. */
export function joinInput(parameters: readonly ParameterSpec[], fields: Readonly<Record<string, unknown>>, body: Record<string, unknown>): Record<string, unknown> {
  const foreign = parameters.find((parameter) => parameter.in === 'header' && Object.hasOwn(body, parameter.field));
  if (foreign !== undefined) throw new ServiceError('invalid_argument', `the input must not have the field ${foreign.field}; send the header ${foreign.name}`);
  return Object.assign(body, fields);
}

function decodeParameter(parameter: ParameterSpec, wire: WireInput): unknown {
  if (parameter.in === 'path') return toType(wire.path[parameter.name], parameter.type);
  if (parameter.in === 'header') return toType(wire.headers[parameter.name.toLowerCase()], parameter.type);
  if (parameter.type === 'object') return prefixed(parameter, wire.query);
  return toType(wire.query[parameter.name], parameter.type, parameter.items);
}

/** `meta.category=news` for an object parameter named `meta` (decision D-75). */
function prefixed(parameter: ParameterSpec, query: WireInput['query']): Record<string, unknown> | undefined {
  const prefix = `${parameter.name}.`;
  const entries = Object.entries(query).filter(([name]) => name.startsWith(prefix) && name.length > prefix.length);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), parameter.items === 'string' ? value : [value].flat()]));
}

function toType(value: unknown, type: ParameterSpec['type'], items?: ParameterSpec['items']): unknown {
  if (type === 'array') {
    if (value === undefined) return undefined;
    const list = Array.isArray(value) ? value : String(value).split(',');
    return list.map((item) => toType(item, items ?? 'string'));
  }
  // A parameter given twice stays an array and is refused as such.
  if (typeof value !== 'string') return value;
  if (type === 'integer' || type === 'number') return toNumber(value);
  if (type === 'boolean') return BOOLEANS.get(value.toLowerCase()) ?? value;
  return value;
}

/** What is too large for a number stays text, too. */
function toNumber(text: string): number | string {
  const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  return Number.isFinite(number) ? number : text;
}

const BOOLEANS = new Map([['true', true], ['1', true], ['false', false], ['0', false]]);
