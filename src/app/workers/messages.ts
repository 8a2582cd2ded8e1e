import type { Counted, RelayedNote } from '../../docs/index.ts';
import type { SlowBody } from '../../lib/slow-bodies.ts';
import type { Sender } from '../../operations/index.ts';
import type { PackedSettings } from '../settings/index.ts';
import type { TraceSettings } from '../tracing/index.ts';

/** Messages from the primary to a worker. */
export type ToWorker =
  | { readonly type: 'start'; readonly settings: PackedSettings; readonly socket: string; readonly worker: number;
    readonly traces?: TraceSettings | undefined }
  /** Comes with a connection, of which nothing has been read. */
  | { readonly type: 'connection'; readonly id: number }
  /** The change feed has grown. */
  | { readonly type: 'changed' }
  | { readonly type: 'admitted'; readonly id: number; readonly headers: Readonly<Record<string, string>>;
    readonly refused?: string }
  /** Ends a body of a report. */
  | { readonly type: 'end-slow'; readonly report: number; readonly index: number }
  | { readonly type: 'count'; readonly id: number }
  | { readonly type: 'reload' }
  | { readonly type: 'stop'; readonly graceMs: number };

/** Messages from a worker to the primary. */
export type ToPrimary =
  /** Whether its indexes are ready. */
  | { readonly type: 'ready'; readonly ready: boolean }
  | { readonly type: 'taken'; readonly id: number }
  | { readonly type: 'admit'; readonly id: number; readonly sender: Sender }
  /** All slow bodies of the worker's connections. */
  | { readonly type: 'slow'; readonly report: number; readonly bodies: readonly Pick<SlowBody, 'client' | 'rate'>[] }
  | { readonly type: 'counted'; readonly id: number; readonly counters: Counted; readonly memory: number }
  | { readonly type: 'notes'; readonly notes: readonly RelayedNote[] }
  | { readonly type: 'failed'; readonly reason: string };
