/*
 * The parts that the schema of the configuration is made of. Each returns plain JSON Schema, with
 * its literal type kept, so that the type of the configuration can be derived from it.
 */

/**
 * Text formats, with the values that `read-by-schema.ts` converts them to: milliseconds, bytes, an address, or the text
 * itself.
 */
export type Format = 'duration' | 'duration-or-zero' | 'bytes' | 'bytes-or-zero' | 'address' | 'written-duration'
  | 'written-interval' | 'moment' | 'cron' | 'timezone' | 'endpoint' | 'group';

export const text = (description: string, fallback: string,
  extras: { pattern?: string; maxLength?: number; 'x-expected'?: string } = {}) =>
  ({ type: 'string', description, default: fallback, ...extras }) as const;

/** A text without a default that matches `pattern`; error messages show `expected`. */
export const requiredText = (description: string, pattern: string, expected: string) =>
  ({ type: 'string', description, pattern, 'x-expected': expected }) as const;

export const format = <const F extends Format>(kind: F, description: string, fallback: string) =>
  ({ type: 'string', format: kind, description, default: fallback }) as const;

/** A text of a format without a default. */
export const requiredFormat = <const F extends Format>(kind: F, description: string) =>
  ({ type: 'string', format: kind, description }) as const;

export const flag = (description: string, fallback: boolean) =>
  ({ type: 'boolean', description, default: fallback }) as const;

export const integer = (description: string, fallback: number, minimum: number, maximum: number) =>
  ({ type: 'integer', description, default: fallback, minimum, maximum }) as const;

export const number = (description: string, fallback: number, minimum: number, maximum: number) =>
  ({ type: 'number', description, default: fallback, minimum, maximum }) as const;

export const oneOf = <const Word extends string>(description: string, fallback: NoInfer<Word>,
  words: readonly Word[]) => ({ type: 'string', description, default: fallback, enum: words }) as const;

export const list = <const Item>(description: string, items: Item,
  extras: { maxItems?: number; uniqueItems?: boolean } = {}, fallback: readonly string[] = []) =>
  ({ type: 'array', description, default: fallback, items, ...extras }) as const;

/** A list, or null for "all". */
export const listOrAll = <const Item>(description: string, items: Item) =>
  ({ type: ['array', 'null'], description, default: null, items, uniqueItems: true }) as const;

/** Text, or a mapping; empty for none. */
export const textOrMapping = (description: string) =>
  ({ type: ['string', 'object'], description, default: '', additionalProperties: true }) as const;

export const SCALAR = {
  type: ['string', 'number', 'boolean'],
  'x-expected': 'a text, a number, true or false',
} as const;

/** Read as a text, however it is written. */
const SCALAR_AS_TEXT = { ...SCALAR, 'x-text': true } as const;

/** A text, a number, true or false; null for none. */
export const scalar = (description: string) =>
  ({ type: ['string', 'number', 'boolean', 'null'], description, default: null }) as const;

/** A number; null for none. */
export const numberOrNone = (description: string) =>
  ({ type: ['number', 'null'], description, default: null }) as const;

/** A map from names to values of this kind. */
export const mapping = <const Value>(description: string, names: { pattern: string; 'x-expected': string },
  values: Value) =>
  ({ type: 'object', description, default: {}, propertyNames: names, additionalProperties: values }) as const;

/** A part of the configuration that may be left out completely. */
export const section = <const Properties extends object>(description: string, properties: Properties) =>
  ({ type: 'object', description, default: {}, additionalProperties: false, properties }) as const;

/** An entry of a list; properties that are not required have a default. */
export const item = <const Properties extends object>(description: string,
  required: readonly (keyof Properties & string)[], properties: Properties) =>
  ({ type: 'object', description, additionalProperties: false, required, properties }) as const;

const VARIABLE = '^[A-Za-z_][A-Za-z0-9_]*$';
const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

/** Names that are environment variables, of a mapping. */
export const VARIABLE_NAME = { pattern: VARIABLE, 'x-expected': 'the name of an environment variable' } as const;

/** The name of an environment variable; empty for none. */
export const variable = (description: string, fallback = '') =>
  text(description, fallback, { pattern: `${VARIABLE}|^$`, 'x-expected': 'the name of an environment variable' });

export const requiredVariable = (description: string) =>
  requiredText(description, VARIABLE, 'the name of an environment variable');

export const name = (description: string) =>
  requiredText(description, NAME, 'a name of letters, digits, ., - and _, at most 128');

/** Environment variables with their values, which become texts: numbers keep the form in which they were written. */
export const environment = (description: string) =>
  ({
    type: 'object',
    description,
    default: {},
    propertyNames: { pattern: VARIABLE, 'x-expected': 'the name of an environment variable' },
    additionalProperties: SCALAR_AS_TEXT,
  }) as const;

export const LABEL_FORM = /^[a-z][a-z0-9._/-]{0,62}=[A-Za-z0-9._-]{1,63}$/;

export const LABEL = {
  type: 'string',
  pattern: LABEL_FORM.source,
  'x-expected': 'a label such as os=linux',
} as const;

/** A label whose value may contain values of a matrix. */
export const LABEL_OF_CELL = {
  type: 'string',
  pattern: '^[a-z][a-z0-9._/-]{0,62}=([A-Za-z0-9._-]|\\{matrix\\.[a-z][a-z0-9_]{0,62}\\}){1,63}$',
  'x-expected': 'a label such as os=linux or os={matrix.os}',
} as const;

/** Names that become parts of variable names. */
export const SHORT_NAME = {
  pattern: '^[a-z][a-z0-9_]{0,62}$',
  'x-expected': 'a name of lowercase letters, digits and _ that begins with a letter, at most 63',
} as const;

export const PROJECT_ID_PATTERN = '^[a-z0-9][a-z0-9_-]{0,62}$';
