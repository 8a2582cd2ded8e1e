import { type OpenApiDocument, resolve, type SchemaObject } from '../openapi-types.ts';
import { mapSchema } from './map-schemas.ts';

/** Keywords of JSON Schema that OpenAPI 3.0 lacks, or that only a validator of requests uses. */
const NOT_PLAIN = ['examples', 'propertyNames', 'prefixItems', 'const', 'contains', '$comment', 'not', 'anyOf'];

/** Converts a schema whose parts are already plain to OpenAPI 3.0; `document` resolves its references. */
export function plainSchema(document: OpenApiDocument, schema: SchemaObject): SchemaObject {
  if (schema.$ref !== undefined) return plainReference(document, schema);
  const { type, nullable } = plainType(schema);
  const kept = Object.entries(withoutFieldChoices(schema)).filter(([key]) =>
    !NOT_PLAIN.includes(key) && key !== 'type'
  );
  const plain: SchemaObject = {
    ...(type !== undefined && { type }),
    ...Object.fromEntries(kept),
    ...(nullable && { nullable: true }),
  };
  if (schema['const'] !== undefined) plain['enum'] = [schema['const']];
  if (schema['examples'] !== undefined) plain['example'] = (schema['examples'] as unknown[])[0];
  if (typeof schema['pattern'] === 'string') plain['pattern'] = plainPattern(schema['pattern']);
  return withPlainDefault(withPlainBounds(withPlainChoice(document, withPlainEnum(withItems(plain)))));
}

/**
 * Most generators do not support null as a value of an enumeration, or an enumeration of booleans: both are described
 * in prose. So are enumerations that may grow, because most generated clients fail on an unknown value.
 */
function withPlainEnum(schema: SchemaObject): SchemaObject {
  const { enum: values, ...rest } = schema as SchemaObject & { enum?: unknown[] };
  if (values === undefined || (schema.type === 'string' && schema['nullable'] !== true && schema['x-growing'] !== true))
    return schema;
  if (schema.type === 'boolean') return rest;
  const names = values.filter((value) => value !== null).map((value) => `\`${String(value)}\``);
  const phrase = schema['x-growing'] === true ? 'So far one of' : 'One of';
  return { ...rest, description: `${rest.description ?? ''} ${phrase} ${names.join(', ')}.`.trim() };
}

/** Every regular-expression dialect supports `\x1f`, while Perl and Go lack `\u001f`. */
function plainPattern(pattern: string): string {
  return pattern.replace(/\\(?:u00([0-9a-fA-F]{2})|.)/g,
    (escape, code?: string) => code === undefined ? escape : `\\x${code}`);
}

/** The common type of all values, if there is one. */
function plainType(schema: SchemaObject): { type: string | undefined; nullable: boolean } {
  const types = [schema.type ?? []].flat();
  const others = types.filter((type) => type !== 'null');
  return { type: others.length === 1 ? others[0] : undefined, nullable: others.length < types.length };
}

/** OpenAPI 3.0 has no null schema. A choice between types becomes the type that the source names, or no type. */
function withPlainChoice(document: OpenApiDocument, { oneOf, ...schema }: SchemaObject): SchemaObject {
  if (oneOf === undefined) return schema;
  const named: SchemaObject[] = oneOf.filter((part) => Object.keys(part).join() !== 'nullable');
  const isNullable = named.length < oneOf.length;
  if (named.length === 1 && isNullable)
    return { ...schema, type: resolve(document, named[0]!).type!, nullable: true, allOf: named };
  if (named.every((part) => part.$ref !== undefined)) return { ...schema, oneOf: named };
  const chosen = named.find((part) => resolve(document, part).type === schema['x-plain']);
  return chosen?.$ref === undefined ? { ...schema, ...chosen } : { ...schema, allOf: [chosen] };
}

function withPlainBounds(schema: SchemaObject): SchemaObject {
  const { exclusiveMinimum } = schema;
  return typeof exclusiveMinimum === 'number'
    ? { ...schema, minimum: exclusiveMinimum, exclusiveMinimum: true }
    : schema;
}

/** Defaults of objects and lists are left to the server. */
function withPlainDefault({ default: value, ...schema }: SchemaObject): SchemaObject {
  if (value === undefined) return schema;
  const told = typeof value === 'object' ? '' : ` Default: \`${String(value)}\`.`;
  return { ...schema, description: `${schema.description ?? ''}${told}`.trim() };
}

/** A list must state the type of its items. */
function withItems(schema: SchemaObject): SchemaObject {
  return schema.type === 'array' && schema.items === undefined ? { ...schema, items: {} } : schema;
}

/** OpenAPI 3.0 ignores keywords beside a reference. */
function plainReference(document: OpenApiDocument, { $ref, ...beside }: SchemaObject): SchemaObject {
  const target = resolve(document, { $ref } as SchemaObject);
  const isClosed = target['enum'] !== undefined && target['x-growing'] !== true;
  const isNamed = isClosed || target.properties !== undefined || target.additionalProperties !== undefined ||
    target.oneOf !== undefined || target.allOf !== undefined;
  if (!isNamed) return mapSchema({ ...target, ...beside }, (schema) => plainSchema(document, schema));
  const { description, ...plain } = withPlainDefault({ description: target.description ?? '', ...beside });
  const said = Object.keys(beside).some((key) => key !== 'default') ? { description, ...plain } : {};
  return Object.keys(said).length === 0 ? { $ref: $ref! } : { allOf: [{ $ref: $ref! }], ...said };
}

export const CHOICES = ['anyOf', 'oneOf'] as const;

/** Whether alternatives only say which fields are required (openapi/README.md, "Inputs"). */
export function isFieldChoice(alternatives: readonly SchemaObject[] | undefined): boolean {
  return alternatives !== undefined && alternatives.every((each) => Object.keys(each).join() === 'required');
}

/** The schema for clients that cannot use such a rule; the rule is also in the description. */
export function withoutFieldChoices(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) =>
      !(CHOICES.some((each) => each === keyword) && isFieldChoice(value as SchemaObject[]))
    ),
  );
}
