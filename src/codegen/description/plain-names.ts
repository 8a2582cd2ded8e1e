import { type OpenApiDocument, operationsOf, type SchemaObject } from '../openapi-types.ts';
import { mapSchemas } from './map-schemas.ts';

const PREFIX = '#/components/schemas/';

/**
 * A schema whose name equals the type that a generator creates for the response of an operation would collide with it,
 * so `SearchResponse` of `search` becomes `SearchOutput`.
 */
export function withFreeNames(document: OpenApiDocument): OpenApiDocument {
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
export function withNamesOfValues(document: OpenApiDocument): OpenApiDocument {
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
