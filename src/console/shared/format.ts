const NUMBER = new Intl.NumberFormat('en');
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const count = (value: number): string => NUMBER.format(value);

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  const amount = value / 1024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[step]}`;
}

export const dateTime = (seconds: number): string => DATE.format(seconds * 1000);

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [['year', 31_557_600], ['month', 2_629_800],
  ['day', 86_400], ['hour', 3600], ['minute', 60]];

/** `3 minutes ago`; the time is in Unix seconds. */
export function ago(seconds: number, now = Date.now() / 1000): string {
  const gap = seconds - now;
  for (const [unit, size] of STEPS) if (Math.abs(gap) >= size) return RELATIVE.format(Math.round(gap / size), unit);
  return Math.abs(gap) < 5 ? 'just now' : RELATIVE.format(Math.round(gap), 'second');
}

/** A duration of the configuration for a sentence: `1h30m` is `1 h 30 m`. */
export const spoken = (duration: string): string => duration.replaceAll(/(\d)([a-z]+)/g, '$1 $2 ').trim();

/** `1h 4m`, `12s`. */
export function lasted(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours, minutes] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60];
  if (days > 0) return `${days}d ${hours}h`;
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${whole % 60}s` : `${whole}s`;
}
