import { settings, type Core } from './core.ts';
import { regrant } from './regrant.ts';

/**
 * What is done once a second, where the server may have stood still since the last time, frozen or waiting for its disk, or its store may
 * have refused writes. No ship could renew its leases meanwhile, so they get a full one as they do at a start, before any is looked at.
 */
export function mindingStandstills(core: Core, tick: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
  let last: number | undefined;
  return async (signal) => {
    const now = core.time.elapsed();
    const stoodMs = now - (last ?? now);
    if (stoodMs > settings(core).queue.lease_ttl / 2) {
      await regrant(core);
      core.env.log.warn({ milliseconds: Math.round(stoodMs) }, 'the server has stood still; ships get the time of a lease to come back');
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
