import type { Transaction } from '../../storage/index.ts';

export type AuditAction = 'enqueue' | 'cancel' | 'retry' | 'project' | 'token' | 'join' | 'renew' | 'revoke' | 'drain'
  | 'undrain' | 'delete' | 'leave' | 'reload' | 'pause' | 'resume' | 'redeliver' | 'approve' | 'reject';

/** The audit log: who did what (decisions, section 5, "Audit"). */
export interface Audit {
  /**
   * Writes an entry in the transaction of the recorded action. `actor`: `api`, `schedule`, `alertmanager`, `ship:<id>`,
   * `system`.
   */
  record(tx: Transaction, actor: string, action: AuditAction, target: string,
    detail?: Readonly<Record<string, unknown>>): Promise<void>;
}
