import type { ErrorObject } from 'ajv/dist/2020.js';
import { MAX_ERRORS } from './validation.ts';

/** The errors of an input: the code of the most severe one, one message for all, and one for each violation. */
export interface Violations {
  readonly code: 'missing_fields' | 'invalid_argument';
  readonly message: string;
  readonly errors: readonly string[];
  /** Code that the specification gives to the first violated field (`x-error`). */
  readonly fieldError?: string;
}

/**
 * Turns Ajv's errors into messages that name the field, in the wording of the contract: absent and
 * empty required fields are `missing fields: key, lang`, in the order of the specification,
 * everything else is `<field> must ...`.
 */
export function describeViolations(errors: readonly ErrorObject[],
  fields: FieldOrder = { all: [], required: [] }): Violations
{
  const missing = new Set<string>();
  const wrong = new Map<string, string>();
  const alternatives = new Set<object | undefined>(errors.flatMap(alternativesOf));
  for (const error of errors) {
    // A condition only reports that one of its parts failed.
    if (error.keyword === 'if' || alternativesOf(error).length > 0 || alternatives.has(error.parentSchema)) continue;
    const path = fieldPath(error);
    if (error.keyword === 'required') missing.add(join(path, error.params['missingProperty'] as string));
    else if (error.keyword === 'minLength' && fields.required.includes(path)) missing.add(path);
    // Errors that follow from a field's first violation are not reported.
    else if (!wrong.has(path) && wrong.size < MAX_ERRORS)
      wrong.set(path, `${path || 'the input'} ${requirement(error)}`);
  }
  for (const field of missing) wrong.delete(field);
  const ordered = [...missing].sort((a, b) => fields.all.indexOf(a) - fields.all.indexOf(b)).slice(0, MAX_ERRORS);
  const lines = [...(ordered.length > 0 ? [`missing fields: ${ordered.join(', ')}`] : []), ...wrong.values()];
  // Reported last, because it matters only when the fields that are always required are present.
  const choice = lines.length === 0 ? errors.find((error) => alternativesOf(error).length > 0) : undefined;
  if (choice !== undefined) return ofChoice(describeFieldChoice(choice));
  const fieldError = errors.map(specifiedCode).find((code) => code !== undefined);
  return {
    code: missing.size > 0 ? 'missing_fields' : 'invalid_argument',
    message: lines.join('; '),
    errors: lines,
    fieldError,
  };
}

function ofChoice({ isExclusive, message }: FieldChoice): Violations {
  return { code: isExclusive ? 'invalid_argument' : 'missing_fields', message, errors: [message] };
}

/** The fields of an input in the specification's order; in required fields, an empty text counts as missing. */
export interface FieldOrder {
  readonly all: readonly string[];
  readonly required: readonly string[];
}

/** `/documents/0/key` becomes `documents[0].key`. */
function fieldPath(error: ErrorObject): string {
  const parts = error.instancePath.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
  return error.propertyName === undefined ? path : join(path, error.propertyName || '""');
}

function join(path: string, name: string): string {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return path === '' ? short : `${path}.${short}`;
}

function requirement(error: ErrorObject): string {
  const { params } = error;
  switch (error.keyword) {
    case 'type':
      return `must be ${article([params['type'] as string | string[]].flat())}, got ${shown(error.data)}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).filter((value) => value !== null).join(', ')}${
        got(error.data)
      }`;
    case 'const':
      return `must be ${String(params['allowedValue'])}${got(error.data)}`;
    case 'minimum':
      return `must be at least ${String(params['limit'])}${got(error.data)}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}${got(error.data)}`;
    case 'exclusiveMinimum':
      return `must be above ${String(params['limit'])}${got(error.data)}`;
    case 'exclusiveMaximum':
      return `must be below ${String(params['limit'])}${got(error.data)}`;
    case 'minLength':
      return error.data === '' ? 'must not be empty' : `must have at least ${String(params['limit'])} characters`;
    case 'maxLength':
      return `must have at most ${String(params['limit'])} characters`;
    case 'minItems':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${String(params['limit'])} items`;
    case 'maxItems':
      return `must have at most ${String(params['limit'])} items`;
    case 'maxProperties':
      return `must have at most ${String(params['limit'])} keys`;
    case 'additionalProperties':
      return `must not have the field ${String(params['additionalProperty']).slice(0, 80)}`;
    case 'format':
      if (error.params['format'] === 'date-time')
        return `must be an RFC 3339 time such as 2026-01-31T12:00:00Z${got(error.data)}`;
      return error.params['format'] === 'int64'
        ? `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}${got(error.data)}`
        : (error.message ?? 'is invalid');
    case 'pattern':
      return (error.parentSchema?.['x-message'] as string | undefined) ?? `must match ${String(params['pattern'])}`;
    default:
      return error.message ?? 'is invalid';
  }
}

const got = (
  value: unknown,
): string => (typeof value === 'object'
  ? ''
  : `, got ${JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value)?.slice(0, 80)}`);

function article(types: readonly string[]): string {
  const names: Record<string, string> = {
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    array: 'an array',
    object: 'an object',
    null: 'null',
  };
  return types.map((type) => names[type] ?? type).join(' or ');
}

/** A number as it is; other values by their type, because texts may be long or secret. */
function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'an array' : article([typeof value]);
}

function specifiedCode(error: ErrorObject): string | undefined {
  const own = error.parentSchema?.['x-error'];
  if (typeof own === 'string') return own;
  if (error.keyword !== 'required') return undefined;
  const properties = error.parentSchema?.['properties'] as Record<string, { 'x-error'?: string }> | undefined;
  return properties?.[error.params['missingProperty'] as string]?.['x-error'];
}

interface Alternative {
  readonly required: readonly string[];
}

/**
 * A violated rule that requires one of several fields: `anyOf` or `oneOf` of alternatives that contain only `required`.
 */
interface FieldChoice {
  /** Whether too many of them are present (`oneOf`), rather than none. */
  readonly isExclusive: boolean;
  readonly message: string;
}

/** The alternatives of such a rule; empty for any other error. */
function alternativesOf(error: ErrorObject): readonly Alternative[] {
  if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') return [];
  const alternatives = error.schema as readonly Alternative[];
  return alternatives.every((each) => Object.keys(each).join() === 'required') ? alternatives : [];
}

/**
 * States what is missing: the rest of an alternative of which some fields are present, otherwise all alternatives, in
 * the wording of the schema (`x-missing`). If only one may be present, the message is the same for none and for
 * several.
 */
function describeFieldChoice(error: ErrorObject): FieldChoice {
  const alternatives = alternativesOf(error).map(({ required }) => required);
  const names = alternatives.map((required) => required.join(' and '));
  if (error.keyword === 'oneOf') return { isExclusive: true, message: `send either ${names.join(' or ')}` };
  const isThere = (name: string): boolean => Object.hasOwn(error.data as object, name);
  const begun = alternatives.filter((required) => required.some(isThere));
  const rest = begun.length === 1 ? begun[0]!.filter((name) => !isThere(name)).join(', ') : undefined;
  return {
    isExclusive: false,
    message: `missing fields: ${rest ?? (error.parentSchema?.['x-missing'] as string | undefined) ?? listed(names)}`,
  };
}

function listed(names: readonly string[]): string {
  if (names.some((name) => name.includes(' and '))) return `${names.slice(0, -1).join(', ')}, or ${names.at(-1)!}`;
  return names.length > 2 ? `one of ${names.join(', ')}` : names.join(' or ');
}
