import { ServiceError } from '../errors/index.ts';

/** Maximum nesting of arrays and objects in an input. */
export const MAX_DEPTH = 64;

/**
 * Refuses inputs that a schema cannot detect: nesting that would exhaust the stack of code that walks the value later and,
 * unless the operation repairs text itself, strings with lone surrogates, which UTF-8 cannot store. The message names the
 * field.
 */
export function inspectInput(input: object, sanitize: boolean): void {
  const problem = inspect(input, sanitize, 0);
  if (problem === undefined) return;
  const field = problem.path.replace(/^\./, '') || 'the input';
  throw new ServiceError('invalid_argument', `${field} ${problem.reason}`);
}

interface Problem {
  readonly path: string;
  readonly reason: string;
}

function inspect(value: unknown, sanitize: boolean, depth: number): Problem | undefined {
  if (typeof value === 'string') {
    return sanitize || value.isWellFormed() ? undefined : { path: '', reason: 'must be valid Unicode text' };
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth > MAX_DEPTH) return { path: '', reason: `must not be nested deeper than ${MAX_DEPTH} levels` };
  return Array.isArray(value) ? inspectArray(value, sanitize, depth) : inspectObject(value, sanitize, depth);
}

function inspectArray(values: readonly unknown[], sanitize: boolean, depth: number): Problem | undefined {
  for (let i = 0; i < values.length; i++) {
    const problem = inspect(values[i], sanitize, depth + 1);
    if (problem) return { ...problem, path: `[${i}]${problem.path}` };
  }
  return undefined;
}

function inspectObject(value: object, sanitize: boolean, depth: number): Problem | undefined {
  for (const key of Object.keys(value)) {
    if (!sanitize && !key.isWellFormed()) return { path: '', reason: 'must have keys of valid Unicode text' };
    const problem = inspect((value as Record<string, unknown>)[key], sanitize, depth + 1);
    if (problem) return { ...problem, path: `.${key.slice(0, 80)}${problem.path}` };
  }
  return undefined;
}
