import { ServiceError } from '../errors/index.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { currentTracing, type SpanStart, type Tracing } from '../lib/tracing.ts';
import { nodeLoop, turns } from '../lib/turns.ts';
import type { AccessWatches } from './access-watch.ts';
import { AnswerBudget, DEFAULT_ANSWER_BYTES } from './answer-budget.ts';
import { authorize, mayRead, refuseEarly } from './authorize.ts';
import { CallContext } from './call-context.ts';
import { CallRights, type RightsOptions } from './call-rights.ts';
import type { AccessMode, Caller, Protocol } from './caller.ts';
import type { Download } from './download.ts';
import { unreadFields, withoutFields } from './fields.ts';
import type { Guard } from './guard.ts';
import { type Handler, type Handlers, type InputOf, type OutputOf, Reply } from './handler.ts';
import type { Identity } from './identity.ts';
import { createInputCheck } from './input-check.ts';
import { createInputValidators } from './input-validators.ts';
import { LongCall, piecesWhileAllowed } from './long-call.ts';
import { pageOf } from './pages.ts';
import type { OperationSpec } from './spec.ts';
import { withTimeout } from './timeout.ts';
import { withWarnings } from './warnings.ts';

/** An invocation and its result, for audit and metrics. */
export interface Outcome {
  readonly operation: OperationSpec;
  readonly caller: Caller;
  /**
   * The input as it was passed, possibly unchecked and with secrets: must not be logged as a whole. Absent if it was
   * not read.
   */
  readonly input?: object;
  /** Absent if the caller is not known. */
  readonly identity?: Identity;
  /** Who was let in, where the operation found that out. */
  readonly actor?: string;
  /** Absent when it succeeded. */
  readonly error?: unknown;
  readonly milliseconds: number;
}

export interface InvokerOptions<Operations> {
  readonly operations: { readonly [K in keyof Operations]: OperationSpec };
  /** JSON schemas of the flat inputs, by operation id. */
  readonly inputs: Readonly<Record<string, object>>;
  readonly handlers: Handlers<Operations>;
  /** Checks of an operation's parameters alone, before its body is read. */
  readonly preconditions?: Preconditions<Operations>;
  /**
   * Permissions that depend on what is stored, such as the project of a run. Handlers check them when they are called;
   * these checks are repeated when the caller's permission is checked again.
   */
  readonly fences?: Preconditions<Operations>;
  readonly mode: (protocol: Protocol) => AccessMode;
  /** The reason why writes are currently refused in every mode; undefined if they are not. */
  readonly readOnlyReason?: () => string | undefined;
  /** If absent, every caller may do everything. */
  readonly guard?: Guard;
  /** Applies what other processes have changed until now; see `RightsOptions`. */
  readonly refresh?: () => Promise<void>;
  /** Supervises the permissions of calls without a time limit; if absent, they are checked only where handlers ask. */
  readonly watches?: AccessWatches;
  /** Tells whether credentials have expired; the system's clock if absent. */
  readonly clock?: Clock;
  /** Called after each invocation; must not throw. */
  readonly observe?: (outcome: Outcome) => void;
  /** Time limit of a limited operation in milliseconds; 0 for no limit. */
  readonly timeoutMs?: number;
  /**
   * How unknown fields are treated (decision D-04): true refuses them; false ignores them and lists them in the
   * response's `warnings`. If absent, only the schemas decide what is refused.
   */
  readonly strictInput?: boolean;
  /** Maximum size of one response in bytes; the default of `AnswerBudget` if absent. */
  readonly answerBytes?: (protocol: Protocol) => number;
}

/** Called with the parameters and the caller before validation; throws if the parameters are wrong. */
export type Precondition<Input> = (parameters: Partial<Record<keyof Input, unknown>>, identity: Identity) => Promise<
  void
> | void;

export type Preconditions<Operations> = { readonly [K in keyof Operations]?: Precondition<InputOf<Operations, K>> };

