import type { Caller } from '../../operations/index.ts';

/** Who is signed in. */
export interface Principal {
  readonly username: string;
  readonly admin: boolean;
}

/** Tells who presented a credential. A server without one has authentication switched off. */
export interface Authenticator {
  /** Undefined where there is no credential, or one that is not valid: the two cannot be told apart. */
  authenticate(caller: Caller): Promise<Principal | undefined>;
}
