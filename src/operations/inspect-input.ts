import { ServiceError } from '../errors/index.ts';
import { formatByteSize } from '../lib/byte-size.ts';
import { type JsonLimits, MAX_KEYS } from '../lib/json-scanner.ts';
import type { OperationSpec } from './spec.ts';

/** Maximum nesting of arrays and objects in an input. */
export const MAX_DEPTH = 64;

type Rules = Pick<OperationSpec, 'sanitize' | 'maxBody' | 'maxValues'>;

/** The same limits for a JSON text that is to become an input. */
export function inputLimits(
  { maxValues = Infinity, maxItems }: Pick<OperationSpec, 'maxValues' | 'maxItems'>,
): JsonLimits {
  return { maxValues, maxItems, maxDepth: MAX_DEPTH };
}

interface Problem {
  readonly path: string;
  readonly reason: string;
}

/**
 * Refuses inputs that a schema cannot detect: more text or values than the operation takes, in whichever protocol they
 * came; objects of very many fields; nesting that would exhaust the stack of code that walks the value later; numbers
 * that are not finite, which JSON lacks; and, unless the operation repairs text itself, strings with lone surrogates,
 * which UTF-8 cannot store. It stops at the first problem.
 */
export class InputInspection {
  readonly #sanitize: boolean;
  readonly #maxBytes: number;
  readonly #maxValues: number;
  #bytes = 0;
  #values = 0;

  constructor({ sanitize, maxBody = Infinity, maxValues = Infinity }: Rules) {
    this.#sanitize = sanitize;
    this.#maxBytes = maxBody;
    this.#maxValues = maxValues;
  }

  /** Values that were inspected. */
  get values(): number {
    return this.#values;
  }

  /** Inspects a part of the input, `path`; what was inspected before counts, too. The message names the field. */
  inspect(value: unknown, path = '', depth = 0): void {
    const problem = this.#inspect(value, depth);
    if (this.#bytes > this.#maxBytes)
      throw new ServiceError('payload_too_large',
        `the input has more than ${formatByteSize(this.#maxBytes)}; send less at once`);
    if (this.#values > this.#maxValues)
      throw new ServiceError('invalid_argument',
        `the input must not have more than ${this.#maxValues} values; send less at once`);
    if (problem === undefined) return;
    const field = `${path}${problem.path}`.replace(/^\./, '') || 'the input';
    throw new ServiceError('invalid_argument', `${field} ${problem.reason}`);
  }

  #inspect(value: unknown, depth: number): Problem | undefined {
    if (typeof value === 'string') {
      this.#bytes += value.length;
      return this.#sanitize || value.isWellFormed() ? undefined : { path: '', reason: 'must be valid Unicode text' };
    }
    if (typeof value === 'number')
      return Number.isFinite(value) ? undefined : { path: '', reason: `must be a finite number, got ${value}` };
    if (value === null || typeof value !== 'object') return undefined;
    if (depth > MAX_DEPTH) return { path: '', reason: `must not be nested deeper than ${MAX_DEPTH} levels` };
    // Bytes of a file are not values.
    if (ArrayBuffer.isView(value)) return undefined;
    return Array.isArray(value) ? this.#inspectArray(value, depth) : this.#inspectObject(value, depth);
  }

  get #isFull(): boolean {
    return this.#bytes > this.#maxBytes || this.#values > this.#maxValues;
  }

  #inspectArray(values: readonly unknown[], depth: number): Problem | undefined {
    for (let i = 0; i < values.length; i++) {
      this.#values += 1;
      const problem = this.#inspect(values[i], depth + 1);
      if (problem) return { ...problem, path: `[${i}]${problem.path}` };
      if (this.#isFull) return undefined;
    }
    return undefined;
  }

  #inspectObject(value: object, depth: number): Problem | undefined {
    const keys = Object.keys(value);
    if (keys.length > MAX_KEYS) return { path: '', reason: `must not have more than ${MAX_KEYS} fields` };
    for (const key of keys) {
      this.#values += 1;
      this.#bytes += key.length;
      if (!this.#sanitize && !key.isWellFormed()) return { path: '', reason: 'must have keys of valid Unicode text' };
      const problem = this.#inspect((value as Record<string, unknown>)[key], depth + 1);
      if (problem) return { ...problem, path: `.${key.slice(0, 80)}${problem.path}` };
      if (this.#isFull) return undefined;
    }
    return undefined;
  }
}
