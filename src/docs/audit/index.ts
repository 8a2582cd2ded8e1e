export { type Audit, createAudit } from './audit.ts';
export type { AuditSettings } from './audit.ts';
export type { NewAuditEvent } from './events-of.ts';
