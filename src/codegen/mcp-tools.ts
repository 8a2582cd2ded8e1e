import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutFieldChoices } from './description/plain-schema.ts';
import { BANNER, selfContained } from './emit.ts';
import { type McpToolObject, type OpenApiDocument, type OperationObject, operationsOf, resolve,
  type SchemaObject } from './openapi-types.ts';
import type { OperationModel } from './operation-model.ts';

type Fields = Record<string, SchemaObject>;

const EXPORT_LIMIT = 10_000;

/**
 * The arguments of tools whose input differs from their operation's (`x-mcp-tool: custom`): a file as base64, a dump by
 * its URL, a window of an export.
 */
function customInput(custom: string | undefined, schema: SchemaObject): SchemaObject {
  switch (custom) {
    case undefined:
      return schema;
    case 'export':
      return changed(schema, ['format'], {
        offset: { type: 'integer', description: 'Documents to leave out at the beginning.', default: 0, minimum: 0 },
        limit: {
          type: 'integer',
          description: 'Maximum number of documents to return.',
          default: 1000,
          minimum: 1,
          maximum: EXPORT_LIMIT,
        },
      }, []);
    case 'upload':
      return changed(schema, ['file', 'files[]', 'max_size'], {
        filename: {
          type: 'string',
          description: 'Name of the file with its extension, such as `report.pdf`.',
          minLength: 1,
          maxLength: 1024,
        },
        content: { type: 'string', description: 'The bytes of the file, base64-encoded.', minLength: 1 },
      }, ['filename', 'content']);
    case 'wiki':
      return changed(schema, ['file', 'filename'], {
        url: {
          type: 'string',
          description: 'Where the dump is: an `http` or `https` URL of an `.xml`, `.xml.bz2` or `.xml.gz` file.',
          minLength: 1,
          maxLength: 2048,
        },
      }, ['url']);
    default:
      throw new Error(`unknown x-mcp-tool: custom: ${custom}`);
  }
}

/** The result of such a tool, if it differs from that of its operation. */
function customOutput(custom: string | undefined): SchemaObject | undefined {
  if (custom !== 'export') return undefined;
  return {
    type: 'object',
    required: ['collection', 'count', 'truncated', 'ndjson'],
    properties: {
      collection: { type: 'string', description: 'The collection.' },
      count: { type: 'integer', minimum: 0, description: 'Documents in this response.' },
      truncated: { type: 'boolean', description: 'Whether more documents follow.' },
      nextOffset: {
        type: 'integer',
        minimum: 0,
        description: 'The `offset` of the call that goes on; absent after the last document.',
      },
      ndjson: { type: 'string', description: 'One document as JSON on each line.' },
    },
  };
}

function changed(schema: SchemaObject, without: readonly string[], fields: Fields,
  required: readonly string[]): SchemaObject
{
  const kept = Object.entries(schema.properties ?? {}).filter(([name]) => !without.includes(name));
  const needed = (schema.required ?? []).filter((name) => !without.includes(name));
  return { ...schema, properties: { ...Object.fromEntries(kept), ...fields }, required: [...needed, ...required] };
}

