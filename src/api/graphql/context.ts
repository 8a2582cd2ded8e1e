import { operations, type Operations } from '../../../generated/docs/operations.ts';
import { AnswerBudget, type Caller, type Invoke, type InputOf, type OperationSpec, type OutputOf, type RateLimit, type Reply } from '../../operations/index.ts';
import type { Authenticator, Principal } from './authenticator.ts';
import { createReads, type Reads } from './reads.ts';

type Id = keyof Operations;

/** What the resolvers of one request share. */
export interface GraphqlContext {
  /** Who is signed in, asked once; absent while authentication is switched off. */
  readonly signedIn?: () => Promise<Principal | undefined>;
  /** Invokes an operation for the caller. Absent and null fields of the input are left out. */
  readonly invoke: <K extends Id>(id: K, input: Loose<InputOf<Operations, K>>) => Promise<Reply<OutputOf<Operations, K>>>;
  /** Before each field of `Mutation`. Throws `rate_limited` where the caller has had too many, and `busy` where the request has taken too long. */
  readonly countMutation: () => Promise<void>;
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
  /** Counts each mutation but the first, which is counted with its request. */
  readonly limit?: RateLimit | undefined;
  /** Bytes that the answer to one request may have, whatever its fields ask for; those of `AnswerBudget` when absent. */
  readonly answerBytes?: number | undefined;
}

/** When a request is given up. What has not begun by then does not begin. */
export interface RequestEnds {
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** Aborts when the time of the request is up. */
  readonly late: AbortSignal;
}

/** Operations that are not limited in time, such as a reindexing, end what they have begun by then. */
export function createContext({ invoke, authenticator, limit, answerBytes }: ContextOptions, sender: Caller, { gone, late }: RequestEnds): GraphqlContext {
  const caller = { ...sender, budget: new AnswerBudget(answerBytes) };
  const signal = AbortSignal.any([gone, late]);
  let mutations = 0;
  return {
    ...(authenticator && { signedIn: once(() => authenticator.authenticate(caller)) }),
    read: createReads(signal),
    async countMutation() {
      signal.throwIfAborted();
      if (++mutations > 1) await limit?.admit(caller);
    },
    async invoke(id, input) {
      signal.throwIfAborted();
      const spec: OperationSpec = operations[id];
      if (!spec.limited) return invoke(id, withoutAbsent(input), { ...caller, signal: gone });
      return orAborted(invoke(id, withoutAbsent(input), spec.effect === 'read' ? { ...caller, signal } : caller), late);
    },
  };
}

/** Nobody waits for an answer that comes too late; a short write that has begun goes on. */
async function orAborted<T>(answer: Promise<T>, late: AbortSignal): Promise<T> {
  late.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(late.reason as Error);
  late.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    late.removeEventListener('abort', onAbort);
  }
}

function withoutAbsent(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
