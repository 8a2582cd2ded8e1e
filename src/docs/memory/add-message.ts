import { unixSeconds } from '../../lib/clock.ts';
import { encodeBody, putVersions, transactWithCapacity, type UnitOfWork } from '../documents/index.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers, newId } from './deps.ts';
import { checkMeta, messageKey, toVersion } from './message-documents.ts';
import { advanceSession, findSession, noSession, type SessionRow, settleTitle } from './session-rows.ts';
import { titleOf } from './title.ts';

/** `POST /v1/memory/message`: numbered, counted and stored in one transaction, so that numbers have no gaps. */
export function addMessage(deps: MemoryDeps): MemoryHandlers['addMessage'] {
  return async ({ sessionId, role, content, meta = {} }, context) => {
    checkMeta(meta);
    // Checked first, because there is no need to wait for the embedding queue if the session does not exist.
    if ((await findSession(deps.sql, sessionId, unixSeconds(deps.clock))) === undefined) throw noSession();
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
