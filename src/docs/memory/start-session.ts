import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { recordOf } from '../access/index.ts';
import { type UnitOfWork } from '../documents/index.ts';
import { transactFor } from '../transact-for.ts';
import { type MemoryDeps, type MemoryHandlers, newId } from './deps.ts';
import { findSession, insertSession, toSession } from './session-rows.ts';
import { madeUpTitle } from './title.ts';

/** `POST /v1/memory/session`. */
export function startSession({ sql, feed, clock }: MemoryDeps): MemoryHandlers['startSession'] {
  return ({ userId, scenario = '', title = '', meta = {}, ttl }, context) =>
    transactFor(sql, context, async (tx) => {
      const work: UnitOfWork = { tx, feed, now: unixSeconds(clock), pace: new Pace() };
      const id = newId('ses');
      await insertSession(work, {
        id,
        userId,
        scenario,
        meta,
        owner: await recordOf(tx, userId),
        title: title || madeUpTitle(scenario, work.now),
        titleFinal: title !== '',
        expiresAt: ttl === 0 ? null : work.now + ttl,
      });
      return toSession((await findSession(tx, id, work.now))!);
    });
}
