import { BANNER } from './emit-types.ts';
import { type OpenApiDocument, type OperationObject, operationsOf, resolve,
  type SchemaObject } from './openapi-types.ts';
import type { OperationModel } from './operation-model.ts';

/** How a list is continued, as `src/client/core/paging.ts` reads it. */
interface Paging {
  readonly by: 'cursor' | 'before' | 'offset';
  readonly in: 'body' | 'query';
  readonly items: string;
  readonly next: string;
  readonly first?: string;
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
