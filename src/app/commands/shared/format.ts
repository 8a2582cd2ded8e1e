const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const significant = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** A count with thousands separators: `13,173`. */
export const formatCount = (value: number): string => count.format(value);

/** A rate with three significant digits: `1,070`, `4.49`. It is 0 if no time has passed. */
export const formatRate = (amount: number, seconds: number): string =>
  significant.format(seconds > 0 ? amount / seconds : 0);

/** Bytes in a readable unit, in powers of 1000: `812 bytes`, `4.5 KB`, `55.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte');
  const [unit, size] = bytes < 1e6 ? ['KB', 1e3] as const : bytes < 1e9 ? ['MB', 1e6] as const : ['GB', 1e9] as const;
  return `${(bytes / size).toFixed(1)} ${unit}`;
}

/** A count with its noun: `1 document`, `2,000 documents`. */
export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${formatCount(amount)} ${amount === 1 ? one : many}`;

/** A time as local date and time, `2026-02-01 14:05`; `seconds` since 1970. */
export function formatMoment(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${
    two(date.getMinutes())
  }`;
}
