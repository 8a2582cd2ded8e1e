import type { OperationId } from '../../generated/docs/operations.ts';

/** The flat input of an operation, as JSON. */
export type Input = Readonly<Record<string, unknown>>;

/** How a call failed: the stable code, the message, and the status in the form of the protocol. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status: string | number;
  /** One message for each violation, if there are several. */
  readonly errors?: readonly string[];
}

/** The outcome of a call: the operation's result in the form of REST, or a failure. */
export type Outcome = { readonly value: unknown } | { readonly failure: Failure };

/** Headers or metadata with the caller's credential. */
export type Credential = Readonly<Record<string, string>>;

/** One protocol, as scenarios use it. */
export interface Driver {
  readonly protocol: string;
  /** Why this protocol cannot express such a call; undefined if it can. */
  lacks(operation: OperationId, input: Input): string | undefined;
  call(operation: OperationId, input: Input): Promise<Outcome>;
  /** The outcome that the decisions require over this protocol, from the outcome of the same call over REST. */
  view(operation: OperationId, outcome: Outcome, input: Input): Outcome;
  close(): Promise<void>;
}

/** Operations whose REST response is a bare list, each with the field that contains it in the other protocols. */
export const LISTS: Readonly<Partial<Record<OperationId, string>>> = {
  searchDocuments: 'documents',
  listPermissions: 'permissions',
  listWebhooks: 'webhooks',
};

/** A call that a protocol cannot express. */
export class Inexpressible extends Error {}

/** The reason of an `Inexpressible`; undefined if `say` succeeds. */
export function reasonOf(say: () => void): string | undefined {
  try {
    say();
    return undefined;
  } catch (error) {
    if (error instanceof Inexpressible) return error.message;
    throw error;
  }
}
