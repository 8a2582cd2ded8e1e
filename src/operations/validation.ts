import formatsPlugin from 'ajv-formats';
import { Ajv2020, type AnySchemaObject, type CodeKeywordDefinition, type KeywordCxt, type Name,
  type Options } from 'ajv/dist/2020.js';
import codegen from 'ajv/dist/compile/codegen/index.js';
import names from 'ajv/dist/compile/names.js';
import util from 'ajv/dist/compile/util.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import vocabulary from 'ajv/dist/vocabularies/code.js';
import { flatMeta } from '../text/flatten-meta.ts';

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
    // Before the limits, which hold for what is stored.
    keyword: 'x-composed',
    type: 'string',
    schemaType: 'boolean',
    modifying: true,
    errors: false,
    validate: (_: boolean, text: string, _schema?: AnySchemaObject, at?: DataValidationCxt) => {
      const composed = text.normalize('NFC');
      if (composed !== text) (at!.parentData as Record<string | number, unknown>)[at!.parentDataProperty] = composed;
      return true;
    },
  });
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

const { _, not, or, nil } = codegen;
const { default: N } = names;

/** Errors after which a list or a map is not looked at any further: a response does not show more. */
export const MAX_ERRORS = 20;

type Code = (cxt: KeywordCxt) => void;

/**
 * Replaces the keywords of Ajv whose cost depends on the length of an input. With all errors, Ajv creates an error for
 * each wrong item and copies those that it has for each item of a definition, which takes a minute for a megabyte. Here
 * lists and maps end after `MAX_ERRORS` errors of their own, and neither one that is longer than its schema allows nor
 * a text that is far too long is looked at in detail.
 */
function boundKeywords(ajv: Ajv2020): void {
  const replace = (keyword: string, code: (usual: Code) => Code): void => {
    const rule = ajv.RULES.all[keyword] as { definition: CodeKeywordDefinition };
    const usual = rule.definition.code;
    const bounded = code(usual);
    // A condition (`if`, `not`) counts no errors, and ends with the first one.
    rule.definition = { ...rule.definition, code: (cxt) => (cxt.it.allErrors === true ? bounded(cxt) : usual(cxt)) };
  };
  replace('items', (usual) => (cxt) => (typeof cxt.schema === 'object' ? items(cxt) : usual(cxt)));
  replace('additionalProperties',
    (usual) => (
      cxt,
    ) => (typeof cxt.schema === 'object' && cxt.parentSchema['patternProperties'] === undefined
      ? additionalProperties(cxt)
      : usual(cxt)));
  replace('propertyNames', () => propertyNames);
  for (const keyword of ['minLength', 'maxLength']) replace(keyword, () => length);
  replace('pattern', () => pattern);
}

function items(cxt: KeywordCxt): void {
  const { gen, data, it, schema, parentSchema, keyword } = cxt;
  it.items = true;
  if (util.alwaysValidSchema(it, schema as object)) return;
  const before = gen.const('_errs', N.errors);
  const { length: first } = (parentSchema['prefixItems'] ?? []) as readonly unknown[];
  const valid = gen.name('valid');
  ifWithin(cxt, _`${data}.length`, parentSchema['maxItems'], () => {
    gen.forRange('i', first, _`${data}.length`, (i) => {
      endWhenFull(cxt, before);
      cxt.subschema({ keyword, dataProp: i, dataPropType: util.Type.Num }, valid);
    });
  });
  cxt.ok(_`${before} === ${N.errors}`);
}

function additionalProperties(cxt: KeywordCxt): void {
  const { gen, it, schema, parentSchema, keyword } = cxt;
  it.props = true;
  if (util.alwaysValidSchema(it, schema as object)) return;
  const before = gen.const('_errs', N.errors);
  const known = vocabulary.allSchemaProperties(parentSchema['properties'] as object | undefined);
  eachKey(cxt, before, (key) => {
    const apply = (): void =>
      void cxt.subschema({ keyword, dataProp: key, dataPropType: util.Type.Str }, gen.name('valid'));
    if (known.length === 0) apply();
    else gen.if(not(or(...known.map((name) => _`${key} === ${name}`))), apply);
  });
  cxt.ok(_`${before} === ${N.errors}`);
}

function propertyNames(cxt: KeywordCxt): void {
  const { gen, it, schema, keyword } = cxt;
  if (util.alwaysValidSchema(it, schema as object)) return;
  const before = gen.const('_errs', N.errors);
  eachKey(cxt, before, (key) => {
    cxt.subschema({ keyword, data: key, dataTypes: ['string'], propertyName: key, compositeRule: true },
      gen.name('valid'));
  });
  cxt.ok(_`${before} === ${N.errors}`);
}

function eachKey(cxt: KeywordCxt, before: Name, body: (key: Name) => void): void {
  const { gen, data, parentSchema } = cxt;
  const keys = gen.const('keys', _`Object.keys(${data})`);
  ifWithin(cxt, _`${keys}.length`, parentSchema['maxProperties'], () => {
    gen.forOf('key', keys, (key) => {
      endWhenFull(cxt, before);
      body(key);
    });
  });
}

function ifWithin({ gen }: KeywordCxt, count: ReturnType<typeof _>, most: unknown, body: () => void): void {
  if (typeof most === 'number') gen.if(_`${count} <= ${most}`, body);
  else body();
}

/** Only errors of the keyword itself count: an alternative that was never looked at would seem to be valid. */
function endWhenFull({ gen }: KeywordCxt, before: Name): void {
  gen.if(_`${N.errors} - ${before} >= ${MAX_ERRORS}`, () => gen.break());
}

/** A text has between half as many characters as UTF-16 units and as many, so most texts need no counting. */
function length(cxt: KeywordCxt): void {
  const { gen, data, keyword, schema } = cxt;
  const [limit, units] = [schema as number, _`${data}.length`];
  const count = _`${gen.scopeValue('func', { ref: countCharacters })}(${data})`;
  cxt.fail(
    keyword === 'maxLength'
      ? _`${units} > ${limit} && (${units} > ${2 * limit} || ${count} > ${limit})`
      : _`${units} < ${limit} || (${units} < ${2 * limit} && ${count} < ${limit})`,
  );
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function pattern(cxt: KeywordCxt): void {
  const { data, schema, parentSchema } = cxt;
  const limits = [2 * Number(parentSchema['maxLength']), Number(parentSchema['x-max-bytes'])].filter((limit) =>
    !Number.isNaN(limit)
  );
  const isShort = limits.length === 0 ? nil : _`${data}.length <= ${Math.min(...limits)} && `;
  cxt.fail(_`${isShort}!${vocabulary.usePattern(cxt, schema as string)}.test(${data})`);
}
