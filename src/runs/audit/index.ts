/** The entry point of the audit area. */
export { type AuditLog, createAuditLog } from './audit-log.ts';
export type { Audit, AuditAction } from './port.ts';
