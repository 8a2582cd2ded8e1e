import { createHash } from 'node:crypto';
import type { Alert, ReceiveAlertsRequest } from '../../../generated/runs/sdk/types.gen.ts';

export type { Alert };
/** With defaults filled in. */
export type Notification = ReceiveAlertsRequest & { readonly commonLabels: Readonly<Record<string, string>> };

/**
 * Bytes of the input that a notification becomes; less than the limit of an input, because names and brackets are
 * added.
 */
const BUDGET = 200_000;

/** Characters of a label or annotation. */
const MAX_TEXT = 4096;

/** Firing alerts; a notification may also hold resolved ones. */
export function firing({ status, alerts }: Notification): readonly Alert[] {
  return status === 'firing' ? alerts.filter((alert) => alert.status === 'firing') : [];
}

/**
 * The key under which these alerts are queued once. Repeated notifications have the same key; it changes when an alert
 * joins, leaves, or fires again after it was resolved.
 */
export function keyOf(groupKey: string, alerts: readonly Alert[]): string {
  const since = alerts.map(({ fingerprint, startsAt }) => `${fingerprint} ${startsAt}`).sort();
  return `am:${createHash('sha256').update(JSON.stringify([groupKey, since])).digest('hex')}`;
}

/**
 * The input of the run: the notification, cut to the size limit of an input. `left_out` counts the alerts that did not
 * fit.
 */
export function trimmed({ groupKey, commonLabels }: Notification,
  alerts: readonly Alert[]): { readonly commonLabels: Record<string, string>; readonly [name: string]: unknown }
{
  const room = { bytes: BUDGET };
  const head = { status: 'firing', groupKey: shortened(groupKey), commonLabels: fitting(commonLabels, room) };
  const kept: unknown[] = [];
  for (const alert of alerts) {
    const shown = {
      labels: texts(alert.labels),
      annotations: texts(alert.annotations ?? {}),
      startsAt: shortened(alert.startsAt),
      fingerprint: shortened(alert.fingerprint),
    };
    if (!takes(room, shown)) break;
    kept.push(shown);
  }
  return { ...head, alerts: kept, left_out: alerts.length - kept.length };
}

/** U+0000 becomes U+FFFD: PostgreSQL, which has an index over the origins of runs, reads no JSON with U+0000. */
function shortened(text: string): string {
  const readable = text.replaceAll('\0', '\ufffd');
  return readable.length <= MAX_TEXT ? readable : `${readable.slice(0, MAX_TEXT).toWellFormed()}…`;
}

function texts(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [shortened(name), shortened(text)]));
}

/** As many of the labels as fit. */
function fitting(labels: Readonly<Record<string, string>>, room: { bytes: number }): Record<string, string> {
  return Object.fromEntries(Object.entries(texts(labels)).filter((label) => takes(room, label)));
}

function takes(room: { bytes: number }, value: unknown): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > room.bytes) return false;
  room.bytes -= bytes;
  return true;
}
