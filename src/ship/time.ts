import { type Clock, systemClock } from '../lib/clock.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';

/** The time sources of a ship. Only `clock` can be set; leases and waits are measured by `monotonic`. */
export interface ShipTime {
  readonly clock: Clock;
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number;
  readonly timer: Timer;
  /** Like `Math.random`; spreads retries of attempts that failed at the same time. */
  random(): number;
}

export const systemShipTime: ShipTime = {
  clock: systemClock,
  monotonic: () => performance.now(),
  timer: systemTimer,
  random: Math.random,
};
