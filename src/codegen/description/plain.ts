import type { OpenApiDocument } from '../openapi-types.ts';
import { mapSchemas } from './map-schemas.ts';
import { withOneForm } from './plain-forms.ts';
import { withFreeNames, withNamesOfValues } from './plain-names.ts';
import { withoutConditionalHeaders } from './plain-parameters.ts';
import { plainSchema } from './plain-schema.ts';
import { withoutUnused } from './unused.ts';

/**
 * A public description in the words of OpenAPI 3.0.3 that generators of typed clients agree on. It says less than the one it
 * is made of: what it has no words for, the server checks all the same.
 *
 * - no webhooks, no keywords of ours, no rules between fields (`anyOf` and `oneOf` of `required`);
 * - every schema has one type or, where values have several and `x-plain` names none of them, no type at all;
 * - references stand alone: scalars and lists are written out, objects and enumerations wrapped where something stands beside them;
 * - patterns are written so that dialects other than JavaScript's read them alike;
 * - defaults stand in descriptions, for a client that sends them would override what a collection says;
 * - no headers of conditional requests, which would be arguments of generated functions;
 * - a file is sent as a form, which has no field that is a parameter of the same operation;
 * - schemas and values of enumerations have no names that generators give to other things.
 */
export function plainDescription(document: OpenApiDocument): OpenApiDocument {
  const { webhooks: _, ...rest } = structuredClone(document) as OpenApiDocument & { webhooks?: unknown };
  const plain = mapSchemas(withoutConditionalHeaders(withOneForm(rest)), (schema) => plainSchema(document, schema));
  return withNamesOfValues(withoutUnused(withFreeNames(withoutExtensions({ ...plain, openapi: '3.0.3', info: plainInfo(plain.info) }))));
}

/** `summary` came with OpenAPI 3.1. */
function plainInfo({ summary, description, ...info }: OpenApiDocument['info'] & { summary?: string; description?: string }): OpenApiDocument['info'] {
  const texts = [summary, description].filter((text) => text !== undefined);
  return { ...info, description: texts.join(' ') } as OpenApiDocument['info'];
}

/** Extensions are for our own generators. */
function withoutExtensions<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutExtensions) as T;
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(entries.map(([key, value]) => [key, key === 'example' || key === 'examples' ? value : withoutExtensions(value)])) as T;
}
