import { delayBefore, sleep } from './backoff.ts';
import { QuireError } from './quire-error.ts';
import type { Quire } from './quire.ts';
import type { InputOf, SdkFunction } from './types.ts';

/** The lines of a text that arrives in pieces, without their line ends. Leaving the loop aborts the response. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Pieces of a line that is not complete yet; they are joined once, however many there are.
  let begun: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        // The error of fetch for a broken connection; the reason of a signal is thrown on.
        throw error instanceof TypeError
          ? new QuireError('the response broke off', { code: 'network', cause: error })
          : error;
      });
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      const parts = text.split('\n');
      for (const part of parts.slice(0, -1)) {
        yield withoutReturn(begun.join('') + part);
        begun = [];
      }
      if (parts.at(-1) !== '') begun.push(parts.at(-1)!);
      if (!done) continue;
      if (begun.length > 0) yield withoutReturn(begun.join(''));
      return;
    }
  } finally {
    // If the caller leaves early, the rest is cancelled; this has no effect on a stream that has ended or failed.
    await reader.cancel().catch(() => undefined);
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** One server-sent event. */
interface ServerEvent {
  /** The id of this event or, if it has none, of the last event that had one. */
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

interface EventOptions {
  /** The id of the last event that was received; the stream continues after it. */
  readonly lastEventId?: string | undefined;
  /**
   * Returns whether this event is the last one, after which the stream is not reopened; if absent, a stream that ends
   * is reopened.
   */
  readonly isLast?: (event: ServerEvent) => boolean;
  /** Whether a stream that ends is reopened; the default is true. A stream that breaks always is. */
  readonly reopen?: boolean;
}

/** Longest wait before a stream is reopened. */
const MAX_DELAY_MS = 10_000;
/** After this many failed attempts in a row to open a stream, the error is thrown. */
const MAX_FAILURES = 10;

/**
 * The events of an operation that streams them, across broken connections: each new connection continues after the last
 * event. Throws if the service rejects the request, and throws the reason of the signal when it aborts.
 */
export async function* eventsOf<F extends SdkFunction>(quire: Quire, operation: F, input: InputOf<F>,
  { lastEventId, isLast, reopen = true }: EventOptions = {}): AsyncGenerator<ServerEvent>
{
  const { signal } = input;
  let [last, failures] = [lastEventId, 0];
  for (;;) {
    try {
      const headers = {
        ...(input as { headers?: object }).headers,
        Accept: 'text/event-stream',
        ...(last === undefined ? {} : { 'Last-Event-ID': last }),
      };
      // Closes the connection when the caller leaves the loop, even while no event arrives.
      const left = new AbortController();
      try {
        const body = await quire.stream(operation, {
          ...input,
          headers,
          signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
        } as InputOf<F>);
        for await (const event of parseEvents(linesOf(body), last)) {
          [last, failures] = [event.id, 0];
          if (event.data !== '' || event.event !== 'message') yield event;
          if (isLast?.(event) === true) return;
        }
      } finally {
        left.abort();
      }
      if (!reopen) return;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof QuireError && error.status >= 400 && error.status < 500) throw error;
      if (++failures >= MAX_FAILURES) throw error;
    }
    await sleep(delayBefore(failures, { failure: undefined }, true, { retries: Infinity, maxDelayMs: MAX_DELAY_MS })!,
      signal);
  }
}

/** Parses events from lines (HTML standard, section 9.2.6). */
export async function* parseEvents(lines: AsyncIterable<string>,
  lastId: string | undefined): AsyncGenerator<ServerEvent>
{
  let [id, event, data, seen] = [lastId, '', [] as string[], false];
  for await (const line of lines) {
    if (line === '') {
      if (seen) yield { id, event: event === '' ? 'message' : event, data: data.join('\n') };
      [event, data, seen] = ['', [], false];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else continue;
    seen = true;
  }
}
