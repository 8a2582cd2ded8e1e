import type { ValueType } from './validation-schema.ts';

/** Names of the types in messages. */
export const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
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
export function readsAs(type: ValueType, value: string): boolean {
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
