import type { NewAuditEvent } from './audit/index.ts';

/** What a process that only reads cannot write down by itself. */
export type RelayedNote =
  /** An event of the audit log with its moment; `failed` where it counts as an attempt to get in. */
  | { readonly kind: 'audit'; readonly event: NewAuditEvent & { readonly ts: number }; readonly failed: boolean }
  /** An API key was used, by its hash. */
  | { readonly kind: 'key-use'; readonly hash: string }
  /** A handler threw what is no answer. */
  | { readonly kind: 'unforeseen'; readonly operation: string };

/** The way from a process that only reads to the one that writes. */
export interface Relay {
  /** Neither throws nor waits. */
  tell(note: RelayedNote): void;
}
