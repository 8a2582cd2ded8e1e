import type { OperationId, Operations } from '../../../../generated/runs/operations.ts';
import type { Run } from '../../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { AnswerBudget, type OutputOf } from '../../../operations/index.ts';
import { type CallContext, callerOf } from '../core/call-context.ts';
import type { AnyInvoke } from '../core/tool.ts';
import { bytesOf, fitting } from '../models/fitting.ts';
import { MODEL_ANSWER_BYTES, type ModelTool } from '../models/model-tool.ts';

/** A tool of the run queue that is made for models. */
export type RunTool = ModelTool<RunsService, OperationId>;

/** Invokes operations of the run queue for one call of a tool. */
export interface RunsService {
  call<K extends OperationId>(id: K, input: object): Promise<OutputOf<Operations, K>>;
  /** Most bytes of the result: 1,800 tokens of four bytes. */
  readonly answerBytes: number;
}

export function runsServiceOf(invoke: AnyInvoke, context: CallContext): RunsService {
  return {
    async call(id, input) {
      const { value } = await invoke(id, input, { ...callerOf(context), budget: new AnswerBudget() });
      return value as OutputOf<Operations, typeof id>;
    },
    answerBytes: MODEL_ANSWER_BYTES,
  };
}

export const RUN_ID = {
  type: 'string',
  description: 'Id of the run, or at least 6 characters of its beginning or end.',
} as const;

/** Runs among which a part of an id is looked for. */
const SEARCHED = 500;

/**
 * The run that an argument names: by its id, or by the beginning or end of it among the newest 500 runs. Throws
 * `run_not_found` or `invalid_input` with advice.
 */
export async function findRun(service: RunsService, given: string): Promise<Run> {
  const text = given.toLowerCase();
  if (/^[0-9a-f]{32}$/.test(text)) return (await service.call('getRun', { id: text })).data;
  const found = /^[0-9a-f]{6,31}$/.test(text) ? await search(service, text) : [];
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new ServiceError('invalid_input', `${found.length} runs match ${text}`, {
      body: { advice: `send the whole id: ${found.slice(0, 5).map(({ id }) => id).join(', ')}` },
    });
  throw new ServiceError('run_not_found', 'there is no such run', {
    body: { advice: 'call list_runs to find its id' },
  });
}

async function search(service: RunsService, part: string): Promise<Run[]> {
  const found: Run[] = [];
  let before: string | undefined;
  for (let seen = 0; seen < SEARCHED; seen += 100) {
    const { data, next_cursor: next } = await service.call('listRuns', { limit: 100, ...(before && { before }) });
    found.push(...data.filter(({ id }) => id.startsWith(part) || id.endsWith(part)));
    if (next === null) break;
    before = next;
  }
  return found;
}

export const LIMIT = { type: 'integer', minimum: 1, maximum: 50, default: 10 } as const;
export const BEFORE = { type: 'string', description: 'To continue: the next of the previous response.' } as const;

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/**
 * As many items of a list as fit in the result, with the cursor of those that follow. `read` requests a page; a shorter
 * one is requested again where the result has no room for all, because only the service knows the cursor.
 */
export async function fittingPage<T>(read: (limit: number) => Promise<Page<T>>, limit: number, bytes: number,
  present: (item: T) => object): Promise<{ readonly items: readonly object[]; readonly next: string | undefined }>
{
  const page = await read(limit);
  const items = page.data.map(present);
  const fits = fitting(items, bytes);
  const { next_cursor: next } = fits.length === items.length ? page : await read(fits.length);
  return { items: fits, next: next ?? undefined };
}

/** Bytes that remain beside a part of the result, with room for a note. */
export const roomBeside = (rest: object, { answerBytes }: RunsService): number => answerBytes - bytesOf(rest) - 250;

/** A time as people and models write it. */
export const moment = (seconds: number | null): string | undefined =>
  seconds === null ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** A text of at most so many characters, with its middle left out. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const left = text.length - most + 40;
  const half = (most - 40) >> 1;
  return `${text.slice(0, half)} [… ${left} characters …] ${text.slice(text.length - half)}`.toWellFormed();
}
