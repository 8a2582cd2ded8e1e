import type { OpenApiDocument } from '../openapi-types.ts';

/** Keywords that are for people, for examples, or read only by our own server. */
const PROSE = new Set(['description', 'summary', 'title', 'example', 'examples', 'tags', 'externalDocs', 'x-mcp-tool',
  'x-message', 'x-error', 'x-composed']);

/** Objects whose keys are arbitrary names, such as a field named `description`. */
const NAMED = new Set(['paths', 'webhooks', 'properties', 'patternProperties', '$defs', 'dependentSchemas', 'schemas',
  'responses', 'parameters', 'headers', 'requestBodies', 'securitySchemes', 'content', 'variables', 'mapping']);

/** Keywords whose values are part of the interface. */
const VALUES = new Set(['enum', 'const', 'default']);

/** A description reduced to what clients depend on, so that it can be compared. */
export function withoutProse(document: OpenApiDocument): OpenApiDocument {
  const { title, version } = document.info;
  return { ...(strip(document) as OpenApiDocument), info: { title, version } };
}

/** The same for a part of a description. */
export function strip(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strip);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(
    Object.entries(node).filter(([key]) => !PROSE.has(key)).map((
      [key, value],
    ) => [key, VALUES.has(key) ? value : NAMED.has(key) ? stripEach(value) : strip(value)]),
  );
}

function stripEach(named: unknown): unknown {
  if (Array.isArray(named) || named === null || typeof named !== 'object') return strip(named);
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, strip(value)]));
}
