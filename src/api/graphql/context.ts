import { operations, type Operations } from '../../../generated/docs/operations.ts';
import type { Caller, Invoke, InputOf, OperationSpec, OutputOf, Reply } from '../../operations/index.ts';
import type { Authenticator, Principal } from './authenticator.ts';
import { createReads, type Reads } from './reads.ts';

type Id = keyof Operations;

/** What the resolvers of one request share. */
export interface GraphqlContext {
  /** Who is signed in, asked once; absent while authentication is switched off. */
  readonly signedIn?: () => Promise<Principal | undefined>;
  /** Invokes an operation for the caller. Absent and null fields of the input are left out. */
  readonly invoke: <K extends Id>(id: K, input: Loose<InputOf<Operations, K>>) => Promise<Reply<OutputOf<Operations, K>>>;
  /** The reading fields of the request go through here. */
  readonly read: Reads;
}

/**
 * An input as resolvers give it: null stands for absent, and defaulted fields may be left to the pipeline, which
 * also checks the values of what the schema only knows as text.
 */
export type Loose<Input> = { readonly [K in keyof Input]?: Loosened<Input[K]> | null | undefined };
type Loosened<V> = V extends string ? string : V;

export interface ContextOptions {
  readonly invoke: Invoke<Operations>;
  readonly authenticator?: Authenticator | undefined;
}

/** `signal` aborts when the client has gone; what has not begun by then does not begin. */
export function createContext({ invoke, authenticator }: ContextOptions, caller: Caller, signal: AbortSignal): GraphqlContext {
  return {
    ...(authenticator && { signedIn: once(() => authenticator.authenticate(caller)) }),
    read: createReads(signal),
    async invoke(id, input) {
      signal.throwIfAborted();
      return invoke(id, withoutAbsent(input), stopsWithClient(operations[id]) ? { ...caller, signal } : caller);
    },
  };
}

/** What may run for long or wait for its turn is worth stopping when the client goes; a short write is not. */
function stopsWithClient({ limited, effect }: OperationSpec): boolean {
  return !limited || effect === 'read';
}

function withoutAbsent(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