/**
 * An input, or a function that reads it, so that the input of a refused caller need not be read at all. The function
 * passes the parameters first, and continues only when that resolves.
 */
export type Input = object | Reading;

type Reading = (precheck: (parameters: object) => Promise<void>) => Promise<object>;

/** Runs an operation for a caller. The input is checked and completed with defaults in place. */
export type Invoke<Operations> = <K extends keyof Operations & string>(id: K, input: Input,
  caller: Caller) => Promise<Reply<OutputOf<Operations, K>>>;

/**
 * The only way to call an operation, for every protocol. The steps, in this order: origin, access mode, authentication,
 * preconditions, for reads a turn of the event loop that has time left, authentication again if anything has changed
 * since, permission, whether the operation is implemented, validation, the handler, for reads and long calls the
 * permission again, the page of its list, removal of fields that the caller may not read, observation.
 */
export function createInvoker<Operations>(options: InvokerOptions<Operations>): Invoke<Operations> {
  const validators = createInputValidators(options.inputs);
  const check = createInputCheck(options.inputs, options.strictInput);
  const timeoutMs = options.timeoutMs ?? 0;
  const answerBytes = options.answerBytes ?? (() => DEFAULT_ANSWER_BYTES);
  const { mode, readOnlyReason, guard, refresh, watches, clock = systemClock } = options;
  const rightsOptions: RightsOptions = { mode, readOnlyReason, guard, refresh, clock };

  /**
   * Reads the input. Its preconditions are checked once, however it is read. Calls that the caller may not make are
   * refused as early as possible.
   */
  async function read(id: string, given: Input, rights: CallRights,
    refuse: (parameters: object) => void): Promise<object>
  {
    const precondition = (options.preconditions as Partial<Record<string, Precondition<object>>> | undefined)?.[id];
    let checked = precondition === undefined;
    const precheck = async (parameters: object): Promise<void> => {
      if (!checked) await precondition!(parameters, rights.identity);
      checked = true;
      refuse(parameters);
    };
    const input = typeof given === 'function' ? await receive(given as Reading, precheck, rights) : given;
    await precheck(input);
    return input;
  }

  async function receive(reading: Reading, precheck: (parameters: object) => Promise<void>,
    rights: CallRights): Promise<object>
  {
    if (refresh === undefined) return reading(precheck);
    const turn = nodeLoop.turn();
    const input = await reading(precheck);
    if (nodeLoop.turn() !== turn) rights.doubt();
    return input;
  }

  async function run<K extends keyof Operations & string>(spec: OperationSpec, id: K, input: object, rights: CallRights,
    caller: Caller, setActor: (username: string) => void): Promise<Reply<OutputOf<Operations, K>>>
  {
    // Before the turn, because all calls that came while it was compiled go on at once.
    const validator = validators.compiled(id) ?? await validators.compile(id);
    if (spec.effect === 'read' && turns.isSpent) await turns.request();
    if (!rights.isCurrent) await rights.renew();
    refuseEarly(spec, rights.identity, input);
    const handler = options.handlers[id] as Handler<object, OutputOf<Operations, K>> | undefined;
    if (handler === undefined) throw new ServiceError('not_implemented', `${id} is not implemented`);
    const checked = check(spec, id, validator, input);
    const warnings = checked instanceof Promise ? await checked : checked;
    // A long input is checked in steps, in which the caller's rights may have ended.
    if (!rights.isCurrent) await rights.renew();
    authorize(spec, rights.identity, input);
    rights.allowed(input, (options.fences as Partial<Record<string, Precondition<object>>> | undefined)?.[id]);
    const budget = caller.budget?.share() ?? new AnswerBudget(answerBytes(caller.protocol));
    const long = spec.limited || watches === undefined ? undefined : new LongCall(watches, rights, caller.signal);
    const work = (signal: AbortSignal) => handler(input, new CallContext(rights, { caller, signal, budget, setActor }));
    const result =
      await (long === undefined ? withTimeout(spec.limited ? timeoutMs : 0, caller.signal, work) : long.during(work));
    // A long call may have ended between two of the checks that are made during it.
    if ((spec.effect === 'read' || long !== undefined) && !rights.isAllowed) await rights.require();
    const whole = result instanceof Reply ? result : new Reply(result);
    const page = spec.pages === undefined ? whole : pageOf(spec.pages, whole, input, budget);
    const reply = withWarnings(withheld(spec, rights.identity, input, page), warnings);
    return whileAllowed(reply, rights, long);
  }

  const invokeOne: Invoke<Operations> = async (id, given, caller) => {
    const operation = options.operations[id];
    const start = performance.now();
    const rights = new CallRights(rightsOptions, operation, caller);
    let isKnown = false;
    let input: object | undefined;
    let actor: string | undefined;
    let error: unknown;
    try {
      await rights.identify();
      isKnown = true;
      input = await read(id, given, rights, (parameters) => {
        input = parameters;
        refuseEarly(operation, rights.identity, parameters);
        input = undefined;
      });
      return await run(operation, id, input, rights, caller, (username) => (actor = username));
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      const milliseconds = performance.now() - start;
      options.observe?.({
        operation,
        caller,
        milliseconds,
        ...(input && { input }),
        ...(isKnown && { identity: rights.identity }),
        ...(actor !== undefined && { actor }),
        ...(error === undefined ? {} : { error }),
      });
    }
  };
  return (id, given, caller) => {
    const tracing = currentTracing();
    return tracing === undefined ? invokeOne(id, given, caller) : invokeTraced(tracing, invokeOne, id, given, caller);
  };
}

