import type { OpenApiDocument, SchemaObject } from './openapi-types.ts';
import type { OperationModel } from './operation-model.ts';

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
