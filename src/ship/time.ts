import { systemClock, type Clock } from '../lib/clock.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';

/** What a ship knows of time. Only `clock` can be set; leases and waits are measured by `monotonic`. */
export interface ShipTime {
  readonly clock: Clock;
  /** Milliseconds from any fixed moment; never goes back. */
  monotonic(): number;
  readonly timer: Timer;
  /** As `Math.random`; spreads attempts that fail together. */
  random(): number;
}

export const systemShipTime: ShipTime = { clock: systemClock, monotonic: () => performance.now(), timer: systemTimer, random: Math.random };
