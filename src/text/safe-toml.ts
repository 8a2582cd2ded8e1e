import { parse, TomlDate, TomlError } from 'smol-toml';

type TomlResult = { readonly ok: true; readonly value: Map<string, unknown> } | { readonly ok: false;
  readonly problem: string };

/**
 * Parses a TOML 1.0 document. Dates and times become text in ISO 8601, with a zone only if they have one. Never throws;
 * `problem` is one line with the position of the first error.
 */
export function parseToml(text: string): TomlResult {
  try {
    const table = parse(text, { integersAsBigInt: 'asNeeded' });
    return { ok: true, value: new Map(Object.entries(table).map(([key, value]) => [key, withoutDates(value)])) };
  } catch (error) {
    if (error instanceof TomlError)
      return {
        ok: false,
        problem: `${error.message.split('\n', 1)[0]!} at line ${error.line}, column ${error.column}`,
      };
    // Nesting deeper than the stack.
    return { ok: false, problem: (error as Error).message.split('\n', 1)[0]! };
  }
}

function withoutDates(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, '');
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, withoutDates(inner)]));
}
