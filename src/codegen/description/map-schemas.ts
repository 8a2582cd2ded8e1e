import type { OpenApiDocument, SchemaObject } from '../openapi-types.ts';

/**
 * Transforms one schema whose parts have already been transformed. `at` is the component's name or the last key on the
 * path to it.
 */
type SchemaMapping = (schema: SchemaObject, at: string) => SchemaObject;

const ONE = ['items', 'additionalProperties', 'not', 'propertyNames', 'contains'];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties'];

/** A document with every schema transformed, inner ones before the schemas that contain them; the rest is copied. */
export function mapSchemas(document: OpenApiDocument, mapping: SchemaMapping): OpenApiDocument {
  const { components: { schemas, ...components }, ...rest } = document;
  return {
    ...(mapPlaces(rest, mapping) as OpenApiDocument),
    components: {
      ...(mapPlaces(components, mapping) as OpenApiDocument['components']),
      schemas: mapNamed(schemas, mapping),
    },
  };
}

/**
 * Schemas are in `schema` of parameters, headers and media types. Examples may contain anything, so they are not
 * changed.
 */
function mapPlaces(node: unknown, mapping: SchemaMapping): unknown {
  if (Array.isArray(node)) return node.map((item) => mapPlaces(item, mapping));
  if (!isObject(node)) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => {
    if (key === 'example' || key === 'examples') return [key, value];
    return [key, key === 'schema' && isObject(value) ? mapSchema(value, mapping, key) : mapPlaces(value, mapping)];
  }));
}

/** One schema, with all schemas in it. */
export function mapSchema(schema: SchemaObject, mapping: SchemaMapping, at = 'schema'): SchemaObject {
  const mapped: SchemaObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (ONE.includes(key) && isObject(value)) mapped[key] = mapSchema(value, mapping, key);
    else if (MANY.includes(key) && Array.isArray(value))
      mapped[key] = value.map((part: SchemaObject) => mapSchema(part, mapping, key));
    else if (NAMED.includes(key) && isObject(value))
      mapped[key] = mapNamed(value as Record<string, SchemaObject>, mapping);
    else mapped[key] = value;
  }
  return mapping(mapped, at);
}

function mapNamed(schemas: Record<string, SchemaObject>, mapping: SchemaMapping): Record<string, SchemaObject> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, mapSchema(schema, mapping, name)]));
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Components = Record<string, Record<string, unknown>>;

/** Removes components that are no longer referenced. Security schemes are referenced by name, so they stay. */
export function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const { components, ...rest } = document;
  const used = reachable(rest, components as unknown as Components);
  const kept = Object.entries(components as unknown as Components).map(([kind, named]) =>
    [kind, kind === 'securitySchemes'
      ? named
      : Object.fromEntries(Object.entries(named).filter(([name]) =>
        used.has(`#/components/${kind}/${name}`)
      ))] as const
  );
  const left = Object.fromEntries(kept.filter(([kind, named]) => kind === 'schemas' || Object.keys(named).length > 0));
  return { ...document, components: left as unknown as OpenApiDocument['components'] };
}

/** All references in a node, and in the components to which they refer. */
function reachable(node: unknown, components: Components): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    if (part === null || typeof part !== 'object') return;
    const { $ref } = part as { $ref?: unknown };
    if (typeof $ref === 'string' && !found.has($ref)) {
      found.add($ref);
      const [, , kind, name] = $ref.split('/');
      visit(components[kind!]?.[name!]);
    }
    for (const value of Object.values(part)) visit(value);
  };
  visit(node);
  return found;
}
