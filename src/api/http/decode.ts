import type { ParameterSpec } from '../../operations/index.ts';

type Text = string | string[] | undefined;

export interface WireInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, Text>>;
  readonly body: Record<string, unknown>;
}

/**
 * Joins path, query, header and body into the flat input of an operation. Text that does not read
 * as its parameter's type stays text, for validation to refuse with the field's name.
 */
export function decodeInput(parameters: readonly ParameterSpec[], wire: WireInput): Record<string, unknown> {
  const input = wire.body;
  for (const parameter of parameters) {
    const value = decodeParameter(parameter, wire);
    if (value !== undefined) input[parameter.field] = value;
    // A field of the body cannot stand in for a header.
    else if (parameter.in === 'header') delete input[parameter.field];
  }
  return input;
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
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
  if (type === 'boolean') return BOOLEANS.get(value.toLowerCase()) ?? value;
  return value;
}

const BOOLEANS = new Map([['true', true], ['1', true], ['false', false], ['0', false]]);
