import type { Ajv2020, CodeKeywordDefinition, KeywordCxt, Name } from 'ajv/dist/2020.js';
import codegen from 'ajv/dist/compile/codegen/index.js';
import names from 'ajv/dist/compile/names.js';
import util from 'ajv/dist/compile/util.js';
import vocabulary from 'ajv/dist/vocabularies/code.js';

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
export function boundKeywords(ajv: Ajv2020): void {
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
