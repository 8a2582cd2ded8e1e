/**
 * The delay of a `Retry-After` header (RFC 9110, 10.2.3), in milliseconds. A date is compared with the response's own `Date`, so the clocks need not
 * agree. Undefined if the header is absent or malformed.
 */
export function retryAfter(headers: Readonly<Record<string, string | string[] | undefined>>, now: number): number | undefined {
  const value = text(headers['retry-after']).trim();
  if (value === '') return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const sent = Date.parse(text(headers['date']));
  const wait = Date.parse(value) - (Number.isNaN(sent) ? now : sent);
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function text(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}
