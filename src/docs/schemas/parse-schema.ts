import { ServiceError } from '../../errors/index.ts';
import { compileSafeRegExp } from '../../lib/safe-regexp.ts';

/** Rules for the metadata of a collection (contract section 2). Keys without a rule are free. */
export interface ValidationSchema {
  /** Keys that must exist with at least one value. */
  readonly required?: string[];
  readonly properties?: Record<string, MetaRule>;
}

/** Rules for the values of one metadata key; each rule applies independently. */
export interface MetaRule {
  readonly type?: ValueType;
  readonly enum?: string[];
  /** Number of values, if the key is present. */
  readonly minItems?: number;
  readonly maxItems?: number;
  /** A regular expression, searched for anywhere in the value unless anchored. */
  readonly pattern?: string;
}

const VALUE_TYPES = ['string', 'number', 'integer', 'boolean', 'date'] as const;

export type ValueType = (typeof VALUE_TYPES)[number];

const MAX_KEYS = 256;
const MAX_VALUES = 1000;

/**
 * Checks a schema, passed as an object or as a JSON string, and drops unknown parts. Throws `invalid_argument` with the
 * name of the wrong part, because the JSON form has not been validated before.
 */
export function parseSchema(input: unknown): ValidationSchema {
  const schema = record(typeof input === 'string' ? parseJson(input) : input, 'schema');
  const required = optional(schema['required'], (value) => texts(value, 'schema.required', MAX_KEYS));
  const properties = optional(schema['properties'], parseProperties);
  return { required, properties };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong('schema', `must be JSON: ${(error as Error).message}`);
  }
}

function parseProperties(value: unknown): Record<string, MetaRule> {
  const entries = Object.entries(record(value, 'schema.properties'));
  if (entries.length > MAX_KEYS) throw wrong('schema.properties', `must have at most ${MAX_KEYS} keys`);
  return Object.fromEntries(entries.map(([key, rule]) => [key, parseRule(rule, `schema.properties.${key}`)]));
}

function parseRule(value: unknown, path: string): MetaRule {
  const rule = record(value, path);
  const type = optional(rule['type'], (given) => oneOf(given, VALUE_TYPES, `${path}.type`));
  const allowed = optional(rule['enum'], (given) => texts(given, `${path}.enum`, MAX_VALUES, 1));
  const minItems = optional(rule['minItems'], (given) => count(given, `${path}.minItems`));
  const maxItems = optional(rule['maxItems'], (given) => count(given, `${path}.maxItems`));
  const pattern = optional(rule['pattern'], (given) => checkedPattern(given, `${path}.pattern`));
  if (minItems !== undefined && maxItems !== undefined && minItems > maxItems)
    throw wrong(`${path}.minItems`, 'must not exceed maxItems');
  return {
    type,
    enum: allowed,
    minItems,
    maxItems,
    pattern,
  };
}

function optional<T>(value: unknown, parse: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : parse(value);
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'must be an object');
  return value as Record<string, unknown>;
}

function texts(value: unknown, path: string, most: number, least = 0): string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw wrong(path, 'must be an array of strings');
  if (value.length < least || value.length > most) throw wrong(path, `must have ${least} to ${most} items`);
  return value;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[], path: string): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw wrong(path, `must be one of ${allowed.join(', ')}, got ${JSON.stringify(value).slice(0, 80)}`);
  return found;
}

function count(value: unknown, path: string): number {
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > MAX_VALUES)
    throw wrong(path, `must be an integer from 0 to ${MAX_VALUES}`);
  return value as number;
}

function checkedPattern(value: unknown, path: string): string {
  if (typeof value !== 'string') throw wrong(path, 'must be a string');
  try {
    return compileSafeRegExp(value).source;
  } catch (error) {
    throw wrong(path, `must be a regular expression that runs in linear time: ${(error as Error).message}`);
  }
}

function wrong(path: string, reason: string): ServiceError {
  return new ServiceError('invalid_argument', `${path.slice(0, 120)} ${reason}`);
}
