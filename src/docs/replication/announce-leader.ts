import { backoffDelay, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { LeaderLink } from './messages.ts';

export interface AnnounceDeps {
  readonly link: Pick<LeaderLink, 'acknowledge'>;
  readonly epoch: () => number;
  /** Called when this node itself was replaced, with the higher epoch of the other one. */
  readonly fence: (epoch: number) => Promise<void>;
  readonly retryMs: number;
  readonly timer: Timer;
  readonly log: Log;
}

/**
 * Reports this leader's epoch to the node at the address of a former leader, until it has received it. Never rejects.
 */
export async function announceLeader({ link, epoch, fence, retryMs, timer, log }: AnnounceDeps,
  signal: AbortSignal): Promise<void>
{
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const answer = await link.acknowledge({ followerId: '', lsn: 0, position: 0, epoch: epoch() }, signal);
      if (answer.epoch > epoch()) return await fence(answer.epoch);
      // The address is this node's own, or the other node has received the report.
      if (answer.epoch === epoch() || answer.fencedBy >= epoch()) return;
    } catch (error) {
      if (failures === 1 && !signal.aborted)
        log.info({ err: error }, 'the former leader is out of reach; it is notified of this one when it comes back');
    }
    await timer.sleep(backoffDelay(failures, { initial: retryMs, max: 10 * retryMs }), signal);
  }
}
