/** The audit log, its export and the detection of bursts (decisions, sections 4.9 and 6). */
export interface AuditSettings {
  readonly enabled: boolean;
  /** File of the events, or `:memory:`. */
  readonly path: string;
  readonly retentionDays: number;
  /** Maximum number of events that wait for each exporter. */
  readonly exportBuffer: number;
  readonly webhookUrl?: string | undefined;
  /** `Name: value`, or empty. */
  readonly webhookHeader: string;
  /** In the form that `parseSyslogAddress` parses, or empty. */
  readonly syslogAddr: string;
  readonly burst: { readonly threshold: number; readonly windowMs: number; readonly cooldownMs: number };
}
