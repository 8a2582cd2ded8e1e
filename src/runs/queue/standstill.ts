import { type Core, settings } from './core.ts';
import { regrant } from './regrant.ts';

/**
 * The work that is done once a second. If the server has stood still since the last time, frozen or waiting for its
 * disk, or if its store has refused writes, no ship could renew its leases. So they are all extended by a full lease
 * time, as at a start, before any is checked.
 */
export function mindingStandstills(core: Core,
  tick: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void>
{
  let last: number | undefined;
  return async (signal) => {
    const now = core.time.elapsed();
    const stoodMs = now - (last ?? now);
    if (stoodMs > settings(core).queue.lease_ttl / 2) {
      await regrant(core);
      core.env.log.warn({ milliseconds: Math.round(stoodMs) },
        'the server has stood still; ships get the time of a lease to come back');
    }
    last = now;
    try {
      if (core.outage.isOn) {
        await regrant(core);
        core.outage.end();
      }
      await tick(signal);
    } catch (error) {
      core.outage.noteFailure(error);
    }
  };
}
