import type { ServiceEvent } from '../service-event.ts';

/** Milliseconds after which a client that was cut off comes back. */
const RETRY_MS = 3000;

/** The beginning of a stream (HTML standard, section 9.2). An `id` without data is remembered, and raises no event. */
export function openingText(position: number): string {
  return `retry: ${RETRY_MS}\nid: ${position}\n\n`;
}

/** A comment, and how far the stream is: events that it leaves out need not be read again. */
export function positionText(position: number): string {
  return `: nothing new\nid: ${position}\n\n`;
}

export function eventText({ event, collection, key, lang, docId, timestamp, detail, seq }: ServiceEvent, document: object | undefined): string {
  const data = { event, collection, key, lang, docId, timestamp, ...(document && { document }), ...(detail && { detail }) };
  return `id: ${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Events after `after` are no longer kept; the stream continues after `position`. */
export function lostText(position: number, after: number): string {
  return `id: ${position}\nevent: events.lost\ndata: ${JSON.stringify({ event: 'events.lost', after, position })}\n\n`;
}
