import type { OpenApiDocument, SchemaObject } from '../openapi-types.ts';
import { mapSchemas, withoutUnused } from './map-schemas.ts';

/** Maximum of a signed 32-bit integer. */
const INT32 = 2 ** 31 - 1;

/** For the types that occur in lists, the keywords that apply only to that type. */
const KEYWORDS_OF: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'x-max-bytes'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'maxProperties', 'propertyNames'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'format'],
};

/**
 * The description for clients, derived from the one that the server uses: numbers state their format; alternatives that
 * are accepted but not documented (`x-undocumented`) are left out; values that are accepted in the place of lists of
 * texts (`x-scalars`, `x-flattened`) are documented; and a value of several types is a choice of schemas with one type
 * each.
 */
export function publicDescription(document: OpenApiDocument): OpenApiDocument {
  return withoutUnused(
    mapSchemas(document, (schema) => withNumberFormat(withOneType(withLooseValues(withoutUndocumented(schema))))),
  );
}

/** The type that a client in a typed language declares: 32 bits if the limits allow it. */
function withNumberFormat(schema: SchemaObject): SchemaObject {
  if (schema.format !== undefined || schema['enum'] !== undefined) return schema;
  const types = [schema.type ?? []].flat();
  if (types.includes('number')) return { ...schema, format: 'double' };
  if (!types.includes('integer')) return schema;
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const isSmall = minimum !== undefined && minimum >= -INT32 - 1 && maximum !== undefined && maximum <= INT32;
  return { ...schema, format: isSmall ? 'int32' : 'int64' };
}

function withoutUndocumented(schema: SchemaObject): SchemaObject {
  const { oneOf, ...rest } = schema;
  const told = oneOf?.filter((part) => part['x-undocumented'] !== true);
  if (told === undefined || told.length === oneOf!.length) return schema;
  return told.length === 1 ? { ...told[0], ...rest } : { ...rest, oneOf: told };
}

const SCALARS: readonly SchemaObject[] = [{ type: 'string' }, { type: 'number', format: 'double' }, {
  type: 'boolean',
}];

/** What else metadata may be: they are flattened. */
const NESTED: readonly SchemaObject[] = [{ type: 'object', additionalProperties: true }, { type: 'null' }];

/**
 * A map of lists of texts whose values may also be single texts, numbers or booleans, and nested where they are
 * flattened.
 */
function withLooseValues(
  { 'x-scalars': takesScalars, 'x-flattened': isFlattened, ...schema }: SchemaObject,
): SchemaObject {
  if (takesScalars !== true && isFlattened !== true) return schema;
  const { items, ...list } = schema.additionalProperties as SchemaObject;
  const others = [items as SchemaObject, ...SCALARS.slice(1), ...(isFlattened === true ? NESTED : [])];
  const texts: SchemaObject = { 'x-plain': 'string', oneOf: others };
  return { ...schema, additionalProperties: { 'x-plain': 'array', oneOf: [{ ...list, items: texts }, ...others] } };
}

/** Null in combination with one other type stays, because generators support it. */
function withOneType(schema: SchemaObject): SchemaObject {
  const types = [schema.type ?? []].flat();
  const others = types.filter((type) => type !== 'null');
  if (others.length < 2) return schema;
  const shared = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== 'type' && !Object.values(KEYWORDS_OF).flat().includes(key)),
  );
  const oneOf = types.map((type) => ({
    type,
    ...Object.fromEntries((KEYWORDS_OF[type] ?? []).filter((key) => key in schema).map((key) => [key, schema[key]])),
  }));
  return { ...shared, oneOf: oneOf.map(withNumberFormat) };
}
