import { BaseResolver, bundle, createConfig, lintDocument, makeDocumentFromString,
  type NormalizedProblem } from '@redocly/openapi-core';
import { mapSchemas } from './description/map-schemas.ts';
import { type OpenApiDocument, type OperationObject, operationsOf, type SchemaObject,
  SpecificationError } from './openapi-types.ts';

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
  // Spectral checks the examples of what is published.
  'no-invalid-media-type-examples': 'off',
  'no-invalid-schema-examples': 'off',
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

/** The shared response for each status; a service defines the ones that it returns. */
const SHARED: Record<string, string> = {
  '400': 'BadRequest',
  '401': 'Unauthorized',
  '403': 'Forbidden',
  '408': 'RequestTimeout',
  '413': 'PayloadTooLarge',
  '415': 'UnsupportedMediaType',
  '429': 'TooManyRequests',
  '431': 'HeadersTooLarge',
  '500': 'InternalError',
  '501': 'NotImplemented',
  '503': 'Unavailable',
};

/**
 * Adds to each operation the errors and the security requirement that its access, effect and input imply, so that areas
 * need not repeat them (openapi/README.md, "Operations").
 */
export function addStandardResponses(document: OpenApiDocument): OpenApiDocument {
  const defined = document.components.responses ?? {};
  const schemes = Object.keys(document.components.securitySchemes ?? {});
  for (const { operation } of operationsOf(document)) {
    for (const status of standardStatuses(operation)) {
      const name = SHARED[status];
      if (name === undefined || defined[name] === undefined) continue;
      operation.responses[status] ??= { $ref: `#/components/responses/${name}` };
    }
    operation.responses = sortedByStatus(operation.responses);
    operation.security = securityOf(operation, schemes);
  }
  return document;
}

/** Clients send a credential if it is required or makes a difference (`x-credential`). */
function securityOf(operation: OperationObject, schemes: readonly string[]): OperationObject['security'] {
  const each = schemes.map((scheme) => ({ [scheme]: [] }));
  if (operation['x-access'] !== 'public') return each;
  return operation['x-credential'] === 'optional' ? [{}, ...each] : [];
}

function standardStatuses(operation: OperationObject): string[] {
  const hasBody = operation.requestBody !== undefined;
  const hasInput = hasBody || (operation.parameters ?? []).length > 0;
  const restricted = operation['x-access'] !== 'public';
  return [...(hasInput ? ['400'] : []), ...(restricted ? ['401'] : []),
    ...(restricted || operation['x-effect'] !== 'none' ? ['403'] : []), ...(hasBody ? ['408', '413', '415'] : []),
    '429', '431', '500', '501', '503'];
}

function sortedByStatus(responses: OperationObject['responses']): OperationObject['responses'] {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b)));
}
