import type { SchemaObject } from '../../src/codegen/openapi-types.ts';
import type { JsonPath } from './json-text.ts';

/** One position in an input, with its schema. */
export interface Place {
  readonly path: JsonPath;
  readonly schema: SchemaObject;
}

type Definitions = Record<string, SchemaObject>;

const DEEPEST = 4;

/**
 * Every position that the schema of an input names, arrays by their first item and maps by one key, so that mutations
 * reach optional fields that no example contains.
 */
export function placesOf(input: SchemaObject): Place[] {
  const definitions = (input['$defs'] ?? {}) as Definitions;
  return placesUnder(input, [], definitions).filter(({ path }) => path.length > 0);
}

function placesUnder(schema: SchemaObject, path: JsonPath, definitions: Definitions): Place[] {
  const resolved = resolve(schema, definitions);
  const here = { path, schema: resolved };
  if (path.length >= DEEPEST) return [here];
  const children = Object.entries(resolved.properties ?? {}).map(([name, child]) => [name, child] as const);
  const values = resolved['additionalProperties'];
  return [here, ...children.flatMap(([name, child]) => placesUnder(child, [...path, name], definitions)),
    ...(resolved.items ? placesUnder(resolved.items, [...path, 0], definitions) : []),
    ...(values !== null && typeof values === 'object'
      ? placesUnder(values as SchemaObject, [...path, 'category'], definitions)
      : [])];
}

function resolve(schema: SchemaObject, definitions: Definitions): SchemaObject {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...resolve(definitions[name]!, definitions), ...schema };
}

/** Values just inside and just outside of the limits that a schema states. */
export function boundaryValues(schema: SchemaObject): unknown[] {
  const number = (
    keyword: string,
  ): number | undefined => (typeof schema[keyword] === 'number' ? schema[keyword] : undefined);
  const around = (limit: number | undefined, make: (size: number) => unknown, most = 100_000) =>
    limit === undefined || limit > most ? [] : [limit - 1, limit, limit + 1].filter((size) => size >= 0).map(make);
  const numbers = ['minimum', 'maximum'].flatMap((keyword) => {
    const limit = number(keyword);
    return limit === undefined ? [] : [limit - 1, limit, limit + 1];
  });
  const words = ((schema['enum'] ?? []) as unknown[]).flatMap((
    word,
  ) => [word, typeof word === 'string' ? word.toUpperCase() : word]);
  return [...numbers, ...words, ...around(number('x-max-bytes'), (size) => 'x'.repeat(size)),
    ...around(number('x-max-bytes'), (size) => 'é'.repeat(size / 2)),
    ...around(number('maxItems'), (size) => Array.from({ length: size }, (_, i) => `v${i}`), 2000),
    ...around(number('maxProperties'),
      (size) => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, ['v']])), 2000)];
}
