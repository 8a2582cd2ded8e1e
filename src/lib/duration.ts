/** Milliseconds of each unit, longest first: formatting uses as many of each as fit. */
const UNITS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

type Unit = keyof typeof UNITS;

// `ms` before `m`, so that `5ms` is not read as five minutes and a stray `s`.
const FORM = /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|[smhdw])/g;

/**
 * Milliseconds of a duration such as `500ms`, `5s`, `15m`, `24h`, `7d`, `2w` or `1h30m`
 * (run-queue decisions, section 2.6), rounded to whole milliseconds. Returns undefined for everything else: a
 * number without a unit, a sign, spaces, or more than 2^53 - 1 milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  if (!FORM.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * UNITS[unit as Unit];
  const rounded = Math.round(total);
  return Number.isSafeInteger(rounded) ? rounded : undefined;
}

/** Like `parseDuration`, but a bare integer is a number of seconds. */
export function parseDurationOrSeconds(text: string): number | undefined {
  return parseDuration(/^\d+$/.test(text) ? `${text}s` : text);
}

/**
 * The shortest text that `parseDuration` reads back to the same value: `2h15m30s`, `7d`, `0s`.
 * Weeks are written as days, which are easier to read. `milliseconds`: a whole number, not negative.
 */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const amount = Math.floor(rest / UNITS[unit]);
    rest -= amount * UNITS[unit];
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text || '0s';
}
