import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { AnswerBudget, type Caller, type InputOf, type Invoke, type OperationSpec, type OutputOf, type RateLimit,
  type Reply } from '../../operations/index.ts';
import { createReads, type Reads } from './reads.ts';

type Id = keyof Operations;

/** What the resolvers of one request share. */
export interface GraphqlContext {
  /** Whether callers must authenticate. */
  readonly authenticates: boolean;
  /** Invokes an operation for the caller. Absent and null fields of the input are omitted. */
  readonly invoke: <K extends Id>(id: K,
    input: Loose<InputOf<Operations, K>>) => Promise<Reply<OutputOf<Operations, K>>>;
  /**
   * Called before each field of `Mutation`. Throws `rate_limited` if the caller exceeded the rate limit, and `busy` if
   * the request has exceeded its time limit.
   */
  readonly countMutation: () => Promise<void>;
  /** Runs the fields of the request that read. */
  readonly read: Reads;
}

/**
 * An input as resolvers pass it: null stands for absent, and fields with defaults may be absent. The pipeline fills
 * them in, and also checks the values of fields that are only strings in the schema.
 */
export type Loose<Input> = { readonly [K in keyof Input]?: Loosened<Input[K]> | null | undefined };
type Loosened<V> = V extends string ? string : V;

export interface ContextOptions {
  readonly invoke: Invoke<Operations>;
  /** Whether the credential of a caller is valid; absent while authentication is switched off. */
  readonly isKnown?: ((caller: Caller) => Promise<boolean>) | undefined;
  /** Counts each mutation except the first, which is counted with its request. */
  readonly limit?: RateLimit | undefined;
  /** Most bytes of the response to one request, whatever its fields select; the default is that of `AnswerBudget`. */
  readonly answerBytes?: number | undefined;
}

/** When a request is aborted. Fields that have not started by then do not start. */
export interface RequestEnds {
  /** Aborts when the client has disconnected. */
  readonly gone: AbortSignal;
  /** Aborts when the request's time limit has passed. */
  readonly late: AbortSignal;
}

/** Operations without a time limit, such as a reindexing, finish if they have started by then. */
export function createContext({ invoke, isKnown, limit, answerBytes }: ContextOptions, sender: Caller,
  { gone, late }: RequestEnds): GraphqlContext
{
  const caller = { ...sender, budget: new AnswerBudget(answerBytes) };
  const signal = AbortSignal.any([gone, late]);
  let mutations = 0;
  const known = once(() => isKnown?.(caller) ?? Promise.resolve(true));
  let refused: Promise<unknown> | undefined;
  const start: GraphqlContext['invoke'] = (id, input) => {
    const spec: OperationSpec = operations[id];
    if (!spec.limited) return invoke(id, withoutAbsent(input), { ...caller, signal: gone });
    return orAborted(invoke(id, withoutAbsent(input), spec.effect === 'read' ? { ...caller, signal } : caller), late);
  };
  return {
    authenticates: isKnown !== undefined,
    read: createReads(signal),
    async countMutation() {
      signal.throwIfAborted();
      if (++mutations > 1) await limit?.admit(caller);
    },
    async invoke(id, input) {
      signal.throwIfAborted();
      if (operations[id].access === 'public' || await known()) return start(id, input);
      // A request with many fields is one attempt: the operation of its first field refuses, once in the audit log, and
      // that holds for the others.
      if (refused !== undefined) await refused;
      const answer = start(id, input);
      refused ??= answer;
      return answer;
    },
  };
}

/** A late result is discarded because no client waits for it; a short write that has started continues. */
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
