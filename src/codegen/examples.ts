import { type MediaTypeObject, type OpenApiDocument, type OperationObject, operationsOf, type ParameterObject, resolve,
  type ResponseObject, type SchemaObject, SpecificationError } from './openapi-types.ts';

/**
 * Throws SpecificationError if the description lacks examples. Each operation needs an example of its body in one media
 * type, of every required parameter (or of one parameter if none is required), and of each successful JSON response, so
 * that it can be tried from its description alone. Linters check that examples conform to their schemas; the contract
 * tests send them.
 */
export function checkExamples(document: OpenApiDocument, name: string): void {
  const lacking = [...operationsOf(document)].flatMap(({ operation }) =>
    [...requestWithout(document, operation), ...answersWithout(document, operation)].map((what) =>
      `${operation.operationId}: ${what}`
    )
  );
  if (lacking.length === 0) return;
  throw new SpecificationError(
    `${lacking.length} examples are missing in the ${name} specification:\n${lacking.join('\n')}`,
  );
}

function requestWithout(document: OpenApiDocument, { parameters = [], requestBody }: OperationObject): string[] {
  const all = parameters.map((each) => resolve(document, each));
  const required = all.filter((each) => each.required === true && !parameterHasExample(document, each)).map((each) =>
    `the ${each.in} parameter ${each.name} has no example`
  );
  if (requestBody !== undefined) {
    return Object.values(requestBody.content).some(hasExample) ? required : [...required, 'the body has no example'];
  }
  const tried = all.length === 0 || all.some((each) => each.required === true || parameterHasExample(document, each));
  return tried ? required : ['none of the parameters has an example'];
}

function answersWithout(document: OpenApiDocument, { responses }: OperationObject): string[] {
  return Object.entries(responses).filter(([status]) => status.startsWith('2')).flatMap(([status, response]) => {
    const media = resolve<ResponseObject>(document, response).content?.['application/json'];
    return media === undefined || hasExample(media) ? [] : [`the answer ${status} has no example`];
  });
}

const hasExample = ({ example, examples }: MediaTypeObject): boolean =>
  example !== undefined || Object.values(examples ?? {}).some(({ value }) => value !== undefined);

/** The values that a schema lists count as examples. */
function parameterHasExample(document: OpenApiDocument, parameter: ParameterObject & { example?: unknown }): boolean {
  return parameter.example !== undefined ||
    [parameter.schema, resolve<SchemaObject>(document, parameter.schema)].some((schema) =>
      schema['examples'] !== undefined || schema['enum'] !== undefined
    );
}
