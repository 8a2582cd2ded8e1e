/** No wait that a provider asks for is honoured beyond this, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 60_000;

/**
 * What `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds, capped. A date is counted from
 * the answer's own `Date`, so that no clock need agree with the provider's. Undefined when the header
 * is absent or neither form.
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
