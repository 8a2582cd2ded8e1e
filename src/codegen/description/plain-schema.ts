import { withoutFieldChoices } from '../field-choices.ts';
import { resolve, type OpenApiDocument, type SchemaObject } from '../openapi-types.ts';
import { mapSchema } from './map-schemas.ts';

/** Keywords of JSON Schema that OpenAPI 3.0 lacks, or that only a validator of requests has a use for. */
const NOT_PLAIN = ['examples', 'propertyNames', 'prefixItems', 'const', 'contains', '$comment', 'not', 'anyOf'];

/** A schema in the words of OpenAPI 3.0, of one whose parts are plain already; `document` is where its references lead. */
export function plainSchema(document: OpenApiDocument, schema: SchemaObject): SchemaObject {
  if (schema.$ref !== undefined) return plainReference(document, schema);
  const { type, nullable } = plainType(schema);
  const kept = Object.entries(withoutFieldChoices(schema)).filter(([key]) => !NOT_PLAIN.includes(key) && key !== 'type');
  const plain: SchemaObject = { ...(type !== undefined && { type }), ...Object.fromEntries(kept), ...(nullable && { nullable: true }) };
  if (schema['const'] !== undefined) plain['enum'] = [schema['const']];
  if (schema['examples'] !== undefined) plain['example'] = (schema['examples'] as unknown[])[0];
  if (typeof schema['pattern'] === 'string') plain['pattern'] = plainPattern(schema['pattern']);
  return withPlainDefault(withPlainBounds(withPlainChoice(document, withPlainEnum(withItems(plain)))));
}

/**
 * Null is no member of an enumeration for most generators, and a truth value no enumeration: both are told in words. So are
 * enumerations that may grow: most generated clients fail on a value that they do not know.
 */
function withPlainEnum(schema: SchemaObject): SchemaObject {
  const { enum: values, ...rest } = schema as SchemaObject & { enum?: unknown[] };
  if (values === undefined || (schema.type === 'string' && schema['nullable'] !== true && schema['x-growing'] !== true)) return schema;
  if (schema.type === 'boolean') return rest;
  const names = values.filter((value) => value !== null).map((value) => `\`${String(value)}\``);
  const phrase = schema['x-growing'] === true ? 'So far one of' : 'One of';
  return { ...rest, description: `${rest.description ?? ''} ${phrase} ${names.join(', ')}.`.trim() };
}

/** Every dialect of regular expressions knows `\x1f`, while Perl and Go lack `\u001f`. */
function plainPattern(pattern: string): string {
  return pattern.replace(/\\(?:u00([0-9a-fA-F]{2})|.)/g, (escape, code?: string) => code === undefined ? escape : `\\x${code}`);
}

/** The type that all values have, if they have one. */
function plainType(schema: SchemaObject): { type: string | undefined; nullable: boolean } {
  const types = [schema.type ?? []].flat();
  const others = types.filter((type) => type !== 'null');
  return { type: others.length === 1 ? others[0] : undefined, nullable: others.length < types.length };
}

/** Null is no schema in 3.0. A choice between types is of the one that the source names, or of none. */
function withPlainChoice(document: OpenApiDocument, { oneOf, ...schema }: SchemaObject): SchemaObject {
  if (oneOf === undefined) return schema;
  const named: SchemaObject[] = oneOf.filter((part) => Object.keys(part).join() !== 'nullable');
  const isNullable = named.length < oneOf.length;
  if (named.length === 1 && isNullable) return { ...schema, type: resolve(document, named[0]!).type!, nullable: true, allOf: named };
  if (named.every((part) => part.$ref !== undefined)) return { ...schema, oneOf: named };
  const chosen = named.find((part) => resolve(document, part).type === schema['x-plain']);
  return chosen?.$ref === undefined ? { ...schema, ...chosen } : { ...schema, allOf: [chosen] };
}

function withPlainBounds(schema: SchemaObject): SchemaObject {
  const { exclusiveMinimum } = schema;
  return typeof exclusiveMinimum === 'number' ? { ...schema, minimum: exclusiveMinimum, exclusiveMinimum: true } : schema;
}

/** What an object or list is by default is best left to the server. */
function withPlainDefault({ default: value, ...schema }: SchemaObject): SchemaObject {
  if (value === undefined) return schema;
  const told = typeof value === 'object' ? '' : ` Default: \`${String(value)}\`.`;
  return { ...schema, description: `${schema.description ?? ''}${told}`.trim() };
}

/** A list says of what. */
function withItems(schema: SchemaObject): SchemaObject {
  return schema.type === 'array' && schema.items === undefined ? { ...schema, items: {} } : schema;
}

/** OpenAPI 3.0 ignores what stands beside a reference. */
function plainReference(document: OpenApiDocument, { $ref, ...beside }: SchemaObject): SchemaObject {
  const target = resolve(document, { $ref } as SchemaObject);
  const isClosed = target['enum'] !== undefined && target['x-growing'] !== true;
  const isNamed = isClosed || target.properties !== undefined || target.additionalProperties !== undefined || target.oneOf !== undefined || target.allOf !== undefined;
  if (!isNamed) return mapSchema({ ...target, ...beside }, (schema) => plainSchema(document, schema));
  const { description, ...plain } = withPlainDefault({ description: target.description ?? '', ...beside });
  const said = Object.keys(beside).some((key) => key !== 'default') ? { description, ...plain } : {};
  return Object.keys(said).length === 0 ? { $ref: $ref! } : { allOf: [{ $ref: $ref! }], ...said };
}
