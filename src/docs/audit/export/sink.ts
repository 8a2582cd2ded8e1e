import type { AuditEvent } from '../../../../generated/docs/sdk/types.gen.ts';

/** Where audit events are sent to. */
export interface Sink {
  readonly name: 'webhook' | 'syslog';
  /** Without credentials. */
  readonly target: string;
  /** Resolves when the target has accepted the event. Rejects with `Refused` where trying again cannot help. */
  send(event: AuditEvent, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The target is there and does not want the event. */
export class Refused extends Error {}
