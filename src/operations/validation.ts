import formatsPlugin from 'ajv-formats';
import { Ajv2020, type AnySchemaObject, type Options } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { flatMeta } from '../text/flatten-meta.ts';
import { boundKeywords } from './bounded-keywords.ts';

// The package's types describe its CommonJS default export; under ES modules that is the function itself.
const addFormats = formatsPlugin as unknown as typeof formatsPlugin.default;

/**
 * Ajv with the features that our schemas need: 2020-12, defaults, and the keywords of openapi/README.md. The time that
 * it takes is linear in the size of an input, and of the errors in a list or a map it reports the first `MAX_ERRORS`.
 */
export function createAjv(options: Pick<Options, 'useDefaults' | 'validateSchema' | 'inlineRefs'> = {}): Ajv2020 {
  // Ajv's own optimization takes a third of the time of compiling, and V8 makes the functions as quick without it.
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    strict: false,
    verbose: true,
    ownProperties: true,
    code: { optimize: false },
    ...options,
  });
  addFormats(ajv);
  boundKeywords(ajv);
  // JSON has one kind of number: a larger whole number changes its value when it is parsed, and further on it may
  // exceed a 64-bit integer.
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    type: 'string',
    schemaType: 'number',
    // A string has at most three UTF-8 bytes for each UTF-16 unit, so short ones need no counting.
    validate: (limit: number, text: string) => text.length * 3 <= limit || Buffer.byteLength(text) <= limit,
    error: { message: ({ schema }) => `must be at most ${String(schema)} bytes` },
  });
  ajv.addKeyword({
    keyword: 'x-file',
    schemaType: 'boolean',
    validate: (_: boolean, value: unknown) =>
      value instanceof Blob || value instanceof URL ||
      (typeof value === 'object' && value !== null && Symbol.asyncIterator in value),
    error: { message: 'must be a file' },
  });
  ajv.addKeyword({
    // Without a type, so that it runs before the limits of the map are checked.
    keyword: 'x-flattened',
    schemaType: 'boolean',
    modifying: true,
    errors: false,
    validate: (_: boolean, given: unknown, schema?: { readonly type?: string | readonly string[] },
      at?: DataValidationCxt) =>
    {
      if (typeof given !== 'object' || Array.isArray(given) || (given === null && !schema?.type?.includes('null')))
        return true;
      const flat = flatMeta((given ?? {}) as Record<string, unknown>);
      if (flat !== given) (at!.parentData as Record<string | number, unknown>)[at!.parentDataProperty] = flat;
      return true;
    },
  });
  ajv.addKeyword({
    keyword: 'x-scalars',
    type: 'object',
    schemaType: 'boolean',
    modifying: true,
    errors: false,
    before: 'additionalProperties',
    validate: (_: boolean, map: Record<string, unknown>, parentSchema?: AnySchemaObject) => {
      if (!(Object.keys(map).length > parentSchema?.['maxProperties'])) makeLists(map);
      return true;
    },
  });
  return ajv;
}

/** Converts single values, numbers and booleans to lists of texts; other values are unchanged, and are refused. */
function makeLists(map: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(map)) {
    const isList = Array.isArray(value);
    if (isList && value.every((item) => typeof item === 'string')) continue;
    const list = isList ? value.map(toText) : [toText(value)];
    if (!isList && typeof list[0] !== 'string') continue;
    // Unlike an assignment, this creates a plain field for every name, including `__proto__`.
    Object.defineProperty(map, key, { value: list, writable: true, enumerable: true, configurable: true });
  }
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
