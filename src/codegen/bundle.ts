import { BaseResolver, bundle, createConfig, lintDocument, makeDocumentFromString,
  type NormalizedProblem } from '@redocly/openapi-core';
import { mapSchemas } from './description/map-schemas.ts';
import { type OpenApiDocument, type SchemaObject, SpecificationError } from './openapi-types.ts';
import { addStandardResponses } from './standard-responses.ts';

/** The rules for our specifications, in addition to Redocly's recommended ones, all of which are on. */
const LINT_RULES = {
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
  'operation-operationId-url-safe': 'error',
  'operation-description': 'error',
  'operation-summary': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'operation-4xx-response': 'error',
  'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
  'no-invalid-schema-examples': 'error',
  'no-unresolved-refs': 'error',
  'no-unused-components': 'error',
  'no-ambiguous-paths': 'error',
  'path-parameters-defined': 'error',
  'parameter-description': 'error',
} as const;

/**
 * Reads a service's root document, joins its areas into one, and adds the parts that the conventions of
 * openapi/README.md imply. Throws SpecificationError if it does not resolve or lint.
 */
export async function bundleSpecification(root: string): Promise<OpenApiDocument> {
  const result = await bundle({ ref: root, config: await configuration(), dereference: false });
  failOn(result.problems);
  const document = withSafeIntegers(addStandardResponses(result.bundle.parsed as OpenApiDocument));
  await lintDescription(document, root);
  return document;
}

/** Throws SpecificationError if a description does not lint; `source` is the file from which it was made. */
export async function lintDescription(description: OpenApiDocument, source: string): Promise<void> {
  const document = makeDocumentFromString(JSON.stringify(description), source);
  failOn(await lintDocument({ document, config: await configuration(), externalRefResolver: new BaseResolver() }));
}

function configuration(): ReturnType<typeof createConfig> {
  return createConfig({ extends: ['recommended'], rules: LINT_RULES });
}

function failOn(problems: readonly NormalizedProblem[]): void {
  // Warnings are treated as errors.
  const errors = problems.filter((problem) => !problem.ignored);
  if (errors.length === 0) return;
  const lines = errors.slice(0, 50).map((problem) => {
    const place = problem.location[0];
    return `${problem.severity} ${problem.ruleId}: ${problem.message}\n    at ${place?.source.absoluteRef ?? ''}${
      place?.pointer ?? ''
    }`;
  });
  throw new SpecificationError(`${errors.length} problems in the specification:\n${lines.join('\n')}`);
}

/**
 * A document whose integers all have limits: if it names none, those that JSON numbers represent exactly (RFC 8259,
 * section 6).
 */
function withSafeIntegers(document: OpenApiDocument): OpenApiDocument {
  return mapSchemas(document, withSafeInteger);
}

function withSafeInteger(schema: SchemaObject): SchemaObject {
  const isInteger = [schema.type ?? []].flat().includes('integer');
  if (!isInteger || schema['enum'] !== undefined) return schema;
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema as { minimum?: number;
    maximum?: number };
  return { ...schema, minimum, maximum };
}
