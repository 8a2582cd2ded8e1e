import type { LaneProgress, LaneSource, Progress, Sequenced } from '../../net/index.ts';
import { type Change, type ChangeFeed, FeedGap, outbox, type Queries, type Transaction } from '../../storage/index.ts';
import { type ServiceEvent, serviceEventOf } from '../events/index.ts';
import type { Letter } from './dead-letter-rows.ts';

/** A delivery in its lane. */
export interface LaneItem extends Sequenced, Letter {}

/** The functions that both lanes of a webhook share. */
export type LaneDuties = Pick<LaneSource<LaneItem>, 'send' | 'storeFailed' | 'onFailing'>;

/** Number of changes that are read at once. */
const BATCH = 500;

/** Reads the feed for all webhooks: webhooks at the same position share a page. */
export class SharedReader {
  readonly #feed: ChangeFeed;
  #last: { after: number; changes: Promise<Change[]> } | undefined;

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** Call this when the feed has grown. */
  forget(): void {
    this.#last = undefined;
  }

  read(after: number): Promise<Change[]> {
    if (this.#last?.after !== after) this.#last = { after, changes: this.#feed.read(after, BATCH) };
    return this.#last.changes;
  }
}

interface FeedLaneDeps {
  readonly feed: ChangeFeed;
  readonly reader: SharedReader;
  /** Whether the webhook receives an event. */
  readonly wants: (event: ServiceEvent) => boolean;
  readonly idOf: (event: ServiceEvent) => string;
  /** Called when changes were pruned before they were read. */
  readonly onGap: (gap: FeedGap) => void;
}

/** The lane of a webhook's events from the change feed. */
export function feedLane(id: string, start: Progress, deps: FeedLaneDeps, duties: LaneDuties): LaneSource<LaneItem> {
  const { feed, reader, wants, idOf, onGap } = deps;
  const itemsOf = (changes: readonly Change[]) =>
    changes.flatMap((change) => {
      const event = serviceEventOf(change);
      return event === undefined || event.isQuiet || !wants(event)
        ? []
        : [itemOf(change.lsn, { id: idOf(event), event })];
    });
  return {
    id,
    start,
    ...duties,
    async read(after) {
      try {
        const changes = await reader.read(after);
        return { items: itemsOf(changes), position: changes.at(-1)?.lsn ?? after };
      } catch (error) {
        reader.forget();
        if (!(error instanceof FeedGap)) throw error;
        onGap(error);
        return { items: [], position: error.head };
      }
    },
    async reread(seqs) {
      const items: LaneItem[] = [];
      for (const seq of seqs)
        items.push(...itemsOf(await feed.read(seq - 1, 1).catch(nothingInGap)).filter((item) => item.seq === seq));
      return items;
    },
  };
}

function nothingInGap(error: unknown): Change[] {
  if (error instanceof FeedGap) return [];
  throw error;
}

/** The lane of a webhook's outbox. */
export function outboxLaneOf(webhook: string, start: Progress, sql: Queries, duties: LaneDuties): LaneSource<LaneItem> {
  const id = outbox.outboxLane(webhook);
  return {
    id,
    start,
    ...duties,
    async read(after) {
      const rows = await outbox.readOutbox(sql, id, after, BATCH);
      return { items: rows.map(letterOf), position: rows.at(-1)?.seq ?? after };
    },
    reread: async (seqs) => (await outbox.rereadOutbox(sql, id, seqs)).map(letterOf),
  };
}

function letterOf({ seq, delivery }: outbox.OutboxRow): LaneItem {
  return itemOf(seq, JSON.parse(delivery) as Letter);
}

/** An event of a whole collection has no key: it is ordered with all events of the collection's documents. */
function itemOf(seq: number, { id, event }: Letter): LaneItem {
  const isWhole = event.collection !== '' && event.docId === '';
  return { seq, group: event.collection, key: isWhole ? undefined : event.docId || event.event, id, event };
}

/** Name of the cursor that keeps changes in the feed until every lane has delivered them. */
const FEED_CURSOR = 'webhooks';

/** Stores the progress of lanes, releases the feed up to there, and removes delivered items from the outbox. */
export async function saveLanes(tx: Transaction, lanes: readonly LaneProgress[]): Promise<void> {
  await outbox.saveLanes(tx, lanes);
  await moveCursor(tx);
}

/** Removes the lanes of an endpoint and its outbox. */
export async function removeLanes(tx: Transaction, endpoint: string): Promise<void> {
  await outbox.removeLanes(tx, endpoint);
  await moveCursor(tx);
}

/** Resets the failure time in the lanes of an endpoint. */
export async function forgetFailures(tx: Transaction, endpoint: string): Promise<void> {
  await tx.run('UPDATE delivery_lanes SET failing_ms = 0 WHERE lane IN (?, ?)', [endpoint,
    outbox.outboxLane(endpoint)]);
}

/** All lanes count, paused ones too: the feed keeps changes for them. */
async function moveCursor(tx: Transaction): Promise<void> {
  const kept = await tx.get<{ lsn: number | null }>("SELECT min(kept) AS lsn FROM delivery_lanes WHERE log = 'feed'");
  if (kept!.lsn === null) await tx.run('DELETE FROM cursors WHERE subscriber = ?', [FEED_CURSOR]);
  else await tx.run(
      'INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn',
      [FEED_CURSOR, kept!.lsn],
    );
}
