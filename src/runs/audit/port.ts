import type { Transaction } from '../../storage/index.ts';

export type AuditAction = 'enqueue' | 'cancel' | 'retry' | 'project' | 'token' | 'join' | 'renew' | 'revoke' | 'drain' | 'undrain' | 'delete' | 'leave' | 'reload' | 'pause' | 'resume' | 'redeliver' | 'approve' | 'reject';

/** The log of who did what (decisions, section 5, "Audit"). */
export interface Audit {
  /** In the transaction of what it tells of. `actor`: `api`, `schedule`, `alertmanager`, `ship:<id>`, `system`. */
  record(tx: Transaction, actor: string, action: AuditAction, target: string, detail?: Readonly<Record<string, unknown>>): Promise<void>;
}
