import { type OpenApiDocument, resolve, type SchemaObject } from '../openapi-types.ts';

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

/** One alternative of a schema: values of one type, or of any type, with every keyword that applies to them. */
export interface Shape {
  readonly type: JsonType | 'any';
  readonly keywords: SchemaObject;
}

const TYPES: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'object', 'array'];

/** More alternatives than any readable description has; more mean that the product of several `anyOf` is a mistake. */
const LIMIT = 512;

/**
 * The alternatives of a schema: references are followed, including those with keywords beside them, `allOf` is merged,
 * and `anyOf`, `oneOf` and lists of types are expanded. `oneOf` counts as `anyOf`: that two of its alternatives exclude
 * each other makes no difference to clients.
 */
export function shapesOf(document: OpenApiDocument, schema: SchemaObject | boolean): Shape[] {
  return variantsOf(document, schema).flatMap(splitByType);
}

/** Each variant has all keywords of the schema's parts and of one alternative of each `anyOf` and `oneOf`. */
function variantsOf(document: OpenApiDocument, schema: SchemaObject | boolean): SchemaObject[] {
  if (schema === true) return [{}];
  if (schema === false) return [];
  const { $ref, allOf = [], anyOf, oneOf, ...own } = schema;
  const required = [...($ref === undefined ? [] : [resolve<SchemaObject>(document, { $ref })]), ...allOf].map((part) =>
    variantsOf(document, part)
  );
  const chosen = [anyOf, oneOf].flatMap((
    group,
  ) => (group === undefined ? [] : [group.flatMap((each) => variantsOf(document, each))]));
  return [...required, ...chosen].reduce<SchemaObject[]>((sofar, next) => {
    if (sofar.length * next.length > LIMIT)
      throw new Error(`a schema has more than ${LIMIT} alternatives: ${JSON.stringify(schema).slice(0, 200)}`);
    return sofar.flatMap((left) => next.map((right) => merge(left, right)));
  }, [own]);
}

/** The intersection of two schemas. */
function merge(left: SchemaObject, right: SchemaObject): SchemaObject {
  const merged: Record<string, unknown> = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    merged[keyword] = keyword in left ? both(keyword, left[keyword], value) : value;
  }
  return merged as SchemaObject;
}

function both(keyword: string, left: unknown, right: unknown): unknown {
  switch (keyword) {
    case 'type':
      return commonTypes(left as string | string[], right as string | string[]);
    case 'required':
      return [...new Set([...(left as string[]), ...(right as string[])])];
    case 'enum':
      return (left as unknown[]).filter((value) => (right as unknown[]).some((other) => same(value, other)));
    case 'properties':
      return mergedProperties(left as Properties, right as Properties);
    case 'items':
      return { allOf: [left, right] };
    case 'additionalProperties':
      return left === false || right === false
        ? false
        : left === true
        ? right
        : right === true
        ? left
        : { allOf: [left, right] };
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Math.max(left as number, right as number);
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
    case 'x-max-bytes':
      return Math.min(left as number, right as number);
    default:
      return right;
  }
}

type Properties = Record<string, SchemaObject>;

function mergedProperties(left: Properties, right: Properties): Properties {
  const shared = Object.keys(left).filter((name) => name in right);
  return {
    ...left,
    ...right,
    ...Object.fromEntries(
      shared.map((
        name,
      ) => [name, same(left[name], right[name]) ? left[name]! : { allOf: [left[name]!, right[name]!] }]),
    ),
  };
}

function commonTypes(left: string | string[], right: string | string[]): string[] {
  const [a, b] = [[left].flat(), [right].flat()];
  return [...new Set([...a.filter((type) => takes(b, type)), ...b.filter((type) => takes(a, type))])];
}

const takes = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

function splitByType(schema: SchemaObject): Shape[] {
  const { type, const: constant, enum: listed, ...keywords } = schema as SchemaObject & { enum?: unknown[] };
  const values = constant === undefined
    ? listed
    : [constant].filter((value) => listed === undefined || listed.some((other) => same(value, other)));
  const types = type === undefined ? impliedTypes(schema, values) : ([type].flat() as JsonType[]);
  return types.flatMap((each): Shape[] => {
    if (values === undefined) return [{ type: each, keywords }];
    const own = values.filter((value) => each === 'any' || takes([each], typeOf(value)));
    return own.length === 0 ? [] : [{ type: each, keywords: { ...keywords, enum: own } }];
  });
}

/** A schema without a type allows any value, unless its keywords apply to only one type. */
function impliedTypes(schema: SchemaObject, values: readonly unknown[] | undefined): (JsonType | 'any')[] {
  if (values !== undefined) return TYPES.filter((type) => values.some((value) => takes([type], typeOf(value))));
  if (schema.properties !== undefined || schema.required !== undefined || schema['additionalProperties'] !== undefined)
    return ['object'];
  return schema.items !== undefined || schema['prefixItems'] !== undefined ? ['array'] : ['any'];
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

/** Whether two JSON values are equal. */
export function same(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, node: unknown) =>
    node !== null && typeof node === 'object' && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)))
      : node) ?? 'undefined';
}
