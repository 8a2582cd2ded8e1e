/** The entry point of the audit area. */
export { createAuditLog, type AuditLog } from './audit-log.ts';
export type { Audit, AuditAction } from './port.ts';
