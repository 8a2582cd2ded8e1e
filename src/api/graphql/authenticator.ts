import type { Caller } from '../../operations/index.ts';

/** The authenticated caller. */
export interface Principal {
  readonly username: string;
  readonly admin: boolean;
}

/** Returns the owner of a credential. A server without an authenticator has authentication switched off. */
export interface Authenticator {
  /** Returns undefined if there is no credential or if it is not valid; the two cases cannot be distinguished. */
  authenticate(caller: Caller): Promise<Principal | undefined>;
}
