import { type Operations, operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import { systemTimer, type Timer } from '../../../lib/clock.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import { type Context, forbidden, type Handlers, type Identity, type InputOf,
  Reply } from '../../../operations/index.ts';
import { type ChangeFeed, FeedGap } from '../../../storage/index.ts';
import type { Access } from '../../access/index.ts';
import type { Documents } from '../../documents/index.ts';
import { isServerEvent, knownEvents, type ServiceEvent } from '../service-event.ts';
import { StreamHub, type StreamLimits, type StreamSubscriber } from './stream-hub.ts';

/** Server-sent events of the change feed (`GET /v1/events`). */
export interface EventStreams {
  readonly handlers: Required<Pick<Handlers<Operations>, 'streamEvents'>>;
  /** Number of open streams. */
  readonly size: number;
  /** Ends all streams, which would otherwise prevent the server from stopping; new ones are refused. */
  stop(): void;
}

export interface EventStreamsDeps {
  readonly feed: ChangeFeed;
  readonly access: Pick<Access, 'guard' | 'follow'>;
  readonly documents: Pick<Documents, 'readDocument'>;
  readonly timer?: Timer;
  readonly limits?: StreamLimits;
}

/** Maximum size of events that are sent at once, in UTF-16 units. */
const PIECE = 65_536;

export function createEventStreams({ timer = systemTimer, limits, ...deps }: EventStreamsDeps): EventStreams {
  const hub = new StreamHub({ feed: deps.feed, timer, limits });
  return {
    handlers: {
      async streamEvents(input, context) {
        const { lastEventId, follow } = input;
        const names = input.events && knownEvents(input.events);
        if (!context.identity.admin && [...(names ?? [])].some(isServerEvent))
          throw new ServiceError('admin_required',
            'admin permission required: events of the server are for administrators');
        const owner = context.identity.username || (context.caller.ip ?? '');
        hub.admit(owner);
        const head = await deps.feed.head();
        const from = lastEventId === undefined ? head : Number(lastEventId);
        const start = from === 0 ? Math.max(0, (await deps.feed.oldest()) - 1) : from;
        const stream = new EventStream({ ...deps, hub }, {
          input,
          names,
          owner,
          start,
          until: follow ? undefined : head,
        }, context);
        // Proxies must not buffer events.
        return new Reply({ contentType: 'text/event-stream', live: true, content: stream.read() }, {
          'X-Accel-Buffering': 'no',
        });
      },
    },
    get size() {
      return hub.size;
    },
    stop: () => hub.stop(),
  };
}

interface Request {
  readonly input: Pick<InputOf<Operations, 'streamEvents'>, 'collection' | 'includeDocument'>;
  /** Absent for all. */
  readonly names: ReadonlySet<string> | undefined;
  readonly owner: string;
  /** The stream begins after this change. */
  readonly start: number;
  /** The stream ends after this change; absent means that it continues. */
  readonly until?: number;
}

type StreamDeps = Omit<EventStreamsDeps, 'timer' | 'limits'> & { readonly hub: StreamHub };

class EventStream {
  readonly #deps: StreamDeps;
  readonly #request: Request;
  readonly #context: Context;
  readonly #collection: string;
  /** The latest identity of the caller: rights may change while a stream is open. */
  #identity: Identity;
  #position: number;

  constructor(deps: StreamDeps, request: Request, context: Context) {
    this.#deps = deps;
    this.#request = request;
    this.#context = context;
    this.#collection = (request.input.collection ?? '').toLowerCase();
    this.#identity = context.identity;
    this.#position = request.start;
  }

