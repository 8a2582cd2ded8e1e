import { backoffDelay } from '../../lib/backoff.ts';
import type { Log } from '../../lib/log.ts';
import type { Timer } from '../../lib/timer.ts';
import type { LeaderLink } from './messages.ts';

export interface TellDeps {
  readonly link: Pick<LeaderLink, 'acknowledge'>;
  readonly epoch: () => number;
  /** This node is the one that was replaced. */
  readonly fence: (epoch: number) => Promise<void>;
  readonly retryMs: number;
  readonly timer: Timer;
  readonly log: Log;
}

/** Tells the node at the address of a former leader of this one's epoch, until it has heard. Never rejects. */
export async function tellOfLeader({ link, epoch, fence, retryMs, timer, log }: TellDeps, signal: AbortSignal): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      const answer = await link.acknowledge({ followerId: '', lsn: 0, position: 0, epoch: epoch() }, signal);
      if (answer.epoch > epoch()) return await fence(answer.epoch);
      // The address is this node's own, or the other one has heard.
      if (answer.epoch === epoch() || answer.fencedBy >= epoch()) return;
    } catch (error) {
      if (failures === 1 && !signal.aborted) log.info({ err: error }, 'the former leader is out of reach; it is told of this one when it comes back');
    }
    await timer.sleep(backoffDelay(failures, { initial: retryMs, max: 10 * retryMs }), signal);
  }
}
