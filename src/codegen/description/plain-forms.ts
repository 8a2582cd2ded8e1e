import { type MediaTypeObject, type OpenApiDocument, type OperationObject, operationsOf, resolve,
  type SchemaObject } from '../openapi-types.ts';

/**
 * A client sends a file in one way, as a form, and has one argument of each name: fields that are also in the query
 * stay only in the query. Changes the document.
 */
export function withOneForm(document: OpenApiDocument): OpenApiDocument {
  for (const { operation } of operationsOf(document)) {
    const form = operation.requestBody?.content['multipart/form-data'];
    if (form?.schema === undefined) continue;
    const schema = resolve(document, form.schema);
    operation.requestBody!.content = {
      'multipart/form-data': formWithout(document, { ...form, schema }, namesOf(document, operation)),
    };
  }
  return document;
}

function namesOf(document: OpenApiDocument, { parameters = [] }: OperationObject): string[] {
  return parameters.map((parameter) => resolve(document, parameter).name);
}

function formWithout(document: OpenApiDocument, { schema, example, ...media }: MediaTypeObject,
  names: readonly string[]): MediaTypeObject
{
  const { properties = {}, required = [], ...rest } = schema!;
  const kept = required.filter((name) => !names.includes(name));
  return {
    ...media,
    schema: {
      ...rest,
      properties: writtenOut(document, without(properties, names)),
      ...(kept.length > 0 && { required: kept }),
    },
    ...(example !== undefined && { example: without(example as object, names) }),
  };
}

/**
 * Fields of a form are texts. Generators do not recognise a reference to an enumeration as a text, so it is inlined.
 */
function writtenOut(document: OpenApiDocument, properties: Record<string, SchemaObject>): Record<string, SchemaObject> {
  return Object.fromEntries(Object.entries(properties).map(([name, { $ref, ...beside }]) => {
    const target = $ref === undefined ? undefined : resolve<SchemaObject>(document, { $ref });
    return [name,
      target?.type === 'string' ? { ...target, ...beside } : { ...($ref !== undefined && { $ref }), ...beside }];
  }));
}

function without<T extends object>(object: T, names: readonly string[]): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T;
}
