/**
 * The client of the run queue: `connect`, the functions of the generated SDK, and functions for streams and pages.
 *
 * @module
 */
import { KEYED, PAGES, READS } from '../../generated/runs/client-facts.ts';
import { createClient, createConfig } from '../../generated/runs/sdk/client/index.ts';
import { streamRunLogs } from '../../generated/runs/sdk/sdk.gen.ts';
import type { LogEvent, RunState } from '../../generated/runs/sdk/types.gen.ts';
import { eventsOf } from './core/events.ts';
import { type ItemOf, pagesOf } from './core/paging.ts';
import { Quire, type QuireOptions } from './core/quire.ts';
import type { CallOptions, Client, DataOf, InputOf, SdkFunction } from './core/types.ts';

export * from '../../generated/runs/sdk/index.ts';
export { QuireError } from './core/quire-error.ts';
export { type Credential, Quire, type QuireOptions } from './core/quire.ts';
export type { CallOptions, DataOf, InputOf, SdkFunction } from './core/types.ts';

/** A client of the run queue at `baseUrl`, or with further options. */
export function connect(options: string | QuireOptions = {}): Quire {
  const facts = {
    createClient: (config: object) => createClient(createConfig(config)) as unknown as Client,
    baseUrl: 'http://localhost:11030',
    reads: READS,
    keyed: KEYED,
  };
  return new Quire(facts, typeof options === 'string' ? { baseUrl: options } : options);
}

type Names = (typeof PAGES)[keyof typeof PAGES]['items'];

/** The pages of a list, as the operation returns them, without an empty page at the end. */
export async function* pages<F extends SdkFunction>(quire: Quire, operation: F,
  input: InputOf<F>): AsyncGenerator<DataOf<F>>
{
  for await (const { data } of pagesOf(quire, PAGES, operation, input)) yield data;
}

/** The items of a list, across all of its pages. */
export async function* items<F extends SdkFunction>(quire: Quire, operation: F,
  input: InputOf<F>): AsyncGenerator<ItemOf<DataOf<F>, Names>>
{
  for await (const page of pagesOf(quire, PAGES, operation, input)) yield* page.items as ItemOf<DataOf<F>, Names>[];
}

/** An event of a run's log: a line, or a change of the run. */
export type RunEvent = { readonly event: 'log'; /** The value for `after`. */ readonly id: string | undefined;
  readonly data: LogEvent } | { readonly event: 'state'; readonly id: string | undefined;
  readonly data: { readonly state: RunState; readonly attempt: number } };

export interface FollowOptions extends Pick<CallOptions, 'signal'> {
  /** Only this attempt; if absent, the current one and later ones. */
  readonly attempt?: number;
  /** The `id` of the last event that was received; the log continues after it. */
  readonly after?: string;
}

/** Follows the log of a run to its end, across broken connections, without skipping or repeating lines. */
export async function* followRun(quire: Quire, id: string,
  { attempt, after, signal }: FollowOptions = {}): AsyncGenerator<RunEvent>
{
  const input = { path: { id }, query: { attempt }, signal };
  for await (const { id: event, event: name, data } of eventsOf(quire, streamRunLogs, input, {
    lastEventId: after,
    isLast: (last) => last.event === 'end',
  })) {
    if (name === 'log' || name === 'state') yield { event: name, id: event, data: JSON.parse(data) } as RunEvent;
  }
}
