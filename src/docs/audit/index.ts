export { BURST_CHANGE, createAudit, type Audit } from './audit.ts';
export type { Burst } from './burst-detector.ts';
export type { AuditSettings } from './settings.ts';
