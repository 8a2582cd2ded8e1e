/**
 * What `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds. A date is counted from the answer's own
 * `Date`, so that no clock need agree with the server's. Undefined when the header is absent or neither form.
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
