import { type OpenApiDocument, type OperationObject, operationsOf } from './openapi-types.ts';

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
