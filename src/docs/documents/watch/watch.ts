import type { Document } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import { type Change, type ChangeFeed, FeedGap } from '../../../storage/index.ts';
import { type DocumentEvent, eventOf, eventsNamed } from './events.ts';
import { eventsLost, Watcher, type WatchHub } from './watch-hub.ts';

/** Number of changes that are read at once while a watcher catches up. */
const BATCH = 500;

export interface WatchInput {
  /** Letter case does not matter; empty means every collection except those of the system. */
  readonly collection: string;
  /** Names of events and their aliases; none means all. */
  readonly events: readonly string[];
  readonly includeDocument: boolean;
  /**
   * Number of the last event that the client has seen; 0 requests all kept events, absent requests only future ones.
   */
  readonly fromSeq?: number;
}

/** An event with the document as it is when the event is delivered, if it was requested and exists. */
export interface WatchedEvent extends DocumentEvent {
  readonly document?: Document;
}

/**
 * What watching needs: the feed, and a function that returns a document by any of its spellings, or undefined when it
 * was removed.
 */
export interface WatchDependencies {
  readonly feed: ChangeFeed;
  readonly hub: WatchHub;
  readonly readDocument: (event: Pick<DocumentEvent, 'collection' | 'key' | 'lang'>) => Promise<Document | undefined>;
}

export type Watch = (input: WatchInput, signal: AbortSignal) => Promise<AsyncIterable<WatchedEvent>>;

/**
 * Watches documents: resolves when every later event will be delivered. The iterable that it returns continues until
 * the caller leaves it, and throws the signal's reason when that aborts, `rate_limited` when the watcher is too far
 * behind, and `unavailable` when the service stops or events were lost. Errors: `invalid_argument` for unknown events,
 * and for a number after which the feed cannot continue.
 */
export function createWatch(dependencies: WatchDependencies): Watch {
  return async (input, signal) => {
    const wanted = filterOf(input);
    signal.throwIfAborted();
    const events = input.fromSeq === undefined
      ? await fromNowOn(dependencies, wanted, signal)
      : await resumed(dependencies, wanted, input.fromSeq, signal);
    return input.includeDocument ? withDocuments(dependencies, events) : events;
  };
}

type Wanted = (event: DocumentEvent) => boolean;

function filterOf({ collection, events }: WatchInput): Wanted {
  const names = eventsNamed(events);
  const only = collection.toLowerCase();
  return (event) =>
    names.has(event.event) && (only === '' ? !isSystemCollection(event.collection) : event.collection === only);
}

async function fromNowOn({ feed, hub }: WatchDependencies, wanted: Wanted,
  signal: AbortSignal): Promise<AsyncIterable<DocumentEvent>>
{
  const watcher = new Watcher(wanted);
  await hub.join(watcher);
  // This also covers a client that never takes the first event.
  signal.addEventListener('abort', () => hub.leave(watcher), { once: true });
  try {
    // The hub may be behind the head; changes that were written before now are not reported.
    return follow(hub, watcher, await feed.head(), signal);
  } catch (error) {
    hub.leave(watcher);
    throw error;
  }
}

/** The first batch is read at once, so that a number after which the feed cannot continue is refused. */
async function resumed(dependencies: WatchDependencies, wanted: Wanted, fromSeq: number,
  signal: AbortSignal): Promise<AsyncIterable<DocumentEvent>>
{
  const { feed } = dependencies;
  const after = fromSeq === 0 ? Math.max(0, (await feed.oldest()) - 1) : fromSeq;
  try {
    return catchUp(dependencies, wanted, { after, changes: await feed.read(after, BATCH) }, signal);
  } catch (error) {
    if (!(error instanceof FeedGap)) throw error;
    throw new ServiceError('invalid_argument',
      `fromSeq must lie between ${Math.max(0, error.oldest - 1)} and ${error.head}, got ${fromSeq}`, { cause: error });
  }
}

interface Start {
  readonly after: number;
  /** The first changes after it. */
  readonly changes: readonly Change[];
}

/**
 * Reads the feed at the watcher's own pace until it has reached the position of the hub, and only then joins it: a
 * client that resumes after a long time does not exceed the limit of waiting events.
 */
async function* catchUp({ feed, hub }: WatchDependencies, wanted: Wanted, start: Start,
  signal: AbortSignal): AsyncGenerator<DocumentEvent>
{
  let { after, changes } = start;
  const watcher = new Watcher(wanted);
  let joined = false;
  try {
    // After it has joined, it must still read the changes that the hub passed on before.
    while (changes.length > 0 || !joined) {
      for (const change of changes) {
        signal.throwIfAborted();
        const event = eventOf(change);
        if (event !== undefined && wanted(event)) yield event;
        after = change.lsn;
      }
      if (changes.length === 0) {
        joined = true;
        await hub.join(watcher);
      }
      changes = joined && after >= hub.position ? [] : await readOn(feed, after);
    }
    yield* follow(hub, watcher, after, signal);
  } finally {
    hub.leave(watcher);
  }
}

/** The future events of the watcher; events up to `after`, which it has read already, are skipped. */
async function* follow(hub: WatchHub, watcher: Watcher, after: number,
  signal: AbortSignal): AsyncGenerator<DocumentEvent>
{
  const onAbort = (): void => watcher.fail(signal.reason);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    for (;;) {
      const event = await watcher.next();
      if (event.seq > after) yield event;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    hub.leave(watcher);
  }
}

/** Pruning while a watcher catches up loses it events just as a restore does. */
async function readOn(feed: ChangeFeed, after: number): Promise<Change[]> {
  try {
    return await feed.read(after, BATCH);
  } catch (error) {
    throw error instanceof FeedGap ? eventsLost() : error;
  }
}

/** Documents are read as late as possible: events that wait do not contain bodies. */
async function* withDocuments({ readDocument }: WatchDependencies,
  events: AsyncIterable<DocumentEvent>): AsyncGenerator<WatchedEvent>
{
  for await (const event of events) {
    const document = event.event === 'doc.added' || event.event === 'doc.updated'
      ? await readDocument(event)
      : undefined;
    yield document === undefined ? event : { ...event, document };
  }
}
