import { ServiceError } from '../../../errors/index.ts';
import { type AnswerBudget, type Caller, type Download, truncationOf } from '../../../operations/index.ts';
import type { AnyInvoke } from './tool.ts';

const MAX_LIMIT = 10_000;
const DEFAULT_LIMIT = 1000;
const NEWLINE = 10;

/**
 * Returns some documents of an export, as lines: as much as a model can use, never the whole file. The export is made
 * while it is read, so documents after the window cost nothing; those before it are skipped.
 */
export async function exportWindow(invoke: AnyInvoke, input: Readonly<Record<string, unknown>>, caller: Caller,
  budget: AnswerBudget): Promise<Record<string, unknown>>
{
  const { offset = 0, limit = DEFAULT_LIMIT, ...rest } = input;
  checkRange('offset', offset, 0, Number.MAX_SAFE_INTEGER);
  checkRange('limit', limit, 1, MAX_LIMIT);
  const { value } = await invoke('exportDocuments', { ...rest, format: 'ndjson' }, caller);
  const window = new Window(offset, limit, budget);
  for await (const line of linesOf((value as Download).content)) {
    caller.signal?.throwIfAborted();
    if (!window.take(line)) break;
  }
  return { collection: rest['collection'], ...window.result() };
}

function checkRange(field: string, value: unknown, least: number, most: number): asserts value is number {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) {
    throw new ServiceError('invalid_argument',
      `${field} must be an integer from ${least} to ${most}, got ${JSON.stringify(value)?.slice(0, 80)}`);
  }
}

class Window {
  readonly #offset: number;
  readonly #limit: number;
  readonly #lines: Buffer[] = [];
  readonly #budget: AnswerBudget;
  #seen = 0;
  #truncated = false;

  constructor(offset: number, limit: number, budget: AnswerBudget) {
    this.#offset = offset;
    this.#limit = limit;
    this.#budget = budget;
  }

  /** Returns false if the line is after the window, so that reading can stop. */
  take(line: Buffer): boolean {
    if (this.#seen++ < this.#offset) return true;
    if (this.#lines.length >= this.#limit || !this.#budget.take(line.length)) {
      this.#truncated = true;
      return false;
    }
    this.#lines.push(line);
    return true;
  }

  result(): Record<string, unknown> {
    const count = this.#lines.length;
    return {
      count,
      truncated: this.#truncated,
      ...truncationOf(this.#truncated, this.#offset + count),
      ndjson: Buffer.concat(this.#lines).toString(),
    };
  }
}

/** The lines of a text that arrives in pieces, each with its line end. */
async function* linesOf(content: Download['content']): AsyncGenerator<Buffer> {
  const pieces = typeof content === 'string' ? [Buffer.from(content)] : content;
  let begun: Buffer[] = [];
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, bytes.subarray(from, end + 1)]);
      begun = [];
      from = end + 1;
    }
    if (from < bytes.length) begun.push(bytes.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}
