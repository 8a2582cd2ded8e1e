/** The source of the current time. Tests pass one that they advance by hand. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Whether a moment is less than this long ago. False for one that is as far ahead: the clock was set back, and no pause
 * must last until it catches up.
 */
export function isRecent(moment: number, now: number, within: number): boolean {
  return Math.abs(now - moment) < within;
}

/** Whole seconds since 1970, the unit of every timestamp in the document contract. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
