import type { Paging } from '../client/core/paging.ts';
import { type OpenApiDocument, type OperationObject, operationsOf, resolve,
  type SchemaObject } from './openapi-types.ts';
import type { OperationModel } from './operation-model.ts';

export const BANNER = '// Generated from the specifications by `npm run generate`. Do not edit.\n';

/** The table of operations and the map of their input and output types, as one TypeScript module. */
export function emitOperations(service: string, models: readonly OperationModel[]): string {
  const imported = models.flatMap((
    model,
  ) => [`${pascal(model.spec.id)}Data`, ...(isJson(model) ? [`${pascal(model.spec.id)}Responses`] : [])]);
  return [BANNER, `import type { Download, FlatInput, Operation, OperationSpec } from '../../src/operations/index.ts';`,
    `import type {\n${imported.map((name) => `  ${name},`).join('\n')}\n} from './sdk/types.gen.ts';\n`,
    `/** Input and output of each operation of the ${service} service. */`, `export interface Operations {`,
    ...models.map((model) => `  ${model.spec.id}: Operation<${inputType(model)}, ${outputType(model)}>;`), `}\n`,
    `export type OperationId = keyof Operations;\n`, `/** Route, access and media types of each operation. */`,
    `export const operations: { readonly [K in OperationId]: OperationSpec } = {`,
    ...models.map((model) => `  ${model.spec.id}: ${JSON.stringify(model.spec)},`), `};`, ''].join('\n');
}

function inputType(model: OperationModel): string {
  const data = `${pascal(model.spec.id)}Data`;
  const parts = [...(model.has.body ? [`NonNullable<${data}['body']>`] : []),
    ...(model.has.path ? [`NonNullable<${data}['path']>`] : []),
    ...(model.has.query ? [`NonNullable<${data}['query']>`] : []),
    ...model.headers.map(({ field, required }) => `{ ${field}${required ? '' : '?'}: string }`)];
  if (parts.length === 0) return 'Record<never, never>';
  const defaulted = model.defaulted.map((name) => `'${name}'`).join(' | ');
  return `FlatInput<${parts.join(' & ')}${defaulted ? `, ${defaulted}` : ''}>`;
}

function outputType(model: OperationModel): string {
  if (model.spec.status === 204 || model.spec.produces.length === 0) return 'void';
  return isJson(model) ? `${pascal(model.spec.id)}Responses[${model.spec.status}]` : 'Download';
}

function isJson(model: OperationModel): boolean {
  return model.spec.produces.includes('application/json');
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Emits the version of a service's interface, `info.version` of its specification. */
export function emitVersion({ info }: OpenApiDocument): string {
  return [BANNER, '/** Version of the interface. */', `export const API_VERSION = '${info.version}';`, ''].join('\n');
}

const PREFIX = '#/components/schemas/';

/**
 * One self-contained JSON schema (2020-12) for the flat input of each operation. The pipeline uses them for validation,
 * and protocols that describe their inputs by schema publish them.
 */
export function emitInputs(document: OpenApiDocument, models: readonly OperationModel[]): string {
  const schemas = Object.fromEntries(models.map((model) => [model.spec.id, selfContained(document, model.input)]));
  return `${JSON.stringify(schemas, null, 1)}\n`;
}

/** A schema together with everything that it references, in its own `$defs`. */
export function selfContained(document: OpenApiDocument, input: SchemaObject): SchemaObject {
  const definitions: Record<string, unknown> = {};
  const pending: string[] = [];
  const rewrite = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(rewrite);
    if (node === null || typeof node !== 'object') return node;
    if ('format' in node && node.format === 'binary') return fileOf(node as SchemaObject);
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, key === '$ref' ? local(value as string) : rewrite(value)]),
    );
  };
  const local = (ref: string): string => {
    if (!ref.startsWith(PREFIX)) throw new Error(`unexpected reference ${ref}`);
    const name = ref.slice(PREFIX.length);
    if (!(name in definitions)) {
      definitions[name] = null;
      pending.push(name);
    }
    return `#/$defs/${name}`;
  };
  const schema = rewrite(input) as SchemaObject;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    definitions[name] = rewrite(document.components.schemas[name]);
  }
  const sorted = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => a.localeCompare(b)));
  return Object.keys(sorted).length ? { ...schema, $defs: sorted } : schema;
}

