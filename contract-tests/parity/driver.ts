import type { OperationId } from '../../generated/docs/operations.ts';

/** The flat input of an operation, as JSON. */
export type Input = Readonly<Record<string, unknown>>;

/** How a call failed: the stable code, the message, and the status in the words of the protocol. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly status: string | number;
  /** One message for each violation, where there are several. */
  readonly errors?: readonly string[];
}

/** What became of a call: the operation's answer in the form that REST gives it, or a failure. */
export type Outcome = { readonly value: unknown } | { readonly failure: Failure };

/** Headers, or metadata, that show who calls. */
export type Credential = Readonly<Record<string, string>>;

/** One protocol, as scenarios use it. */
export interface Driver {
  readonly protocol: string;
  /** Why this protocol cannot carry such a call; undefined where it can. */
  lacks(operation: OperationId, input: Input): string | undefined;
  call(operation: OperationId, input: Input): Promise<Outcome>;
  /** What this protocol makes of an outcome over REST of the same call, by the decisions. */
  view(operation: OperationId, outcome: Outcome, input: Input): Outcome;
  close(): Promise<void>;
}

/** Operations whose answer over REST is a bare list, each with the field that holds it in the other protocols. */
export const LISTS: Readonly<Partial<Record<OperationId, string>>> = { searchDocuments: 'documents', listPermissions: 'permissions', listWebhooks: 'webhooks' };

/** A call that a protocol has no words for. */
export class Unsayable extends Error {}

/** The reason of an `Unsayable`; undefined where `say` succeeds. */
export function reasonOf(say: () => void): string | undefined {
  try {
    say();
    return undefined;
  } catch (error) {
    if (error instanceof Unsayable) return error.message;
    throw error;
  }
}