  /** Ends when the client has disconnected, the right to the stream has ended or the hub stops. */
  async *read(): AsyncGenerator<Uint8Array> {
    const { hub, access } = this.#deps;
    const { caller, signal } = this.#context;
    const subscriber = hub.open(this.#request.owner);
    const accessWatch = access.follow(caller, () => this.#identify());
    for (const each of [signal, accessWatch.signal]) each.addEventListener('abort', subscriber.end);
    if (signal.aborted || accessWatch.signal.aborted) subscriber.end();
    try {
      await accessWatch.ready.catch(subscriber.end);
      if (!subscriber.over) yield Buffer.from(openingText(this.#position));
      while (!subscriber.over) {
        yield* this.#unread(subscriber);
        if (subscriber.over || this.#request.until !== undefined) return;
        await subscriber.news();
        if (!subscriber.over && subscriber.takeBeat()) yield Buffer.from(positionText(this.#position));
      }
    } finally {
      for (const each of [signal, accessWatch.signal]) each.removeEventListener('abort', subscriber.end);
      accessWatch.release();
      subscriber.leave();
    }
  }

  async #identify(): Promise<void> {
    const identity = await this.#deps.access.guard.identify(operations.streamEvents, this.#context.caller);
    if (this.#collection !== '' && !identity.may('read', this.#collection)) throw forbidden('read', this.#collection);
    this.#identity = identity;
  }

  /** Sends all unread events of the feed. */
  async *#unread(subscriber: StreamSubscriber): AsyncGenerator<Uint8Array> {
    const { until = Infinity } = this.#request;
    while (!subscriber.over && this.#position < until) {
      try {
        const page = await this.#deps.hub.read(this.#position);
        if (page === undefined) return;
        yield* this.#pieces(subscriber, page.events.filter((event) => event.seq <= until));
        this.#position = page.last;
      } catch (error) {
        if (!(error instanceof FeedGap)) throw error;
        const after = this.#position;
        this.#position = after > error.head ? error.head : Math.max(0, error.oldest - 1);
        yield Buffer.from(lostText(this.#position, after));
      }
    }
  }

  async *#pieces(subscriber: StreamSubscriber, events: readonly ServiceEvent[]): AsyncGenerator<Uint8Array> {
    let text = '';
    for (const event of events) {
      if (subscriber.over) return;
      if (!this.#wants(event)) continue;
      text += eventText(event, await this.#documentOf(event));
      if (text.length < PIECE) continue;
      yield Buffer.from(text);
      text = '';
    }
    if (text !== '') yield Buffer.from(text);
  }

  #wants({ event, collection }: ServiceEvent): boolean {
    if (this.#request.names?.has(event) === false) return false;
    if (isServerEvent(event)) return this.#collection === '' && this.#identity.admin;
    if (this.#collection === '' ? isSystemCollection(collection) : this.#collection !== collection) return false;
    return this.#identity.may('read', collection);
  }

  async #documentOf(event: ServiceEvent): Promise<object | undefined> {
    const isWritten = event.event === 'doc.added' || event.event === 'doc.updated';
    return isWritten && this.#request.input.includeDocument ? this.#deps.documents.readDocument(event) : undefined;
  }
}

/** Milliseconds after which a disconnected client connects again. */
const RETRY_MS = 3000;

/**
 * The beginning of a stream (HTML standard, section 9.2). A client stores an `id` without data, and dispatches no
 * event.
 */
function openingText(position: number): string {
  return `retry: ${RETRY_MS}\nid: ${position}\n\n`;
}

/** A comment and the position of the stream, so that skipped events need not be read again. */
function positionText(position: number): string {
  return `: nothing new\nid: ${position}\n\n`;
}

function eventText({ event, collection, key, lang, docId, timestamp, detail, seq }: ServiceEvent,
  document: object | undefined): string
{
  const data = {
    event,
    collection,
    key,
    lang,
    docId,
    timestamp,
    document,
    detail,
  };
  return `id: ${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Events after `after` are no longer stored; the stream continues after `position`. */
function lostText(position: number, after: number): string {
  return `id: ${position}\nevent: events.lost\ndata: ${JSON.stringify({ event: 'events.lost', after, position })}\n\n`;
}
