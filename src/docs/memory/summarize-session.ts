import type { MessageRole } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Context } from '../../operations/index.ts';
import { encodeBody, putVersions, transactWithCapacity } from '../documents/index.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers, newId } from './deps.ts';
import { messagesOf, summaryKey, toVersion } from './messages.ts';
import { noSession, readSession } from './session-rows.ts';
import { readConversation } from './summary/conversation.ts';
import { keyPoints } from './summary/key-points.ts';
import { shorten } from './title.ts';

/** `POST /v1/memory/summarize`: summarizes the messages that exist when it starts. */
export function summarizeSession(deps: MemoryDeps): MemoryHandlers['summarizeSession'] {
  return async ({ sessionId, userId }, context) => {
    const { signal } = context;
    const { messages, title, user_id: owner } = await readSession(deps.sql, sessionId, unixSeconds(deps.clock));
    if (owner !== userId) throw noSession();
    if (messages === 0) throw new ServiceError('invalid_argument', 'session has no messages');
    const read = messagesOf({ sql: deps.sql.background, codec: deps.codec }, sessionId, 1, messages);
    const { sentences, openQuestions, counts } = await readConversation(read, messages, signal);
    const points = (await keyPoints(sentences, signal)).map(({ text }) => text);
    const summary = toMarkdown({ title, points, openQuestions, counts });
    const summaryId = newId('sum');
    return {
      summaryId,
      sessionId,
      summary,
      createdAt: await store(deps, { sessionId, summaryId, summary }, context),
      messages,
    };
  };
}

interface NewSummary {
  readonly sessionId: string;
  readonly summaryId: string;
  readonly summary: string;
}

/** Replaces the previous summary, and returns the time. Throws `not_found` when the session has expired meanwhile. */
async function store(deps: MemoryDeps, { sessionId, summaryId, summary }: NewSummary,
  context: Context): Promise<number>
{
  const draft = {
    key: summaryKey(sessionId),
    lang: deps.lang,
    meta: { type: ['summary'], summary_id: [summaryId] },
    body: await encodeBody(deps.codec, MEMORY, summary),
    flags: 0,
  };
  const toPending = ({ body: { crc, bytes } }: typeof draft) => ({ id: summaryId, crc, bytes });
  const { value } = await transactWithCapacity(deps, {
    versions: [draft],
    toPending,
    waitBudget: deps.embeddingCapacity.waitBudget(),
    signal: context.signal,
    by: context,
  }, async (work, drafts) => {
    const session = await readSession(work.tx, sessionId, work.now);
    await putVersions(work, drafts.map((each) => toVersion(work, session, each)), 0);
    return { value: work.now, stored: drafts };
  });
  return value;
}

interface SummaryParts {
  readonly title: string;
  readonly points: readonly string[];
  readonly openQuestions: readonly string[];
  readonly counts: ReadonlyMap<MessageRole, number>;
}

/** Maximum number of characters shown of a sentence. */
const MAX_SHOWN = 400;
const ROLES: readonly MessageRole[] = ['user', 'assistant', 'system', 'tool'];

/** The summary as it is stored and returned (decisions section 4.7). */
function toMarkdown({ title, points, openQuestions, counts }: SummaryParts): string {
  return [`# ${title.replace(/\s+/g, ' ').trim()}`, '## Key points', toList(points), '## Open questions',
    toList(openQuestions), countsLine(counts)].join('\n\n');
}

function toList(items: readonly string[]): string {
  return items.length === 0 ? 'None.' : items.map((item) => `- ${shorten(item, MAX_SHOWN)}`).join('\n');
}

/** `3 messages: 2 user, 1 assistant`. */
function countsLine(counts: ReadonlyMap<MessageRole, number>): string {
  const present = ROLES.filter((role) => counts.has(role));
  const total = present.reduce((sum, role) => sum + counts.get(role)!, 0);
  return `${total} ${total === 1 ? 'message' : 'messages'}: ${
    present.map((role) => `${counts.get(role)} ${role}`).join(', ')
  }`;
}