/** Separate from the path without tracing, so that the latter allocates no closure. */
function invokeTraced<Operations, K extends keyof Operations & string>(tracing: Tracing, invoke: Invoke<Operations>,
  id: K, given: Input, caller: Caller): Promise<Reply<OutputOf<Operations, K>>>
{
  return tracing.within(spanOf(id, caller, tracing), () => invoke(id, given, caller));
}

/** HTTP has a span for its request; in other protocols, the call of the operation is the request. */
function spanOf(operation: string, { protocol, traceparent }: Caller, tracing: Tracing): SpanStart {
  const attributes = {
    'quire.operation': operation,
    'quire.protocol': protocol,
    ...(protocol === 'grpc' && { 'rpc.system': 'grpc' }),
  };
  return {
    name: operation,
    kind: tracing.traceparent() === undefined ? 'server' : 'internal',
    attributes,
    parent: traceparent,
  };
}

/** Where answers of searches have bodies of documents: in a bare list of them, and in a list of results. */
const BODIES = ['contentMd', 'results.document.contentMd'];

/**
 * The answer without what shows stored content, for callers who may write but not read (decision D-139), or who may
 * only search.
 */
function withheld<T>(spec: OperationSpec, identity: Identity, input: object, whole: Reply<T>): Reply<T> {
  const reply = identity.withoutBodies === true && spec.access !== 'public'
    ? new Reply(withoutFields(whole.value, BODIES) as T, whole.headers, whole.status)
    : whole;
  const { readFields, unread } = spec;
  if ((readFields === undefined && unread === undefined) || mayRead(spec, identity, input)) return reply;
  return new Reply(unreadFields(withoutFields(reply.value, readFields ?? []), unread ?? {}) as T, reply.headers,
    reply.status);
}

/** A file that is produced while it is sent ends with the permission of the caller. */
function whileAllowed<T>(reply: Reply<T>, rights: CallRights, long: LongCall | undefined): Reply<T> {
  const download = reply.value as Partial<Download> | undefined;
  const { content } = download ?? {};
  if (typeof content !== 'object' || !(Symbol.asyncIterator in content)) return reply;
  const allowed = long?.pieces(content) ?? piecesWhileAllowed(content, rights);
  return new Reply({ ...download, content: allowed } as T, reply.headers, reply.status);
}
