import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenApiDocument, type OperationObject, operationsOf, type ParameterObject, resolve,
  type SchemaObject } from '../../src/codegen/openapi-types.ts';

export type Service = 'docs' | 'runs';

/** A call of an SDK function, made from the examples in the specification. */
export interface ExampleCall {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Status of a success. */
  readonly status: number;
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
  /** The argument of the SDK's function. */
  readonly options: { body?: unknown; path?: Record<string, unknown>; query?: Record<string, unknown>;
    headers?: Record<string, unknown> };
  /** The example of the response, if the response is JSON. */
  readonly answer: unknown;
}

export const specificationFile = (service: Service): string =>
  join(import.meta.dirname, '..', '..', 'generated', service, 'openapi.json');

/** One call for each operation of a service. */
export function exampleCalls(service: Service): ExampleCall[] {
  const document = JSON.parse(readFileSync(specificationFile(service), 'utf8')) as OpenApiDocument;
  return [...operationsOf(document)].map(({ path, method, operation }) =>
    exampleCall(document, path, method, operation)
  );
}

function exampleCall(document: OpenApiDocument, path: string, method: string, operation: OperationObject): ExampleCall {
  const status = Number(Object.keys(operation.responses).find((code) => code.startsWith('2')));
  const content = resolve(document, operation.responses[status]!).content ?? {};
  const body = exampleBody(document, operation);
  return {
    operationId: operation.operationId,
    method,
    path,
    status,
    produces: Object.keys(content),
    consumes: Object.keys(operation.requestBody?.content ?? {}),
    options: { ...(body === undefined ? {} : { body }), ...exampleParameters(document, operation) },
    answer: exampleOf(content['application/json']),
  };
}

function exampleBody(document: OpenApiDocument, operation: OperationObject): unknown {
  const content = operation.requestBody?.content;
  if (content === undefined) return undefined;
  const media = content['application/json'] ?? Object.values(content)[0]!;
  const example = exampleOf(media);
  return 'multipart/form-data' in content
    ? withFiles(document, media.schema!, example as Record<string, unknown>)
    : example;
}

/** Files are text in an example, but blobs in a call. */
function withFiles(document: OpenApiDocument, schema: SchemaObject,
  example: Record<string, unknown>): Record<string, unknown>
{
  const properties = resolve(document, schema).properties ?? {};
  const isFile = (name: string) =>
    properties[name]?.format === 'binary' || properties[name]?.['contentMediaType'] !== undefined;
  return Object.fromEntries(
    Object.entries(example).map((
      [name, value],
    ) => [name, isFile(name) ? new File([String(value)], 'example.md') : value]),
  );
}

function exampleOf(media: { example?: unknown; examples?: Record<string, { value?: unknown }> } | undefined): unknown {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}

function exampleParameters(document: OpenApiDocument,
  operation: OperationObject): Pick<ExampleCall['options'], 'path' | 'query' | 'headers'>
{
  const groups: Record<string, Record<string, unknown>> = {};
  for (const parameter of (operation.parameters ?? []).map((value) => resolve(document, value))) {
    const value = parameterExample(document, parameter);
    if (value === undefined) continue;
    const group = parameter.in === 'header' ? 'headers' : parameter.in;
    groups[group] = { ...groups[group], [parameter.name]: value };
  }
  return groups;
}

/** Optional parameters are omitted unless the specification has an example of them. */
function parameterExample(document: OpenApiDocument, parameter: ParameterObject & { example?: unknown }): unknown {
  if (parameter.example !== undefined) return parameter.example;
  const schema = resolve(document, parameter.schema) as SchemaObject & { examples?: unknown[]; enum?: unknown[] };
  if (!parameter.required) return undefined;
  return schema.examples?.[0] ?? schema.enum?.[0] ?? 'example';
}
