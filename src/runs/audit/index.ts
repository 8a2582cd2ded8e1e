import type { Operations } from '../../../generated/runs/operations.ts';
import type { AuditEntry } from '../../../generated/runs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Row, SqlValue, Transaction } from '../../storage/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { decodeCursor, pageSize, toPage } from '../pages/index.ts';

export type AuditAction = 'enqueue' | 'cancel' | 'retry' | 'rerun' | 'project' | 'token' | 'join' | 'renew' | 'revoke'
  | 'drain' | 'undrain' | 'delete' | 'leave' | 'reload' | 'pause' | 'resume' | 'redeliver' | 'approve' | 'reject'
  | 'login' | 'logout';

/** The audit log: who did what (decisions, section 5, "Audit"). */
export interface Audit {
  /**
   * Writes an entry in the transaction of the recorded action. `actor`: `api`, `schedule`, `alertmanager`, `ship:<id>`,
   * `system`.
   */
  record(tx: Transaction, actor: string, action: AuditAction, target: string,
    detail?: Readonly<Record<string, unknown>>): Promise<void>;
}

type AuditHandlers = Required<Pick<Handlers<Operations>, 'listAudit'>>;

/** The audit log: who did what. Entries are never deleted. */
export interface AuditLog extends Audit {
  readonly handlers: AuditHandlers;
}

interface EntryRow extends Row {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: string;
}

/** The number of an entry, used as its id in cursors. */
const SEQ = /^[1-9]\d{0,15}$/;

export function createAuditLog({ sql, clock }: Pick<RunsEnvironment, 'sql' | 'clock'>): AuditLog {
  return {
    async record(tx, actor, action, target, detail = {}) {
      const entry = [unixSeconds(clock), actor, action, target, JSON.stringify(detail)];
      await tx.run('INSERT INTO audit(at, actor, action, target, detail) VALUES (?, ?, ?, ?, ?)', entry);
    },
    handlers: {
      async listAudit({ limit, before, action }) {
        const size = pageSize(limit);
        // Entries are ordered by number, because the clock may have been set.
        const older = before === undefined ? undefined : Number(decodeCursor(before, SEQ).id);
        const conditions: [string, SqlValue | undefined][] = [['seq < ?', older], ['action = ?', action]];
        const given = conditions.filter((condition): condition is [string, SqlValue] => condition[1] !== undefined);
        const where = given.length === 0 ? '' : `WHERE ${given.map(([text]) => text).join(' AND ')}`;
        const rows = await sql.all<EntryRow>(
          `SELECT seq, at, actor, action, target, detail FROM audit ${where} ORDER BY seq DESC LIMIT ?`,
          [...given.map(([, value]) => value), size + 1],
        );
        const { entries, next_cursor } = toPage(rows, size, ({ at, seq }) => ({ at, id: String(seq) }));
        return { data: entries.map(toEntry), next_cursor };
      },
    },
  };
}

function toEntry({ at, actor, action, target, detail }: EntryRow): AuditEntry {
  return { at, actor, action: action as AuditAction, target, detail: JSON.parse(detail) as Record<string, unknown> };
}
