import type { Caller } from './caller.ts';
import type { Identity } from './identity.ts';
import type { OperationSpec } from './spec.ts';

/** Tells who calls; a service without one lets everyone do everything. */
export interface Guard {
  /**
   * Who calls an operation, by nothing but what the caller holds. Throws `unauthenticated` where the operation
   * needs a credential and there is none that is valid, and `not_found` where it is not to be seen.
   */
  identify(operation: OperationSpec, caller: Caller): Identity | Promise<Identity>;
}
