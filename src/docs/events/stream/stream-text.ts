import type { ServiceEvent } from '../service-event.ts';

/** Milliseconds after which a disconnected client connects again. */
const RETRY_MS = 3000;

/**
 * The beginning of a stream (HTML standard, section 9.2). A client stores an `id` without data, and dispatches no
 * event.
 */
export function openingText(position: number): string {
  return `retry: ${RETRY_MS}\nid: ${position}\n\n`;
}

/** A comment and the position of the stream, so that skipped events need not be read again. */
export function positionText(position: number): string {
  return `: nothing new\nid: ${position}\n\n`;
}

export function eventText({ event, collection, key, lang, docId, timestamp, detail, seq }: ServiceEvent,
  document: object | undefined): string
{
  const data = {
    event,
    collection,
    key,
    lang,
    docId,
    timestamp,
    ...(document && { document }),
    ...(detail && { detail }),
  };
  return `id: ${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Events after `after` are no longer stored; the stream continues after `position`. */
export function lostText(position: number, after: number): string {
  return `id: ${position}\nevent: events.lost\ndata: ${JSON.stringify({ event: 'events.lost', after, position })}\n\n`;
}