/** One generated tool: its entry in `tools/list`, and the operation that it calls. */
interface Tool {
  readonly name: string;
  readonly operation: string;
  readonly title: string;
  readonly description: string;
  /** Field of the structured result that holds a response that is a list. */
  readonly list?: string;
  /** Whether the collection's `responsePrompt` is added to the result. */
  readonly prompt?: boolean;
  /** How arguments or results differ from the operation's. */
  readonly custom?: string;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** Writes the MCP tools of the document service's operations (`x-mcp-tool` in openapi/README.md). */
export async function generateMcpTools(document: OpenApiDocument, models: readonly OperationModel[],
  folder: string): Promise<void>
{
  const byId = new Map(models.map((model) => [model.spec.id, model]));
  const published = [...operationsOf(document)].flatMap(({ operation }) => {
    const extension = operation['x-mcp-tool'];
    return extension === undefined ? [] : [{ operation, extension, model: byId.get(operation.operationId)! }];
  });
  const names = toolNames(document,
    published.map(({ operation, extension }) => [operation.operationId, extension.name]));
  const tools = published.map(({ operation, extension, model }) => toTool(operation, extension, model, names));
  const schemas = published.map(({ operation, extension, model }) => [extension.name, {
    inputSchema: withToolNames(
      customInput(extension.custom, toArguments(selfContained(document, withoutFieldChoices(withoutHeaders(model))))),
      names,
    ),
    outputSchema: outputSchema(document, operation, extension, model),
  }]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tools.ts'), emitTools(tools));
  await writeFile(join(folder, 'tools.json'), `${JSON.stringify(Object.fromEntries(schemas), null, 1)}\n`);
}

/** The input without the fields that only HTTP has; fields of the body have the same effect. */
function withoutHeaders({ input, headers }: OperationModel): SchemaObject {
  const names = new Set(headers.map(({ field }) => field));
  return {
    ...input,
    properties: Object.fromEntries(Object.entries(input.properties ?? {}).filter(([name]) => !names.has(name))),
  };
}

/** Maps `/v1/add` and `POST /v1/add` to `add_document`. Throws if two operations claim one name. */
function toolNames(document: OpenApiDocument,
  claimed: readonly (readonly [string, string])[]): ReadonlyMap<string, string>
{
  const byOperation = new Map(claimed);
  if (new Set(byOperation.values()).size !== claimed.length)
    throw new Error('two operations have an x-mcp-tool of one name');
  const names = new Map<string, string>();
  for (const { path, method, operation } of operationsOf(document)) {
    const name = byOperation.get(operation.operationId);
    if (name === undefined) continue;
    names.set(`${method.toUpperCase()} ${path}`, name);
    if (method === 'post' || !names.has(path)) names.set(path, name);
  }
  return names;
}

function toTool(operation: OperationObject, extension: McpToolObject, model: OperationModel,
  names: ReadonlyMap<string, string>): Tool
{
  const { name, hint, list, prompt, custom } = extension;
  const title = extension.title ?? operation.summary;
  const text = extension.description ?? operation.description;
  return {
    name,
    operation: operation.operationId,
    title,
    description: withToolNames(inSnakeCase(`${title}. ${text}`, model.input), names),
    list,
    prompt,
    custom,
    annotations: {
      title,
      readOnlyHint: hint === 'read',
      destructiveHint: hint === 'destructive',
      // A second removal or read has the same effect as the first.
      idempotentHint: extension.idempotent ?? hint !== 'write',
      openWorldHint: extension.openWorld ?? false,
    },
  };
}

/** Replaces the API's field names with argument names in a text that mentions them. */
function inSnakeCase(text: string, input: SchemaObject): string {
  const fields = new Set(Object.keys(input.properties ?? {}));
  return text.replace(/`(\w+)`/g, (code, name: string) => (fields.has(name) ? `\`${snakeCase(name)}\`` : code));
}

/** Models call tools by name, not by path. */
function withToolNames<T>(value: T, names: ReadonlyMap<string, string>): T {
  const text = JSON.stringify(value).replace(/`((?:GET |POST |PUT |PATCH |DELETE )?\/v1\/[\w/-]+)`/g,
    (code, path: string) => {
      const name = names.get(path);
      return name === undefined ? code : `\`${name}\``;
    });
  return JSON.parse(text) as T;
}

/** The schema of a tool's structured result: always an object, whatever the operation returns. */
function outputSchema(document: OpenApiDocument, operation: OperationObject, extension: McpToolObject,
  model: OperationModel): SchemaObject
{
  const custom = customOutput(extension.custom);
  if (custom !== undefined) return custom;
  const answer = resolve(document, operation.responses[model.spec.status]!).content?.['application/json']?.schema;
  if (answer === undefined) throw new Error(`${operation.operationId}: a tool needs an answer in JSON`);
  const schema = withoutExtensions(selfContained(document, { ...resolve(document, answer) }));
  if (extension.list !== undefined) return withPrompt(listSchema(schema, extension.list), extension);
  if (schema.type !== undefined && schema.type !== 'object')
    throw new Error(`${operation.operationId}: a tool that returns a list names it (x-mcp-tool: list)`);
  return withPrompt({ ...schema, type: 'object' }, extension);
}

const RESPONSE_PROMPT = {
  type: 'string',
  description: 'How answers from this collection are to be written, where its configuration says so.',
};

function withPrompt(schema: SchemaObject, { prompt = false }: McpToolObject): SchemaObject {
  return prompt ? { ...schema, properties: { ...schema.properties, responsePrompt: RESPONSE_PROMPT } } : schema;
}

function listSchema({ $defs, ...schema }: SchemaObject, name: string): SchemaObject {
  const count = { type: 'integer', minimum: 0 };
  return {
    type: 'object',
    required: [name, 'total'],
    properties: {
      [name]: schema,
      total: { ...count, description: 'Matches in all, before paging.' },
      contextTruncated: { type: 'boolean', description: 'True when the token budget dropped trailing results.' },
      truncated: {
        type: 'boolean',
        description:
          'True when the answer reached the size that one response may have before it had all that was asked for.',
      },
      nextOffset: { ...count, description: 'The offset to go on with, when the answer is truncated.' },
      nextCursor: {
        type: 'string',
        description: 'The cursor of the next page, when the arguments have one and the answer is not empty.',
      },
    },
    $defs,
  };
}

/** Our own keywords mean nothing to a client. */
function withoutExtensions<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key.startsWith('x-') ? undefined : inner))) as T;
}

