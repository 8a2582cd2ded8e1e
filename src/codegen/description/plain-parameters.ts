import { type OpenApiDocument, type OperationObject, type ParameterObject, resolve } from '../openapi-types.ts';

/** Headers of conditional requests (RFC 9110, section 13.1). */
const CONDITIONAL = ['If-Match', 'If-None-Match'];

/**
 * A document without the headers of conditional requests: each would be an additional argument of a generated function,
 * before the important ones. `ifChecksum` of a body has the same effect as `If-Match`.
 */
export function withoutConditionalHeaders(document: OpenApiDocument): OpenApiDocument {
  const isKept = (parameter: ParameterObject): boolean => !CONDITIONAL.includes(resolve(document, parameter).name);
  return withParameters(document, (parameters) => parameters.filter(isKept));
}

/**
 * A document in which a map in the query is a list of texts `KEY=VALUE`, which servers read alike. Generators differ in
 * what they send for a map (`deepObject`), and openapi-generator's Java client for the library `native` does not
 * compile with one.
 */
export function withoutMapsInQuery(document: OpenApiDocument): OpenApiDocument {
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
