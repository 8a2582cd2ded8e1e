import type { HistoryMessage } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { truncationOf } from '../../operations/index.ts';
import { type BodyCodec, inList, type Queries, type Row } from '../../storage/index.ts';
import { bytesOfMeta } from '../search/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers } from './deps.ts';
import { messageKey } from './message-documents.ts';
import { findSession, noSession } from './session-rows.ts';

interface MessageRow extends Row {
  readonly id: string;
  readonly key: string;
  readonly meta: string;
  readonly added_at: number;
  readonly body: Uint8Array;
}

/** Bodies may be large, so only a few are in memory at once before they are decoded. */
const READ_AT_ONCE = 32;

/** `POST /v1/memory/history`. */
export function getSessionHistory({ sql, codec, clock }: MemoryDeps): MemoryHandlers['getSessionHistory'] {
  return async ({ sessionId, limit, offset }, { signal, budget }) => {
    const session = await findSession(sql, sessionId, unixSeconds(clock));
    if (session === undefined) throw noSession();
    const until = Math.min(session.messages, offset + limit);
    const messages: HistoryMessage[] = [];
    for await (const batch of messagesOf({ sql, codec }, sessionId, offset + 1, until)) {
      signal.throwIfAborted();
      messages.push(...budget.fit(batch, ({ contentMd, meta }) => Buffer.byteLength(contentMd) + bytesOfMeta(meta)));
      if (budget.isSpent) break;
    }
    return { messages, total: session.messages, ...truncationOf(budget.isSpent, offset + messages.length) };
  };
}

/** The messages of a session in a range of numbers, both ends included, in order and in batches. */
export async function* messagesOf({ sql, codec }: { sql: Queries; codec: BodyCodec }, sessionId: string, from: number,
  until: number): AsyncGenerator<HistoryMessage[]>
{
  const pace = new Pace();
  for (let first = from; first <= until; first += READ_AT_ONCE) {
    const keys = Array.from({ length: Math.min(READ_AT_ONCE, until - first + 1) }, (_, i) =>
      messageKey(sessionId, first + i));
    const { marks, params } = inList(keys);
    const rows = await sql.all<MessageRow>(
      `SELECT d.id, d.key, d.meta, d.added_at, d.body FROM spellings s JOIN documents d ON d.ord = s.ord AND d.key = s.key
       WHERE s.cid = ${COLLECTION_ID} AND s.key IN (${marks})`,
      [MEMORY, ...params],
    );
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const messages: HistoryMessage[] = [];
    // A message that was swept meanwhile is left out.
    for (const row of keys.map((key) => byKey.get(key)).filter((each) => each !== undefined)) {
      messages.push({
        id: row.id,
        key: row.key,
        meta: JSON.parse(row.meta) as HistoryMessage['meta'],
        contentMd: await codec.decodeAsync(row.body),
        addedAt: row.added_at,
      });
      await pace.rest();
    }
    yield messages;
  }
}
