import type { OperationSpec, ParameterSpec } from '../operations/spec.ts';
import { inputLimits } from './input-limits.ts';
import { type OpenApiDocument, type OperationObject, operationsOf, type ParameterObject, resolve,
  type SchemaObject } from './openapi-types.ts';

/** An operation as the emitters need it. */
export interface OperationModel {
  readonly spec: OperationSpec;
  /** JSON schema of the flat input, with references into the document's components. */
  readonly input: SchemaObject;
  /** Fields that have a default, so they are always present after validation. */
  readonly defaulted: readonly string[];
  /** Header fields by their name in the input, because the SDK's types use the wire names. */
  readonly headers: readonly { field: string; name: string; required: boolean }[];
  readonly has: { body: boolean; path: boolean; query: boolean };
}

/** Reads every operation of a bundled document, in the document's order. */
export function modelOperations(document: OpenApiDocument): OperationModel[] {
  return [...operationsOf(document)].map(({ path, method, operation }) => modelOne(document, path, method, operation));
}

function modelOne(document: OpenApiDocument, path: string, method: string, operation: OperationObject): OperationModel {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
  const body = bodySchema(document, operation);
  const input = flatInput(document, operation, parameters, body);
  const properties = input.properties ?? {};
  const collections = operation['x-collections'] ?? ('collection' in properties ? ['collection'] : []);
  return {
    spec: {
      id: operation.operationId,
      method: method.toUpperCase() as OperationSpec['method'],
      path,
      area: operation.tags[0],
      summary: operation.summary,
      access: operation['x-access'] as OperationSpec['access'],
      effect: operation['x-effect'] as OperationSpec['effect'],
      stores: operation['x-stores'] === true ? true : undefined,
      collections: collections.length > 0 ? checkedCollections(operation, collections, properties) : undefined,
      ...(operation['x-read-fields']
        ? { readFields: checkedFields(document, operation, operation['x-read-fields']) }
        : {}),
      ...(operation['x-unread'] ? { unread: checkedUnread(document, operation, operation['x-unread']) } : {}),
      ...(operation['x-conditions']
        ? { conditions: checkedConditions(document, operation, operation['x-conditions'], properties) }
        : {}),
      ...(operation['x-pages'] === undefined
        ? {}
        : { pages: checkedPages(document, operation, operation['x-pages'], properties) }),
      ...facts(operation),
      limited: operation['x-timeout'] !== 'none',
      sanitize: operation['x-sanitize'] === true,
      ...inputLimits(document, operation, input),
      status: successStatus(operation),
      ...(operation['x-other-statuses']
        ? { otherStatuses: checkedStatuses(document, operation, operation['x-other-statuses']) }
        : {}),
      parameters: parameters.map((parameter) => parameterSpec(document, parameter)),
      consumes: Object.keys(operation.requestBody?.content ?? {}),
      requiresBody: requiresBody(operation, body) ? true : undefined,
      produces: Object.keys(resolve(document, operation.responses[successStatus(operation)]!).content ?? {}),
      error: operation['x-error'],
    },
    input,
    defaulted: Object.keys(properties).filter((name) => hasDefault(document, properties[name]!)),
    headers: parameters.filter((p) => p.in === 'header').map((p) => ({
      field: fieldName(p),
      name: p.name,
      required: p.required === true,
    })),
    has: {
      body: Object.keys(body?.properties ?? {}).length > 0,
      path: parameters.some((p) => p.in === 'path'),
      query: parameters.some((p) => p.in === 'query'),
    },
  };
}

