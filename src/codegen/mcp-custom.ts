import type { SchemaObject } from './openapi-types.ts';

type Fields = Record<string, SchemaObject>;

const EXPORT_LIMIT = 10_000;

/**
 * The arguments of tools whose input differs from their operation's (`x-mcp-tool: custom`): a file as base64, a dump by
 * its URL, a window of an export.
 */
export function customInput(custom: string | undefined, schema: SchemaObject): SchemaObject {
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
export function customOutput(custom: string | undefined): SchemaObject | undefined {
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
