import { mapSchemas } from './description/index.ts';
import type { OpenApiDocument, SchemaObject } from './openapi-types.ts';

/**
 * A document whose integers all have limits: if it names none, those that JSON numbers represent exactly (RFC 8259,
 * section 6).
 */
export function withSafeIntegers(document: OpenApiDocument): OpenApiDocument {
  return mapSchemas(document, withSafeInteger);
}

function withSafeInteger(schema: SchemaObject): SchemaObject {
  const isInteger = [schema.type ?? []].flat().includes('integer');
  if (!isInteger || schema['enum'] !== undefined) return schema;
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema as { minimum?: number;
    maximum?: number };
  return { ...schema, minimum, maximum };
}