/** What the steps of the pipeline need to know of an operation. */
function facts(operation: OperationObject): Partial<OperationSpec> {
  const given = {
    probe: operation['x-probe'],
    waitsFor: operation['x-waits-for'],
    tables: operation['x-tables'],
    search: operation['x-search'],
    local: operation['x-local'],
    noted: operation['x-noted'],
    feature: operation['x-feature'],
    scope: operation['x-scope'],
    projectAdmin: operation['x-project-admin'],
    passwordPending: operation['x-password-pending'],
    rawBody: operation['x-raw-body'],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * A field that the input lacks would name no collection, and every caller would be refused without an apparent reason.
 */
function checkedCollections({ operationId }: OperationObject, fields: readonly string[],
  properties: Record<string, SchemaObject>): readonly string[]
{
  const unknown = fields.filter((field) => !field.startsWith('_') && !(field in properties));
  if (unknown.length > 0)
    throw new Error(`${operationId}: x-collections names ${unknown.join(', ')}, which the input does not have`);
  return fields;
}

/** A path that the response lacks would withhold nothing, and a required field cannot be left out. */
function checkedFields(document: OpenApiDocument, operation: OperationObject,
  paths: readonly string[]): readonly string[]
{
  const wrong = paths.find((path) => {
    const { owners, name } = ownersOf(document, operation, path);
    return !owners.some(({ properties }) => properties?.[name] !== undefined) ||
      owners.some(({ required = [] }) => required.includes(name));
  });
  if (wrong !== undefined)
    throw new Error(
      `${operation.operationId}: x-read-fields names ${wrong}, which the answer does not have or requires`,
    );
  return paths;
}

/** A field that can be left out needs no other value, and one that the response lacks would replace nothing. */
function checkedUnread(document: OpenApiDocument, operation: OperationObject,
  replacements: Record<string, string | 0>): Record<string, string | 0>
{
  for (const [path, by] of Object.entries(replacements)) {
    const { owners, name } = ownersOf(document, operation, path);
    const isRequired = owners.some(({ required = [] }) =>
      required.includes(name) && (by === 0 || required.includes(by))
    );
    if (!isRequired)
      throw new Error(
        `${operation.operationId}: x-unread names ${path}, which the answer does not require, or ${by}, which it ` +
          'may lack',
      );
  }
  return replacements;
}

/** The objects of a response that may have the field at the end of a path. */
function ownersOf(document: OpenApiDocument, operation: OperationObject,
  path: string): { owners: SchemaObject[]; name: string }
{
  const content = resolve(document, operation.responses[successStatus(operation)]!).content ?? {};
  const answer = content['application/json']?.schema ?? {};
  const names = path.split('.');
  const owners = names.slice(0, -1).reduce(
    (objects, name) => objects.flatMap((each) => propertiesOf(document, each, name)),
    objectsOf(document, answer),
  );
  return { owners, name: names.at(-1)! };
}

/** A condition that the input lacks would be asked under another name, by callers who may not ask it. */
function checkedConditions(document: OpenApiDocument, { operationId }: OperationObject, paths: readonly string[],
  properties: Record<string, SchemaObject>): readonly string[]
{
  const wrong = paths.find((path) =>
    path.split('.').reduce((objects, name) => objects.flatMap((each) => propertiesOf(document, each, name)), [
      { properties } as SchemaObject,
    ]).length === 0
  );
  if (wrong !== undefined)
    throw new Error(`${operationId}: x-conditions names ${wrong}, which the input does not have`);
  return paths;
}

/** Headers of a response that is a list; other responses have fields for the same facts. */
const PAGE_HEADERS = ['X-Total-Count', 'X-Truncated', 'X-Next-Offset'];

/**
 * Without the fields, a list could not be paged; without the others, a response could not state that it was truncated.
 */
function checkedPages(document: OpenApiDocument, operation: OperationObject, list: string,
  input: Record<string, SchemaObject>): string
{
  const fail = (problem: string): never => {
    throw new Error(`${operation.operationId}: x-pages ${problem}`);
  };
  const missing = ['offset', 'limit'].filter((field) => !(field in input));
  if (missing.length > 0) fail(`needs ${missing.join(' and ')} in the input`);
  const { content = {}, headers = {} } = resolve(document, operation.responses[successStatus(operation)]!);
  const answer = resolve(document, content['application/json']?.schema ?? {});
  if (list === '*') {
    if (answer.type !== 'array') fail('says that the answer is a list, which it is not');
    if (PAGE_HEADERS.some((name) => !(name in headers)))
      fail(`needs the headers ${PAGE_HEADERS.join(', ')} in the answer`);
    return list;
  }
  const owner = objectsOf(document, answer).find(({ properties = {} }) =>
    resolve(document, properties[list] ?? {}).type === 'array'
  );
  if (owner === undefined || answer.type === 'array') return fail(`names ${list}, which is no list of the answer`);
  if (!('truncated' in owner.properties!) || !('nextOffset' in owner.properties!))
    fail(`needs truncated and nextOffset beside ${list}`);
  return list;
}

function propertiesOf(document: OpenApiDocument, { properties }: SchemaObject, name: string): SchemaObject[] {
  const found = properties?.[name];
  return found === undefined ? [] : objectsOf(document, found);
}

/** The objects that a schema may describe: its alternatives and parts, and the items of a list. */
function objectsOf(document: OpenApiDocument, schema: SchemaObject): SchemaObject[] {
  const own = resolve(document, schema);
  const { allOf = [], anyOf = [], oneOf = [], items } = own;
  return [own,
    ...[...allOf, ...anyOf, ...oneOf, ...(items ? [items] : [])].flatMap((part) => objectsOf(document, part))];
}

function successStatus(operation: OperationObject): number {
  const others = operation['x-other-statuses'] ?? [];
  const statuses = Object.keys(operation.responses).filter((status) =>
    status.startsWith('2') && !others.includes(Number(status))
  );
  if (statuses.length !== 1)
    throw new Error(
      `${operation.operationId}: expected exactly one success status, got ${statuses.join(', ') || 'none'}`,
    );
  return Number(statuses[0]);
}

/** A handler chooses between statuses, not between kinds of responses. */
function checkedStatuses(document: OpenApiDocument, operation: OperationObject,
  statuses: readonly number[]): readonly number[]
{
  const mediaOf = (status: number): string =>
    Object.keys(resolve(document, operation.responses[status] ?? {}).content ?? {}).join();
  const wrong = statuses.find((status) =>
    !(status in operation.responses) || mediaOf(status) !== mediaOf(successStatus(operation))
  );
  if (wrong !== undefined)
    throw new Error(
      `${operation.operationId}: x-other-statuses names ${wrong}, which is not described or has other media types`,
    );
  return statuses;
}

/** The schema of the body's fields; an operation with several media types describes the same fields in each. */
function bodySchema(document: OpenApiDocument, operation: OperationObject): SchemaObject | undefined {
  const content = operation.requestBody?.content;
  if (!content) return undefined;
  const media = content['application/json'] ?? content['multipart/form-data'];
  if (!media?.schema) return { type: 'object', properties: {} };
  const schema = resolve(document, media.schema);
  if (schema.properties === undefined)
    throw new Error(`${operation.operationId}: the body must be an object with properties`);
  return schema;
}

/** If fields of the body are required, naming them is more helpful than reporting that there is no body. */
function requiresBody(operation: OperationObject, body: SchemaObject | undefined): boolean {
  const { required, content = {} } = operation.requestBody ?? {};
  return required === true && 'application/json' in content && body?.required === undefined &&
    body?.anyOf === undefined && body?.oneOf === undefined;
}

/** Parameters come first, so that their violations are reported before those of the body. */
function flatInput(document: OpenApiDocument, operation: OperationObject, parameters: ParameterObject[],
  body: SchemaObject | undefined): SchemaObject
{
  const properties: Record<string, SchemaObject> = {};
  const required = new Set<string>();
  for (const parameter of parameters) {
    const name = fieldName(parameter);
    properties[name] = withDefault(document, { ...parameter.schema, ...describe(parameter) });
    if (parameter.required) required.add(name);
  }
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    // An operation may accept the same field in two ways: in a form, or in the query of a request with a raw body.
    properties[name] ??= withDefault(document, schema['x-late'] === true ? withoutEnum(schema) : schema);
  }
  for (const name of body?.required ?? []) required.add(name);
  const rest = Object.fromEntries(
    Object.entries(body ?? {}).filter(([key]) => !['properties', 'required', 'type'].includes(key)),
  );
  return {
    type: 'object',
    description: operation.summary,
    properties,
    ...(required.size ? { required: [...required] } : {}),
    ...rest,
  };
}

/** Fields that the handler itself checks (`x-late`). */
function withoutEnum(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'enum'));
}

