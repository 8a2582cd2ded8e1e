export { type Audit, createAudit } from './audit.ts';
export type { AuditSettings } from './audit.ts';
export type { Burst } from './burst-detector.ts';
export type { NewAuditEvent } from './events-of.ts';
export type { Excess } from './rate-limit-alarm.ts';
