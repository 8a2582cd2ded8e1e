import type { OpenApiDocument } from '../openapi-types.ts';

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
