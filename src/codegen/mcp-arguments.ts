import type { SchemaObject } from './openapi-types.ts';

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
