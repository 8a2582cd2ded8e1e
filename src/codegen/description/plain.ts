import type { OpenApiDocument } from '../openapi-types.ts';
import { mapSchemas } from './map-schemas.ts';
import { withOneForm } from './plain-forms.ts';
import { withFreeNames, withNamesOfValues } from './plain-names.ts';
import { withoutConditionalHeaders, withoutMapsInQuery } from './plain-parameters.ts';
import { plainSchema } from './plain-schema.ts';
import { withoutUnused } from './unused.ts';

/**
 * A public description in the subset of OpenAPI 3.0.3 that generators of typed clients support. It says less than its
 * source; the server still checks the rules that it cannot express.
 *
 * - no webhooks, no keywords of our own, no rules between fields (`anyOf` and `oneOf` of `required`);
 * - every schema has one type or, if values have several and `x-plain` names none of them, no type;
 * - references stand alone: scalars and lists are inlined, objects and enumerations are wrapped if there are keywords
 *   beside the reference;
 * - patterns are written so that they mean the same in dialects other than JavaScript's;
 * - defaults are stated in descriptions, because a client that sends them would override a collection's settings;
 * - no headers of conditional requests, which would be arguments of generated functions;
 * - a map in the query is a list of texts `KEY=VALUE`;
 * - a file is sent as a form, which has no field that is a parameter of the same operation;
 * - schemas and values of enumerations have no names that generators use for something else.
 */
export function plainDescription(document: OpenApiDocument): OpenApiDocument {
  const { webhooks: _, ...rest } = structuredClone(document) as OpenApiDocument & { webhooks?: unknown };
  const plain = mapSchemas(withoutMapsInQuery(withoutConditionalHeaders(withOneForm(rest))),
    (schema) => plainSchema(document, schema));
  return withNamesOfValues(
    withoutUnused(withFreeNames(withoutExtensions({ ...plain, openapi: '3.0.3', info: plainInfo(plain.info) }))),
  );
}

/** `summary` was introduced in OpenAPI 3.1. */
function plainInfo(
  { summary, description, ...info }: OpenApiDocument['info'] & { summary?: string; description?: string },
): OpenApiDocument['info'] {
  const texts = [summary, description].filter((text) => text !== undefined);
  return { ...info, description: texts.join(' ') } as OpenApiDocument['info'];
}

/** Extensions are for our own generators. */
function withoutExtensions<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutExtensions) as T;
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'example' || key === 'examples' ? value : withoutExtensions(value)]),
  ) as T;
}
