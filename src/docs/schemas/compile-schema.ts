import { setImmediate } from 'node:timers/promises';
import { compileSafeRegExp, type SafeRegExp } from '../../lib/safe-regexp.ts';
import type { MetaRule, ValidationSchema, ValueType } from './parse-schema.ts';

/** Names of the types in messages. */
const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  date: 'a date',
};

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

const INTEGER = /^[+-]?\d+$/;

/** RFC 3339, section 5.6: `full-date` or `date-time`. */
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Whether a metadata value, which is always a string, can be read as the type. */
function readsAs(type: ValueType, value: string): boolean {
  switch (type) {
    case 'string':
      return true;
    case 'number':
      return NUMBER.test(value) && Number.isFinite(Number(value));
    case 'integer':
      return INTEGER.test(value);
    case 'boolean':
      return value === 'true' || value === 'false';
    case 'date':
      return isDate(value);
  }
}

/** The pattern cannot know that February has no 30th day. */
function isDate(value: string): boolean {
  const [, year, month, day] = (DATE.exec(value) ?? []).map(Number);
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month! - 1, day);
  return date.getUTCMonth() === month! - 1 && date.getUTCDate() === day;
}

export type Meta = Readonly<Record<string, readonly string[]>>;

/** Reports the violations of metadata, one sentence each; none when they are valid. */
export type MetaCheck = (meta: Meta, effort: Effort) => Promise<string[]>;

/** Maximum number of reported violations of one document. */
const MAX_VIOLATIONS = 100;

/** Maximum length of a value, and of a list of allowed values, that a message repeats. */
const SHOWN_CHARACTERS = 200;
const SHOWN_VALUES = 50;

/** The violations of one rule by the values of its key. */
type ValuesCheck = (values: readonly string[], effort: Effort) => Iterable<string> | AsyncIterable<string>;

/** Prepares a parsed schema, including its patterns, so that a write only runs the checks. */
export function compileSchema(schema: ValidationSchema): MetaCheck {
  const required = schema.required ?? [];
  const rules = Object.entries(schema.properties ?? {}).map(([key, rule]) => [key, compileRule(rule)] as const);
  return async (meta, effort) => {
    const found: string[] = [];
    effort.nextDocument();
    for await (const problem of violations(meta, required, rules, effort))
      if (found.push(problem) === MAX_VIOLATIONS) break;
    return found;
  };
}

async function* violations(meta: Meta, required: readonly string[],
  rules: readonly (readonly [string, ValuesCheck[]])[], effort: Effort): AsyncGenerator<string>
{
  for (const key of required) {
    if (valuesOf(meta, key).length === 0) yield `required key "${key}" is missing`;
  }
  for (const [key, checks] of rules) {
    if (!Object.hasOwn(meta, key)) continue;
    for (const check of checks) for await (const problem of check(meta[key]!, effort)) yield `key "${key}": ${problem}`;
  }
}

function valuesOf(meta: Meta, key: string): readonly string[] {
  return Object.hasOwn(meta, key) ? meta[key]! : [];
}

function compileRule({ type, enum: allowed, minItems, maxItems, pattern }: MetaRule): ValuesCheck[] {
  const checks: ValuesCheck[] = [];
  if (minItems !== undefined)
    checks.push((
      values,
    ) => (values.length < minItems ? [`${values.length} values are below minItems ${minItems}`] : []));
  if (maxItems !== undefined)
    checks.push((values) => (values.length > maxItems ? [`${values.length} values exceed maxItems ${maxItems}`] : []));
  if (type !== undefined) checks.push(eachValue((value) => readsAs(type, value), `is not ${TYPE_NAMES[type]}`));
  if (allowed !== undefined) checks.push(inEnum(allowed));
  if (pattern !== undefined) {
    checks.push(matching(pattern));
  }
  return checks;
}

/** Ends at the first value for which no effort is left, because it would not suffice for the next one either. */
function matching(pattern: string): ValuesCheck {
  const expression = compileSafeRegExp(pattern);
  return async function*(values, effort) {
    for (const value of values) {
      const matches = await effort.matches(expression, value);
      if (matches === false) yield `value "${shorten(value)}" does not match the pattern ${pattern}`;
      if (matches === undefined) {
        yield `checking the values against the pattern ${pattern} takes more than ${DOCUMENT_STEPS} steps; shorten the values, send fewer at once, or simplify the pattern`;
        return;
      }
    }
  };
}

function inEnum(allowed: readonly string[]): ValuesCheck {
  const set = new Set(allowed);
  const shown = allowed.slice(0, SHOWN_VALUES).map(shorten).join(', ') + (allowed.length > SHOWN_VALUES ? ', …' : '');
  return eachValue((value) => set.has(value), `is not in the allowed enum [${shown}]`);
}

function eachValue(holds: (value: string) => boolean, problem: string): ValuesCheck {
  return function*(values) {
    for (const value of values) if (!holds(value)) yield `value "${shorten(value)}" ${problem}`;
  };
}

function shorten(value: string): string {
  return value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
}

/** Maximum steps of a schema's patterns for the metadata of one document: a tenth of a second at worst. */
const DOCUMENT_STEPS = 5_000_000;

/** Maximum steps for all documents of one request. */
const REQUEST_STEPS = 10 * DOCUMENT_STEPS;

/** Number of steps after which other work gets the event loop: a few milliseconds. */
const SLICE = 250_000;

/**
 * The steps of the patterns of one request, counted so that the same metadata have the same outcome on every machine.
 */
export class Effort {
  #ofRequest: number;
  #ofDocument = 0;
  #slice = SLICE;

  constructor(requestSteps = REQUEST_STEPS) {
    this.#ofRequest = requestSteps;
  }

  /** Starts the metadata of the next document. */
  nextDocument(): void {
    this.#ofDocument = Math.min(DOCUMENT_STEPS, this.#ofRequest);
  }

  /** Whether a pattern matches a value; undefined when that takes more steps than are left. */
  async matches(pattern: SafeRegExp, value: string): Promise<boolean | undefined> {
    const search = pattern.search(value);
    for (let before = 0;; before = search.steps) {
      const found = search.advance(Math.min(this.#slice, this.#ofDocument));
      const taken = search.steps - before;
      this.#ofDocument -= taken;
      this.#ofRequest -= taken;
      this.#slice -= taken;
      if (this.#slice <= 0) {
        await setImmediate();
        this.#slice = SLICE;
      }
      if (found !== undefined) return found;
      if (this.#ofDocument <= 0) return undefined;
    }
  }
}
