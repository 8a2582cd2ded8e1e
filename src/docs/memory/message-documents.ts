import { ServiceError } from '../../errors/index.ts';
import { identify, type Meta, type NewVersion, type UnitOfWork } from '../documents/index.ts';
import { MEMORY } from './deps.ts';
import type { SessionRow } from './session-rows.ts';

/** Metadata that the service sets itself, and that recall filters by (decisions section 2.4). */
const OWN_KEYS = ['session_id', 'user_id', 'role', 'scenario', 'type', 'message_id', 'summary_id'] as const;

/** Throws `invalid_argument` for metadata from a client that only the service may set. */
export function checkMeta(meta: Meta): void {
  const taken = OWN_KEYS.find((key) => Object.hasOwn(meta, key));
  if (taken !== undefined)
    throw new ServiceError('invalid_argument', `meta.${taken} is set by the service and must not be sent`);
}

/** The key of a message by its number, from 1. */
export function messageKey(sessionId: string, number: number): string {
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
export interface MemoryText extends Pick<NewVersion, 'body' | 'flags'> {
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