function describe(parameter: ParameterObject): Partial<SchemaObject> {
  return {
    ...(parameter.description ? { description: parameter.description } : {}),
    ...(parameter['x-error'] ? { 'x-error': parameter['x-error'] } : {}),
  };
}

function parameterSpec(document: OpenApiDocument, parameter: ParameterObject): ParameterSpec {
  const schema = resolve(document, parameter.schema);
  const type = plainType(schema);
  const inner = schema.items ?? (schema['additionalProperties'] as SchemaObject | undefined);
  const items = (type === 'array' || type === 'object') && typeof inner === 'object'
    ? plainType(resolve(document, inner))
    : undefined;
  return {
    name: parameter.name,
    in: parameter.in as ParameterSpec['in'],
    field: fieldName(parameter),
    type,
    items: items as ParameterSpec['items'],
  };
}

function plainType(schema: SchemaObject): ParameterSpec['type'] {
  const types = [schema.type ?? 'string'].flat().filter((type) => type !== 'null');
  return types[0] as ParameterSpec['type'];
}

/** `Idempotency-Key` becomes `idempotencyKey`; other names are unchanged. */
function fieldName(parameter: ParameterObject): string {
  if (parameter.in !== 'header') return parameter.name;
  const camel = parameter.name.toLowerCase().replace(/^x-/, '').replace(/-(\w)/g,
    (_, letter: string) => letter.toUpperCase());
  return camel;
}

/** The validator does not see a default behind a reference, so it is repeated beside it. */
function withDefault(document: OpenApiDocument, schema: SchemaObject): SchemaObject {
  if (schema.default !== undefined || schema.$ref === undefined) return schema;
  const { default: inherited } = withDefault(document, resolve(document, schema));
  return inherited === undefined ? schema : { ...schema, default: inherited };
}

function hasDefault(document: OpenApiDocument, schema: SchemaObject): boolean {
  return schema.default !== undefined || (schema.$ref !== undefined && hasDefault(document, resolve(document, schema)));
}
