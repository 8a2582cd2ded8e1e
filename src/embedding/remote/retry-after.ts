/** Longer waits requested by a provider are shortened to this, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3) to milliseconds, up to the maximum. A date is relative to the response's own `Date`,
 * so that clocks need not agree. Returns undefined if the header is absent or has neither form.
 */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim();
  if (value === undefined) return undefined;
  const wait = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - sentAt(headers);
  return Number.isNaN(wait) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, wait));
}

function sentAt(headers: Headers): number {
  const date = Date.parse(headers.get('Date') ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}
