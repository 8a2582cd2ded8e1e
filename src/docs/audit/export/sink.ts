import type { AuditEvent } from '../../../../generated/docs/sdk/types.gen.ts';

/** A destination of audit events. */
export interface Sink {
  readonly name: 'webhook' | 'syslog';
  /** The address without credentials. */
  readonly target: string;
  /** Resolves when the target has accepted the event. Rejects with `Refused` if a retry cannot help. */
  send(event: AuditEvent, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The target was reached and refuses the event. */
export class Refused extends Error {}
