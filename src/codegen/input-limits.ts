import { formatByteSize, parseByteSize } from '../lib/byte-size.ts';
import type { OperationSpec } from '../operations/spec.ts';
import { type OpenApiDocument, type OperationObject, resolve, type SchemaObject } from './openapi-types.ts';

type Limits = Pick<OperationSpec, 'maxBody' | 'maxValues' | 'maxItems'>;

/**
 * How large the input of an operation may be (`x-max-body`, `x-max-values`, and `maxItems` of its fields); the document
 * has the usual values. Throws for a limit that is below what a field of the input may hold by itself.
 */
export function inputLimits(document: OpenApiDocument, operation: OperationObject, input: SchemaObject): Limits {
  const fail = (problem: string): never => {
    throw new Error(`${operation.operationId}: ${problem}`);
  };
  const size = operation['x-max-body'] ?? document['x-max-body'];
  const maxBody = size === undefined || size === 'server'
    ? undefined
    : parseByteSize(String(size)) ?? fail(`x-max-body must be a size such as 64KiB, or server, got ${size}`);
  const maxValues = operation['x-max-values'] ?? document['x-max-values'];
  if (maxValues !== undefined && maxValues < LEAST_VALUES)
    fail(`x-max-values must be at least ${LEAST_VALUES}: the values of short texts are not counted`);
  for (const { path, bytes, values } of needs(document, input)) {
    if (maxBody !== undefined && bytes > maxBody)
      fail(`x-max-body is ${formatByteSize(maxBody)}, and ${path} may have ${bytes} bytes`);
    if (maxValues !== undefined && values > maxValues)
      fail(`x-max-values is ${maxValues}, and ${path} may have ${values} values`);
  }
  const lists = Object.entries(input.properties ?? {}).map(([name, field]) =>
    [name, ({ ...resolve(document, field), ...field } as { maxItems?: number }).maxItems] as const
  );
  const maxItems = Object.fromEntries(lists.filter(([, most]) => most !== undefined)) as Record<string, number>;
  return {
    maxBody,
    maxValues,
    maxItems: operation.requestBody !== undefined && Object.keys(maxItems).length > 0 ? maxItems : undefined,
  };
}

const LEAST_VALUES = 10_000;

/** What a field needs that is as large as its schema allows. */
interface Need {
  readonly path: string;
  readonly bytes: number;
  readonly values: number;
}

/** Bytes of a text as items of lists and fields of maps usually have it, and of a number with all its digits. */
const TEXT_BYTES = 40;
const NUMBER_BYTES = 24;
/** Bytes of a character, which lengths count. */
const CHARACTER_BYTES = 4;

/** One need for each limit of a schema; all other fields of that input are absent, or as small as they may be. */
function needs(document: OpenApiDocument, root: SchemaObject): Need[] {
  const found: Need[] = [];
  const visit = (schema: SchemaObject, path: string, outer: ReadonlySet<SchemaObject>): void => {
    const own = { ...resolve(document, schema), ...schema };
    const target = resolve(document, schema);
    if (outer.has(target)) return;
    const within = new Set([...outer, target]);
    const { 'x-max-bytes': bytes, maxLength, maxItems, maxProperties, items, properties = {},
      additionalProperties: rest } = own as Record<string, never> & SchemaObject;
    if (bytes !== undefined) found.push({ path, bytes, values: 1 });
    else if (maxLength !== undefined) found.push({ path, bytes: maxLength * CHARACTER_BYTES, values: 1 });
    if (maxItems !== undefined) found.push(repeated(path, maxItems, smallest(document, items)));
    if (maxProperties !== undefined)
      found.push(repeated(path, maxProperties, smallest(document, rest as SchemaObject | undefined), TEXT_BYTES));
    for (const [name, field] of Object.entries(properties))
      visit(field, path === '' ? name : `${path}.${name}`, within);
    if (typeof rest === 'object') visit(rest, `${path}.KEY`, within);
    if (items !== undefined) visit(items, `${path}[]`, within);
    for (const part of [...(own.allOf ?? []), ...(own.anyOf ?? []), ...(own.oneOf ?? [])]) visit(part, path, within);
  };
  visit(root, '', new Set());
  return found;
}

function repeated(path: string, count: number, { bytes, values }: Omit<Need, 'path'>, keyBytes = 0): Need {
  return { path, bytes: count * (bytes + keyBytes + 1), values: count * values };
}

/** A typical small value: required fields alone, and one item in a list. */
function smallest(document: OpenApiDocument, schema: SchemaObject = {}, depth = 0): Omit<Need, 'path'> {
  const { type, items, minItems, properties = {}, required = [], anyOf, oneOf, allOf } = {
    ...resolve(document, schema),
    ...schema,
  } as SchemaObject & { minItems?: number };
  const [kind] = [type ?? 'string'].flat();
  if (depth > 4) return { bytes: NUMBER_BYTES, values: 1 };
  const alternatives = anyOf ?? oneOf ?? allOf;
  if (alternatives !== undefined)
    return alternatives.map((each) => smallest(document, each, depth + 1)).reduce((a, b) => ({
      bytes: Math.max(a.bytes, b.bytes),
      values: Math.max(a.values, b.values),
    }));
  if (kind === 'number' || kind === 'integer') return { bytes: NUMBER_BYTES, values: 1 };
  if (kind === 'array') {
    const item = smallest(document, items, depth + 1);
    return { bytes: 2 + (minItems ?? 1) * (item.bytes + 1), values: 1 + (minItems ?? 1) * item.values };
  }
  if (kind !== 'object') return { bytes: TEXT_BYTES, values: 1 };
  const fields = required.map((name) => ({ name, ...smallest(document, properties[name], depth + 1) }));
  return {
    bytes: fields.reduce((sum, { name, bytes }) => sum + name.length + 4 + bytes, 2),
    values: fields.reduce((sum, { values }) => sum + values, 1),
  };
}
