import { type MediaTypeObject, type OpenApiDocument, type OperationObject, operationsOf, type ParameterObject, resolve,
  type SchemaObject } from '../openapi-types.ts';
import { mapSchemas, withoutUnused } from './map-schemas.ts';
import { plainSchema } from './plain-schema.ts';

/**
 * A public description in the subset of OpenAPI 3.0.3 that generators of typed clients support. It says less than its
 * source; the server still checks the rules that it cannot express.
 *
 * - no webhooks, no keywords of our own, no rules between fields (`anyOf` and `oneOf` of `required`);
 * - every schema has one type or, if values have several and `x-plain` names none of them, no type;
 * - references stand alone: scalars and lists are inlined, objects and enumerations are wrapped if there are keywords
 *   beside the reference;
 * - patterns are written so that they mean the same in dialects other than JavaScript's;
 * - defaults are stated in descriptions, because a client that sends them would override a collection's settings;
 * - no headers of conditional requests, which would be arguments of generated functions;
 * - a map in the query is a list of texts `KEY=VALUE`;
 * - a file is sent as a form, which has no field that is a parameter of the same operation;
 * - schemas and values of enumerations have no names that generators use for something else.
 */
export function plainDescription(document: OpenApiDocument): OpenApiDocument {
  const { webhooks: _, ...rest } = structuredClone(document) as OpenApiDocument & { webhooks?: unknown };
  const plain = mapSchemas(withoutMapsInQuery(withoutConditionalHeaders(withOneForm(rest))),
    (schema) => plainSchema(document, schema));
  return withNamesOfValues(
    withoutUnused(withFreeNames(withoutExtensions({ ...plain, openapi: '3.0.3', info: plainInfo(plain.info) }))),
  );
}

/** `summary` was introduced in OpenAPI 3.1. */
function plainInfo(
  { summary, description, ...info }: OpenApiDocument['info'] & { summary?: string; description?: string },
): OpenApiDocument['info'] {
  const texts = [summary, description].filter((text) => text !== undefined);
  return { ...info, description: texts.join(' ') } as OpenApiDocument['info'];
}

/** Extensions are for our own generators. */
function withoutExtensions<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutExtensions) as T;
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'example' || key === 'examples' ? value : withoutExtensions(value)]),
  ) as T;
}

/**
 * A client sends a file in one way, as a form, and has one argument of each name: fields that are also in the query
 * stay only in the query. Changes the document.
 */
function withOneForm(document: OpenApiDocument): OpenApiDocument {
  for (const { operation } of operationsOf(document)) {
    const form = operation.requestBody?.content['multipart/form-data'];
    if (form?.schema === undefined) continue;
    const schema = resolve(document, form.schema);
    operation.requestBody!.content = {
      'multipart/form-data': formWithout(document, { ...form, schema }, namesOf(document, operation)),
    };
  }
  return document;
}

function namesOf(document: OpenApiDocument, { parameters = [] }: OperationObject): string[] {
  return parameters.map((parameter) => resolve(document, parameter).name);
}

function formWithout(document: OpenApiDocument, { schema, example, ...media }: MediaTypeObject,
  names: readonly string[]): MediaTypeObject
{
  const { properties = {}, required = [], ...rest } = schema!;
  const kept = required.filter((name) => !names.includes(name));
  return {
    ...media,
    schema: {
      ...rest,
      properties: writtenOut(document, without(properties, names)),
      ...(kept.length > 0 && { required: kept }),
    },
    ...(example !== undefined && { example: without(example as object, names) }),
  };
}

/**
 * Fields of a form are texts. Generators do not recognise a reference to an enumeration as a text, so it is inlined.
 */
function writtenOut(document: OpenApiDocument, properties: Record<string, SchemaObject>): Record<string, SchemaObject> {
  return Object.fromEntries(Object.entries(properties).map(([name, { $ref, ...beside }]) => {
    const target = $ref === undefined ? undefined : resolve<SchemaObject>(document, { $ref });
    return [name,
      target?.type === 'string' ? { ...target, ...beside } : { ...($ref !== undefined && { $ref }), ...beside }];
  }));
}

