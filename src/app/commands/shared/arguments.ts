import { InvalidArgumentError } from 'commander';

/**
 * Parser of a repeatable option `key=value`, which collects a metadata filter: values of one key are alternatives,
 * different keys must all match (contract, section 4, `/v1/search`). Only the first `=` separates, so values may
 * contain more.
 */
export function collectFilter(text: string, previous: Record<string, string[]> = {}): Record<string, string[]> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected key=value.');
  const key = text.slice(0, at);
  return { ...previous, [key]: [...(Object.hasOwn(previous, key) ? previous[key]! : []), text.slice(at + 1)] };
}

/** Parser of an integer between two inclusive bounds. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`Expected a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

/** Parser of a comma-separated list; empty parts are dropped. */
export function commaList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim()).filter((part) => part !== '');
  if (parts.length === 0) throw new InvalidArgumentError('Expected names separated by commas.');
  return parts;
}
