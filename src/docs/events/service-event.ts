import { ServiceError } from '../../errors/index.ts';
import { type Change, CHANGE_FLAGS } from '../../storage/index.ts';
import { canonicalName, DOCUMENT_EVENTS, type DocumentEvent, eventOf as documentEventOf } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';

/** An event for webhooks and streams: of a document, a collection, or the server itself (contract section 6). */
export interface ServiceEvent extends Omit<DocumentEvent, 'event'> {
  readonly event: string;
  /** The write requested that webhooks do not receive its event. */
  readonly isQuiet: boolean;
}

/** The event that every webhook receives, whatever it subscribes to. */
export const BURST_EVENT = 'security.auth_failure_burst';

/** Changes that are events of the server under the same name; their detail is that of the event. */
const SERVER_EVENTS: ReadonlySet<string> = new Set([BURST_EVENT, 'security.rate_limit_exceeded',
  'ops.replication_lag_high', 'ops.panic_recovered', 'ops.disk_usage_high']);

/** Whether the event concerns the server and not its data. */
export function isServerEvent(event: string): boolean {
  return SERVER_EVENTS.has(event);
}

/** The event of a change; undefined when there is none, as for a configuration. */
export function serviceEventOf(change: Change): ServiceEvent | undefined {
  const isQuiet = (change.flags & CHANGE_FLAGS.SKIP_WEBHOOKS) !== 0;
  if (!SERVER_EVENTS.has(change.kind)) {
    const event = documentEventOf(change);
    return event && { ...event, ...(event.event === 'collection.deleted' && { detail: countOf(event) }), isQuiet };
  }
  const detail = JSON.parse(change.detail ?? '{}') as Record<string, unknown>;
  return {
    event: change.kind,
    collection: '',
    key: '',
    lang: '',
    docId: '',
    timestamp: Math.floor(change.at / 1000),
    seq: change.lsn,
    detail,
    isQuiet,
  };
}

function countOf({ detail }: DocumentEvent): Record<string, unknown> {
  return { count: detail?.['deleted'] ?? 0 };
}

/**
 * The events that names stand for, in canonical form; `*` stands for those of documents. Unknown names are kept, and
 * match nothing.
 */
export function canonicalEvents(names: readonly string[]): ReadonlySet<string> {
  return new Set<string>(
    names.flatMap((name): readonly string[] => (name === '*' ? DOCUMENT_EVENTS : [canonicalName(name)])),
  );
}

/** The same for readers of a stream. Throws `invalid_argument` for an unknown name. */
export function knownEvents(names: readonly string[]): ReadonlySet<string> {
  const events = canonicalEvents(names);
  const known = [...DOCUMENT_EVENTS, 'collection.deleted', ...SERVER_EVENTS];
  const unknown = [...events].find((event) => !known.includes(event));
  if (unknown !== undefined)
    throw new ServiceError('invalid_argument',
      `events must name ${known.join(', ')} or *, got ${JSON.stringify(unknown.slice(0, 80))}`);
  return events;
}

/**
 * Appends an event of the server to the change feed, from which webhooks and streams receive it. Neither throws nor
 * waits; a read-only server appends nothing.
 */
export function publishEvent({ sql, feed, log, settings }: Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'settings'>,
  kind: `${string}.${string}`, detail: object): void
{
  if (settings.mode === 'read') return;
  sql.transaction((tx) => feed.append(tx, [{ kind, collection: '', detail: JSON.stringify(detail) }])).catch((
    error: unknown,
  ) => log.error({ err: error, event: kind }, 'an incident could not be sent to webhooks'));
}
