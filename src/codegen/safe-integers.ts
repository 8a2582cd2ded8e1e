import { mapSchemas } from './description/index.ts';
import type { OpenApiDocument, SchemaObject } from './openapi-types.ts';

/** A document whose integers without bounds have the format `int64`, by which the server refuses what JSON numbers cannot hold exactly. */
export function withSafeIntegers(document: OpenApiDocument): OpenApiDocument {
  return mapSchemas(document, withSafeInteger);
}

/** One with both bounds says by itself what is refused. */
function withSafeInteger(schema: SchemaObject): SchemaObject {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const isInteger = types.length === 1 && types[0] === 'integer';
  if (!isInteger || schema.format !== undefined || schema['enum'] !== undefined) return schema;
  const isBounded = schema['minimum'] !== undefined && schema['maximum'] !== undefined;
  return isBounded ? schema : { ...schema, format: 'int64' };
}
