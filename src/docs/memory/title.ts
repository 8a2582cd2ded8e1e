import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { MemoryDeps } from './deps.ts';
import { messagesOf } from './get-history.ts';
import { rename, SESSION, type SessionRow } from './session-rows.ts';
import { proseOf, sentencesOf } from './summary/sentences.ts';

/** Maximum number of characters of a title that is made from a message (decisions section 4.7). */
const MAX_CHARACTERS = 60;
/** Maximum length of the text in which the first sentence of a message is searched for. */
const LOOKED_AT = 4096;

/** The title of a session before the first message of its user: its purpose, and its start in UTC. */
export function madeUpTitle(scenario: string, now: number): string {
  const time = new Date(now * 1000).toISOString().slice(0, 16).replace('T', ' ');
  return `${scenario || 'Conversation'} · ${time}`;
}

/**
 * The first sentence of a message, truncated if it is long; undefined when the message has no text besides code and
 * quotes.
 */
export function titleOf(content: string): string | undefined {
  const [first] = sentencesOf(proseOf(content.slice(0, LOOKED_AT).toWellFormed()));
  return first && shorten(first, MAX_CHARACTERS);
}

let segmenter: Intl.Segmenter | undefined;

/** At most this many code points, truncated between two grapheme clusters, with an ellipsis as the last. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters || [...text].length <= characters) return text;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let kept = '';
  let room = characters - 1;
  for (const { segment } of segmenter.segment(text)) {
    room -= [...segment].length;
    if (room < 0) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Number of sessions that are read at once. */
const BATCH = 100;

/**
 * Gives sessions whose title quotes a message of their user a generated one: sessions are not encrypted when their
 * messages are. For the time after a switch; later titles quote no message (`addMessage`).
 */
export async function withholdTitles(deps: Pick<MemoryDeps, 'sql' | 'feed' | 'codec' | 'clock'>,
  signal: AbortSignal): Promise<void>
{
  const { sql, feed, clock } = deps;
  for (let after = 0;;) {
    const sessions = await sql.background.all<SessionRow>(
      `SELECT ${SESSION} FROM memory_sessions s WHERE s.seq > ? AND s.title_final = 1 AND s.messages > 0 ORDER BY ` +
        `s.seq LIMIT ${BATCH}`,
      [after],
    );
    if (sessions.length === 0) return;
    const quoting: SessionRow[] = [];
    for (const session of sessions) if (await quotesMessage(deps, session, signal)) quoting.push(session);
    if (quoting.length > 0) {
      await sql.transaction(async (tx) => {
        const work = { tx, feed, now: unixSeconds(clock), pace: new Pace() };
        for (const session of quoting) await rename(work, session, madeUpTitle(session.scenario, session.created_at));
      });
    }
    after = sessions.at(-1)!.seq;
  }
}

async function quotesMessage({ sql, codec }: Pick<MemoryDeps, 'sql' | 'codec'>, { id, title, messages }: SessionRow,
  signal: AbortSignal): Promise<boolean>
{
  try {
    for await (const batch of messagesOf({ sql: sql.background, codec }, id, 1, messages)) {
      signal.throwIfAborted();
      if (batch.some(({ meta, contentMd }) => meta['role']?.[0] === 'user' && titleOf(contentMd) === title))
        return true;
    }
    return false;
  } catch (error) {
    // Nobody can tell whether it quotes a message that cannot be decrypted.
    if (error instanceof ServiceError && error.code === 'internal') return true;
    throw error;
  }
}
