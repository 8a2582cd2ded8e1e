import type { HistoryMessage } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import { truncationOf } from '../../operations/index.ts';
import { type BodyCodec, inList, type Queries, type Row } from '../../storage/index.ts';
import { encodeBody, identify, type Meta, type NewVersion, putVersions, transactWithCapacity,
  type UnitOfWork } from '../documents/index.ts';
import { bytesOfMeta } from '../search/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers, newId } from './deps.ts';
import { advanceSession, readSession, type SessionRow, settleTitle } from './session-rows.ts';
import { titleOf } from './title.ts';

/** `POST /v1/memory/message`: numbered, counted and stored in one transaction, so that numbers have no gaps. */
export function addMessage(deps: MemoryDeps): MemoryHandlers['addMessage'] {
  return async ({ sessionId, role, content, meta = {} }, context) => {
    checkMeta(meta);
    // Checked first, because there is no need to wait for the embedding queue if the session does not exist.
    await readSession(deps.sql, sessionId, unixSeconds(deps.clock));
    const messageId = newId('msg');
    const draft = { body: await encodeBody(deps.codec, MEMORY, content), flags: 0 };
    // The number, and so the document's id, is known in the transaction only; until then this id stands for it.
    const toPending = ({ body: { crc, bytes } }: typeof draft) => ({ id: messageId, crc, bytes });
    const demand = {
      versions: [draft],
      toPending,
      waitBudget: deps.embeddingCapacity.waitBudget(),
      signal: context.signal,
      by: context,
    };
    const { value: createdAt, dropped } = await transactWithCapacity(deps, demand, async (work, [flagged]) => {
      const session = await advanceSession(work, sessionId);
      // Sessions are not encrypted when their messages are, so their title must not quote a message.
      if (role === 'user' && deps.collections.configOf(MEMORY)?.encrypted !== true)
        await nameAfter(work, session, content);
      const own = { ...meta, role: [role], type: ['message'], message_id: [messageId] };
      await putVersions(work, [toVersion(work, session, {
        ...flagged!,
        key: messageKey(sessionId, session.messages),
        lang: deps.lang,
        meta: own,
      })], 0);
      return { value: work.now, stored: [flagged!] };
    });
    const embedded = deps.isEmbedding() && dropped === 0 && content.trim() !== '';
    return { messageId, sessionId, role, content, meta: meta as Record<string, string[]>, createdAt, embedded };
  };
}

/** The first message of the user replaces a generated title. */
async function nameAfter(work: UnitOfWork, session: SessionRow, content: string): Promise<void> {
  if (session.title_final === 0) await settleTitle(work, session, titleOf(content));
}

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
    const { messages: total } = await readSession(sql, sessionId, unixSeconds(clock));
    const until = Math.min(total, offset + limit);
    const messages: HistoryMessage[] = [];
    for await (const batch of messagesOf({ sql, codec }, sessionId, offset + 1, until)) {
      signal.throwIfAborted();
      messages.push(...budget.fit(batch, ({ contentMd, meta }) => Buffer.byteLength(contentMd) + bytesOfMeta(meta)));
      if (budget.isSpent) break;
    }
    return { messages, total, ...truncationOf(budget.isSpent, offset + messages.length) };
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

/** Metadata that the service sets itself, and that recall filters by (decisions section 2.4). */
const OWN_KEYS = ['session_id', 'user_id', 'role', 'scenario', 'type', 'message_id', 'summary_id'] as const;

/** Throws `invalid_argument` for metadata from a client that only the service may set. */
function checkMeta(meta: Meta): void {
  const taken = OWN_KEYS.find((key) => Object.hasOwn(meta, key));
  if (taken !== undefined)
    throw new ServiceError('invalid_argument', `meta.${taken} is set by the service and must not be sent`);
}

/** The key of a message by its number, from 1. */
function messageKey(sessionId: string, number: number): string {
  return `${keysOf(sessionId)}${number}`;
}

/** Prefix of the keys of all documents of a session. */
export function keysOf(sessionId: string): string {
  return `${sessionId}/`;
}

/** A session has one summary: a later one replaces it, so that recall never finds an outdated one. */
export function summaryKey(sessionId: string): string {
  return `${keysOf(sessionId)}summary`;
}

/** The stored document of a session, a message or a summary. */
interface MemoryText extends Pick<NewVersion, 'body' | 'flags'> {
  readonly key: string;
  readonly lang: string;
  readonly meta: Meta;
}

/** A document that expires with its session. */
export function toVersion({ now }: UnitOfWork, session: SessionRow,
  { key, lang, meta, body, flags }: MemoryText): NewVersion
{
  const { id, user_id: userId, scenario, expires_at: expiresAt } = session;
  return {
    identity: identify(MEMORY, key, lang),
    meta: { ...meta, session_id: [id], user_id: [userId], scenario: [scenario] },
    body,
    flags,
    ttl: expiresAt === null ? 0 : expiresAt - now,
    saveRevision: false,
    skipDuplicate: undefined,
  };
}
