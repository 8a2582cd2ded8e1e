import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { FORMATS } from './read-by-schema.ts';
import type { Format } from './schema/build.ts';

/** Checks a value, fills in the defaults in place, and returns one line for each problem. */
type SchemaCheck = (value: unknown) => string[];

const MAX_SHOWN = 50;

/**
 * Compiles a schema of the configuration when it is first used: that takes longer than loading all of `src/runs`, and
 * other programs load it, too.
 */
export function schemaCheck(schema: object): SchemaCheck {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile(schema);
    validate(value);
    const lines = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames').map(describe);
    return [...new Set(lines)].slice(0, MAX_SHOWN);
  };
}

function compile(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true, allowUnionTypes: true });
  ajv.addKeyword('x-expected');
  ajv.addKeyword('x-text');
  for (const [name, { read }] of Object.entries(FORMATS))
    ajv.addFormat(name, (text: string) => read(text) !== undefined);
  return ajv.compile(schema);
}

function describe(error: ErrorObject): string {
  const path = pathOf(error.instancePath);
  const { params, keyword } = error;
  if (keyword === 'required') return `${join(path, params['missingProperty'] as string)}: required`;
  if (keyword === 'additionalProperties') {
    const name = params['additionalProperty'] as string;
    const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
    return `${join(path, name)}: unknown key${didYouMean(name, known)}`;
  }
  const subject = error.propertyName === undefined ? path || 'the configuration' : join(path, error.propertyName);
  return `${subject}: expected ${expectation(error)}, got ${show(error.propertyName ?? error.data)}`;
}

function expectation({ keyword, params, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return [params['type'] as string | string[]].flat().map((type) => TYPES[type] ?? type).join(' or ');
    case 'enum':
      return `one of ${(params['allowedValues'] as string[]).join(', ')}`;
    case 'const':
      return String(params['allowedValue']);
    case 'format':
      return FORMATS[params['format'] as Format].expected;
    case 'pattern':
      return String(parentSchema?.['x-expected'] ?? `a text that matches ${String(params['pattern'])}`);
    case 'minimum':
      return `at least ${String(params['limit'])}`;
    case 'maximum':
      return `at most ${String(params['limit'])}`;
    case 'minLength':
      return 'a text that is not empty';
    case 'maxLength':
      return `at most ${String(params['limit'])} characters`;
    case 'minItems':
      return `at least ${String(params['limit'])} entries`;
    case 'maxItems':
      return `at most ${String(params['limit'])} entries`;
    case 'minProperties':
      return `at least ${String(params['limit'])} entries`;
    case 'uniqueItems':
      return 'entries that differ';
    default:
      return `a value that satisfies ${keyword}`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

/** `/projects/0/id` becomes `projects[0].id`. */
function pathOf(pointer: string): string {
  const parts = pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function show(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'a mapping';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