/** A file is an object by the time that the operation receives it, in whatever form the protocol transmitted it. */
function fileOf({ type: _, format: _format, ...rest }: SchemaObject): SchemaObject {
  return { 'x-file': true, ...rest };
}

/**
 * Emits facts about a service's operations that the client needs in addition to the SDK, by method and path template.
 */
export function emitClientFacts(document: OpenApiDocument, models: readonly OperationModel[]): string {
  const specs = new Map(models.map(({ spec }) => [spec.id, spec]));
  const reads: string[] = [];
  const keyed: string[] = [];
  const pages: [string, Paging][] = [];
  for (const { path, method, operation } of operationsOf(document)) {
    const name = `${method.toUpperCase()} ${path}`;
    const { effect, stores } = specs.get(operation.operationId)!;
    if (method === 'post' && effect === 'read' && stores !== true) reads.push(name);
    if (parametersOf(document, operation).some((parameter) => parameter.name === 'Idempotency-Key')) keyed.push(name);
    const paging = pagingOf(document, method, operation);
    if (paging !== undefined) pages.push([name, paging]);
  }
  const set = (names: readonly string[]) =>
    `new Set([${names.map((name) => `\n  '${name}',`).join('')}${names.length > 0 ? '\n' : ''}])`;
  return [BANNER, '/** Operations that only read, although they are sent by POST. */',
    `export const READS: ReadonlySet<string> = /* @__PURE__ */ ${set(reads)};\n`,
    '/** Operations that take an `Idempotency-Key`. */',
    `export const KEYED: ReadonlySet<string> = /* @__PURE__ */ ${set(keyed)};\n`,
    '/** How lists go on: by which field of the body or the query, where the items are, and where the next value ' +
    'is (`X-...` is a header). */', 'export const PAGES = {',
    ...pages.map(([name, paging]) => `  '${name}': ${JSON.stringify(paging)},`), '} as const;', ''].join('\n');
}

function parametersOf(document: OpenApiDocument, operation: OperationObject) {
  return (operation.parameters ?? []).map((parameter) => resolve(document, parameter));
}

function pagingOf(document: OpenApiDocument, method: string, operation: OperationObject): Paging | undefined {
  const answer = resolve(document, Object.entries(operation.responses).find(([status]) => status.startsWith('2'))![1]);
  const schema = answer.content?.['application/json']?.schema;
  if (schema === undefined) return undefined;
  const body = resolve(document, operation.requestBody?.content['application/json']?.schema ?? {});
  const inBody = Object.keys(body.properties ?? {});
  const inQuery = parametersOf(document, operation).filter((parameter) => parameter.in === 'query').map(({ name }) =>
    name
  );
  const by = (['cursor', 'before', 'offset'] as const).find((field) => [...inBody, ...inQuery].includes(field));
  const items = by === undefined ? undefined : itemsField(document, resolve(document, schema));
  if (by === undefined || items === undefined) return undefined;
  const next = nextField(document, by, items, schema, Object.keys(answer.headers ?? {}));
  if (next === undefined) return undefined;
  // A search begins with `*`; without a cursor, it is paged by offset.
  return {
    by,
    in: inBody.includes(by) ? 'body' : 'query',
    items,
    next,
    ...(by === 'cursor' && method === 'post' ? { first: '*' } : {}),
  };
}

function nextField(document: OpenApiDocument, by: Paging['by'], items: string, schema: SchemaObject,
  headers: readonly string[]): string | undefined
{
  const fields = Object.keys(resolve(document, schema).properties ?? {});
  const names = by === 'cursor'
    ? ['nextCursor', 'X-Next-Cursor']
    : by === 'before'
    ? ['next_cursor']
    : ['nextOffset', 'next_offset', 'X-Next-Offset'];
  return names.find((name) => (items === '*' ? headers : fields).includes(name));
}

/** Lists that describe the response and are not the requested items. */
const ASIDE = new Set(['warnings', 'langs', 'targetCollections', 'suggestions', 'droppedWords', 'errors']);

/** `*` if the response is the list itself; undefined if there is no list, or more than one. */
function itemsField(document: OpenApiDocument, schema: SchemaObject): string | undefined {
  if (schema.type === 'array') return '*';
  const lists = Object.entries(schema.properties ?? {}).filter(([name, field]) =>
    !ASIDE.has(name) && resolve(document, field).type === 'array'
  );
  return lists.length === 1 ? lists[0]![0] : undefined;
}
