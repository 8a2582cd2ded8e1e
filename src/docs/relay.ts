import type { NewAuditEvent } from './audit/index.ts';

/** Data that a read-only process cannot store itself. */
export type RelayedNote =
  /** An event of the audit log with its time; `failed` if it counts as an attempt to gain access. */
  | { readonly kind: 'audit'; readonly event: NewAuditEvent & { readonly ts: number }; readonly failed: boolean }
  /** An API key was used, by its hash. */
  | { readonly kind: 'key-use'; readonly hash: string }
  /** A handler threw an unexpected error. */
  | { readonly kind: 'unforeseen'; readonly operation: string };

/** Sends data from a read-only process to the process that writes. */
export interface Relay {
  /** Neither throws nor waits. */
  add(note: RelayedNote): void;
}
