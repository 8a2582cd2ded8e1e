import { backoffDelay } from '../../lib/backoff.ts';

const DAY_MS = 86_400_000;

/** Delays between the first attempts, which are made after 0, 1, 5 and 15 seconds (decisions, section 6). */
const FIRST_MS = [1000, 4000, 10_000] as const;

/** The later delays: half a minute, doubled each time up to an hour, with jitter. */
const LATER = { initial: 30_000, max: 3_600_000 };

/** How long attempts continue before a delivery is given up or an endpoint is paused. */
export const GIVE_UP_MS = DAY_MS;

/** Maximum `Retry-After` of an endpoint that is honoured. */
export const MAX_RETRY_AFTER_MS = LATER.max;

/** Number of attempts within the first seconds. */
export const QUICK_ATTEMPTS = FIRST_MS.length + 1;

/** Returns the delay in milliseconds after failed attempt number `attempts` (1 is the first). */
export function waitAfter(attempts: number, random: () => number = Math.random): number {
  return FIRST_MS[attempts - 1] ?? backoffDelay(attempts - FIRST_MS.length, LATER, random);
}