function emitTools(tools: readonly Tool[]): string {
  return [BANNER, '/** A built-in tool of MCP: what `tools/list` says of it, and the operation that it calls. */',
    'export interface ToolSpec {', '  readonly name: string;', '  readonly operation: OperationId;',
    '  readonly title: string;', '  readonly description: string;',
    '  /** Field of the structured result that an answer goes into which is a list. */', '  readonly list?: string;',
    "  /** Whether the collection's `responsePrompt` is added to the answer. */", '  readonly prompt?: boolean;',
    "  /** The way in which arguments or answers differ from the operation's. */",
    `  readonly custom?: ${customNames(tools)};`, '  readonly annotations: {', '    readonly title: string;',
    '    readonly readOnlyHint: boolean;', '    readonly destructiveHint: boolean;',
    '    readonly idempotentHint: boolean;', '    readonly openWorldHint: boolean;', '  };', '}\n',
    '/** The tools, in the order of the specification. */', 'export const tools: readonly ToolSpec[] = [',
    ...tools.map((tool) => `  ${JSON.stringify(tool)},`), '];', ''].join('\n').replace(BANNER,
      `${BANNER}\nimport type { OperationId } from '../docs/operations.ts';\n`);
}

function customNames(tools: readonly Tool[]): string {
  const names = [...new Set(tools.flatMap(({ custom }) => (custom === undefined ? [] : [custom])))];
  return names.map((name) => `'${name}'`).join(' | ') || 'never';
}

/** `filterMeta` becomes `filter_meta`, `sourceDocID` becomes `source_doc_id`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/**
 * The schema of a tool's arguments: the operation's input with its fields in snake_case, at every
 * depth. Keys of free maps, such as metadata, belong to the user and are not changed.
 */
export function toArguments(input: SchemaObject): SchemaObject {
  const { description: _summary, ...schema } = rename(input, fieldsOf(input)) as SchemaObject;
  return schema;
}

/** Rewrites a schema; `fields` are the names that its texts may mention. */
function rename(node: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => rename(item, fields));
  if (node === null || typeof node !== 'object') return node;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    // Examples and defaults are data, and our own keywords mean nothing to a client.
    if (key.startsWith('x-') || key === 'examples') continue;
    if (key === 'default' || key === 'enum' || key === 'const') out[key] = value;
    else if (key === 'properties') out[key] = renameFields(value as Record<string, SchemaObject>, fields);
    else if (key === 'required') out[key] = (value as string[]).map(snakeCase);
    else if (key === '$defs')
      out[key] = Object.fromEntries(
        Object.entries(value as object).map(([name, inner]) => [name, rename(inner, fields)]),
      );
    else if (key === 'description')
      out[key] = (value as string).replace(/`(\w+)`/g,
        (code, name: string) => (fields.has(name) ? `\`${snakeCase(name)}\`` : code));
    else out[key] = rename(value, fields);
  }
  return out;
}

function renameFields(properties: Record<string, SchemaObject>, fields: ReadonlySet<string>): Record<string, unknown> {
  const renamed = Object.entries(properties).map(([name, schema]) =>
    [snakeCase(name), rename(schema, fields)] as const
  );
  if (new Set(renamed.map(([name]) => name)).size !== renamed.length)
    throw new Error(`two of ${Object.keys(properties).join(', ')} are one name in snake_case`);
  return Object.fromEntries(renamed);
}

/** The names of all fields of an input, at every depth. */
function fieldsOf(node: unknown, fields = new Set<string>()): Set<string> {
  if (Array.isArray(node)) { for (const item of node) fieldsOf(item, fields); }
  else if (node !== null && typeof node === 'object') {
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties') { for (const name of Object.keys(value as object)) fields.add(name); }
      fieldsOf(value, fields);
    }
  }
  return fields;
}
