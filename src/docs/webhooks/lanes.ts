import type { LaneSource, Progress, Sequenced } from '../../net/index.ts';
import { FeedGap, outbox, type Change, type ChangeFeed, type Queries } from '../../storage/index.ts';
import { serviceEventOf, type ServiceEvent } from '../events/index.ts';
import type { Letter } from './dead-letter-rows.ts';

/** A delivery in its lane. */
export interface LaneItem extends Sequenced, Letter {}

/** What both lanes of a webhook do alike. */
export type LaneDuties = Pick<LaneSource<LaneItem>, 'send' | 'bury' | 'onFailing'>;

/** Changes read at once. */
const BATCH = 500;

/** Reads the feed for all webhooks: those that are equally far share what is read. */
export class SharedReader {
  readonly #feed: ChangeFeed;
  #last: { after: number; changes: Promise<Change[]> } | undefined;

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** There is more in the feed. */
  forget(): void {
    this.#last = undefined;
  }

  read(after: number): Promise<Change[]> {
    if (this.#last?.after !== after) this.#last = { after, changes: this.#feed.read(after, BATCH) };
    return this.#last.changes;
  }
}

export interface FeedLaneDeps {
  readonly feed: ChangeFeed;
  readonly reader: SharedReader;
  /** Whether the webhook is told of an event. */
  readonly wants: (event: ServiceEvent) => boolean;
  readonly idOf: (event: ServiceEvent) => string;
  /** Told when changes are not there any more. */
  readonly onGap: (gap: FeedGap) => void;
}

/** What a webhook is told of the change feed. */
export function feedLane(id: string, start: Progress, deps: FeedLaneDeps, duties: LaneDuties): LaneSource<LaneItem> {
  const { feed, reader, wants, idOf, onGap } = deps;
  const itemsOf = (changes: readonly Change[]) => changes.flatMap((change) => {
    const event = serviceEventOf(change);
    return event === undefined || event.isQuiet || !wants(event) ? [] : [itemOf(change.lsn, { id: idOf(event), event })];
  });
  return {
    id, start, ...duties,
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
      for (const seq of seqs) items.push(...itemsOf(await feed.read(seq - 1, 1).catch(nothingInGap)).filter((item) => item.seq === seq));
      return items;
    },
  };
}

function nothingInGap(error: unknown): Change[] {
  if (error instanceof FeedGap) return [];
  throw error;
}

/** What was put into the outbox of a webhook. */
export function outboxLaneOf(webhook: string, start: Progress, sql: Queries, duties: LaneDuties): LaneSource<LaneItem> {
  const id = outbox.outboxLane(webhook);
  return {
    id, start, ...duties,
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

/** What concerns a collection as a whole divides what concerns its documents. */
function itemOf(seq: number, { id, event }: Letter): LaneItem {
  const isWhole = event.collection !== '' && event.docId === '';
  return { seq, group: event.collection, ...(!isWhole && { key: event.docId || event.event }), id, event };
}
