import { resolve, type OpenApiDocument, type OperationObject, type ParameterObject } from '../openapi-types.ts';

/** Headers of conditional requests (RFC 9110, section 13.1). */
const CONDITIONAL = ['If-Match', 'If-None-Match'];

/**
 * A document without the headers of conditional requests: each would be an additional argument of a generated function, before
 * the important ones. `ifChecksum` of a body has the same effect as `If-Match`.
 */
export function withoutConditionalHeaders(document: OpenApiDocument): OpenApiDocument {
  const isKept = (parameter: ParameterObject): boolean => !CONDITIONAL.includes(resolve(document, parameter).name);
  const withKept = (operation: OperationObject): OperationObject => (
    operation.parameters === undefined ? operation : { ...operation, parameters: operation.parameters.filter(isKept) }
  );
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path, Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withKept(operation as OperationObject)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
}
