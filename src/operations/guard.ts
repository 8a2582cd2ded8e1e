import type { Caller } from './caller.ts';
import type { Identity } from './identity.ts';
import type { OperationSpec } from './spec.ts';

/** Identifies callers; a service without a guard allows every caller everything. */
export interface Guard {
  /**
   * Identifies the caller of an operation from its credentials alone. Throws `unauthenticated` if the operation needs a
   * credential and there is no valid one, and `not_found` if the operation must stay invisible.
   */
  identify(operation: OperationSpec, caller: Caller): Identity | Promise<Identity>;
  /**
   * A value that is another one as soon as `identify` could decide differently, except by the expiry of a credential.
   * If the method is absent, callers are identified at every check.
   */
  version?(): unknown;
}