function without<T extends object>(object: T, names: readonly string[]): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T;
}

const PREFIX = '#/components/schemas/';

/**
 * A schema whose name equals the type that a generator creates for the response of an operation would collide with it,
 * so `SearchResponse` of `search` becomes `SearchOutput`.
 */
function withFreeNames(document: OpenApiDocument): OpenApiDocument {
  const taken = new Set(
    [...operationsOf(document)].map(({ operation: { operationId } }) =>
      `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Response`
    ),
  );
  const nameOf = (name: string) => taken.has(name) ? freeName(document, name.replace(/Response$/, 'Output')) : name;
  const referring = mapSchemas(document,
    (schema) =>
      schema.$ref?.startsWith(PREFIX)
        ? { ...schema, $ref: `${PREFIX}${nameOf(schema.$ref.slice(PREFIX.length))}` }
        : schema);
  const schemas = Object.fromEntries(
    Object.entries(referring.components.schemas).map(([name, schema]) => [nameOf(name), schema]),
  );
  return { ...referring, components: { ...referring.components, schemas } };
}

function freeName({ components: { schemas } }: OpenApiDocument, name: string): string {
  return name in schemas ? freeName({ components: { schemas } } as OpenApiDocument, `${name}Body`) : name;
}

/**
 * Names for values that several enumerations share: Go's constants belong to a package, so equal values would collide.
 */
function withNamesOfValues(document: OpenApiDocument): OpenApiDocument {
  const enums = Object.entries(document.components.schemas).filter((
    entry,
  ): entry is [string, SchemaObject & { enum: string[] }] => entry[1]['enum'] !== undefined);
  const counts = Map.groupBy(enums.flatMap(([, schema]) => schema.enum), (value) => value.toUpperCase());
  for (const [name, schema] of enums) {
    if (schema.enum.every((value) => counts.get(value.toUpperCase())!.length === 1)) continue;
    schema['x-enum-varnames'] = schema.enum.map((value) => inCapitals(`${name}-${value}`));
  }
  return document;
}

function inCapitals(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
}

/** Headers of conditional requests (RFC 9110, section 13.1). */
const CONDITIONAL = ['If-Match', 'If-None-Match'];

/**
 * A document without the headers of conditional requests: each would be an additional argument of a generated function,
 * before the important ones. `ifChecksum` of a body has the same effect as `If-Match`.
 */
function withoutConditionalHeaders(document: OpenApiDocument): OpenApiDocument {
  const isKept = (parameter: ParameterObject): boolean => !CONDITIONAL.includes(resolve(document, parameter).name);
  return withParameters(document, (parameters) => parameters.filter(isKept));
}

/**
 * A document in which a map in the query is a list of texts `KEY=VALUE`, which servers read alike. Generators differ in
 * what they send for a map (`deepObject`), and openapi-generator's Java client for the library `native` does not
 * compile with one.
 */
function withoutMapsInQuery(document: OpenApiDocument): OpenApiDocument {
  const toList = (parameter: ParameterObject): ParameterObject => {
    const { style, schema: _, example, ...rest } = resolve(document, parameter);
    if (style !== 'deepObject') return parameter;
    const pairs = Object.entries((example ?? {}) as object).map(([key, value]) => `${key}=${String(value)}`);
    return {
      ...rest,
      style: 'form',
      explode: true,
      schema: { type: 'array', items: { type: 'string' } },
      ...(example !== undefined && { example: pairs }),
    };
  };
  return withParameters(document, (parameters) => parameters.map(toList));
}

function withParameters(document: OpenApiDocument,
  change: (parameters: ParameterObject[]) => ParameterObject[]): OpenApiDocument
{
  const changed = (operation: OperationObject): OperationObject => (
    operation.parameters === undefined ? operation : { ...operation, parameters: change(operation.parameters) }
  );
  const paths = Object.entries(document.paths).map((
    [path, item],
  ) => [path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, changed(operation as OperationObject)]),
    )]
  );
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
}
