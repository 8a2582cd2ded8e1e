/** Longer delays count as this, in milliseconds: no caller waits for more than a day. */
const MAX_MS = 86_400_000;

/** Header values by lower-case name, as Node has them, or as `Headers`. */
type Fields = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The delay of a `Retry-After` header (RFC 9110, 10.2.3), in milliseconds from 0 to a day. A date is compared with the
 * response's own `Date`, so that clocks need not agree, or else with `now`. Undefined if the header is absent or
 * malformed.
 */
export function retryAfter(fields: Fields, now: number = Date.now()): number | undefined {
  const value = valueOf(fields, 'retry-after');
  if (value === '') return undefined;
  const sent = Date.parse(valueOf(fields, 'date'));
  const wait = /^\d+(?:\.\d+)?$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - (Number.isNaN(sent) ? now : sent);
  return Number.isNaN(wait) ? undefined : Math.min(MAX_MS, Math.max(0, wait));
}

function valueOf(fields: Fields, name: string): string {
  const value = fields instanceof Headers ? fields.get(name) : fields[name];
  return (typeof value === 'object' ? value?.[0] : value)?.trim() ?? '';
}
