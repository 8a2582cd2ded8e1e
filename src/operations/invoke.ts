import { ServiceError, type ErrorCode } from '../errors/index.ts';
import { currentTracing, type SpanStart, type Tracing } from '../lib/tracing.ts';
import { turns } from '../lib/turns.ts';
import { enforceAccessMode, enforceReadsOnly } from './access-mode.ts';
import { AnswerBudget, DEFAULT_ANSWER_BYTES } from './answer-budget.ts';
import { authorize, mayRead, refuseEarly } from './authorize.ts';
import type { AccessMode, Caller, Protocol } from './caller.ts';
import type { Download } from './download.ts';
import type { Guard } from './guard.ts';
import { Reply, type Handler, type Handlers, type InputOf, type OutputOf } from './handler.ts';
import { EVERYONE, type Identity } from './identity.ts';
import { createInputValidators, type InputValidator } from './input-validators.ts';
import { inspectInput } from './inspect-input.ts';
import { pageOf } from './pages.ts';
import type { OperationSpec } from './spec.ts';
import { withTimeout } from './timeout.ts';
import { ignoredFieldMessage, unknownFieldFinder, unknownFieldMessage, type UnknownFieldFinder } from './unknown-fields.ts';
import { withWarnings } from './warnings.ts';
import { unreadFields, withoutFields } from './fields.ts';

/** An invocation and its result, for audit and metrics. */
export interface Outcome {
  readonly operation: OperationSpec;
  readonly caller: Caller;
  /** The input as it was passed, possibly unchecked and with secrets: must not be logged as a whole. Absent if it was not read. */
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
   * Permissions that depend on what is stored, such as the project of a run. Handlers check them when they are called; these checks are repeated
   * while a file of theirs is sent.
   */
  readonly fences?: Preconditions<Operations>;
  readonly mode: (protocol: Protocol) => AccessMode;
  /** The reason why writes are currently refused in every mode; undefined if they are not. */
  readonly readOnlyReason?: () => string | undefined;
  /** If absent, every caller may do everything. */
  readonly guard?: Guard;
  /** Called after each invocation; must not throw. */
  readonly observe?: (outcome: Outcome) => void;
  /** Time limit of a limited operation in milliseconds; 0 for no limit. */
  readonly timeoutMs?: number;
  /**
   * How unknown fields are treated (decision D-04): true refuses them; false ignores them and lists them in the response's
   * `warnings`. If absent, only the schemas decide what is refused.
   */
  readonly strictInput?: boolean;
  /** Maximum size of one response in bytes; the default of `AnswerBudget` if absent. */
  readonly answerBytes?: (protocol: Protocol) => number;
}

/** Called with the parameters and the caller before validation; throws if the parameters are wrong. */
export type Precondition<Input> = (parameters: Partial<Record<keyof Input, unknown>>, identity: Identity) => Promise<void> | void;

export type Preconditions<Operations> = { readonly [K in keyof Operations]?: Precondition<InputOf<Operations, K>> };

/**
 * An input, or a function that reads it, so that the input of a refused caller need not be read at all. The function passes the
 * parameters first, and continues only when that resolves.
 */
export type Input = object | ((precheck: (parameters: object) => Promise<void>) => Promise<object>);

/** Runs an operation for a caller. The input is checked and completed with defaults in place. */
export type Invoke<Operations> = <K extends keyof Operations & string>(
  id: K, input: Input, caller: Caller,
) => Promise<Reply<OutputOf<Operations, K>>>;

/**
 * The only way to call an operation, for every protocol. The steps, in this order: origin, access mode,
 * authentication, preconditions, for reads a turn of the event loop that has time left, permission, whether the operation is
 * implemented, validation, the handler, the page of its list, removal of fields that the caller may not read, observation.
 */
export function createInvoker<Operations>(options: InvokerOptions<Operations>): Invoke<Operations> {
  const validators = createInputValidators(options.inputs);
  const check = createInputCheck(options.inputs, options.strictInput);
  const timeoutMs = options.timeoutMs ?? 0;
  const answerBytes = options.answerBytes ?? (() => DEFAULT_ANSWER_BYTES);

  async function identify(spec: OperationSpec, caller: Caller): Promise<Identity> {
    enforceReadsOnly(caller, spec);
    enforceAccessMode(options.mode(caller.protocol), spec.effect, options.readOnlyReason?.());
    return options.guard === undefined ? EVERYONE : options.guard.identify(spec, caller);
  }

  /**
   * Reads the input. Its preconditions are checked once, however it is read. Calls that the caller may not make are refused as
   * early as possible.
   */
  async function read(id: string, given: Input, identity: Identity, refuse: (parameters: object) => void): Promise<object> {
    const precondition = (options.preconditions as Partial<Record<string, Precondition<object>>> | undefined)?.[id];
    let checked = precondition === undefined;
    const precheck = async (parameters: object): Promise<void> => {
      if (!checked) await precondition!(parameters, identity);
      checked = true;
      refuse(parameters);
    };
    const input = typeof given === 'function' ? await (given as Extract<Input, (...precheck: never) => unknown>)(precheck) : given;
    await precheck(input);
    return input;
  }

  async function run<K extends keyof Operations & string>(spec: OperationSpec, id: K, input: object, caller: Caller, identity: Identity, setActor: (username: string) => void): Promise<Reply<OutputOf<Operations, K>>> {
    // Before the turn, because all calls that came while it was compiled go on at once.
    const validator = validators.compiled(id) ?? await validators.compile(id);
    if (spec.effect === 'read' && turns.isSpent) await turns.request();
    refuseEarly(spec, identity, input);
    const handler = options.handlers[id] as Handler<object, OutputOf<Operations, K>> | undefined;
    if (handler === undefined) throw new ServiceError('not_implemented', `${id} is not implemented`);
    const warnings = check(spec, id, validator, input);
    authorize(spec, identity, input);
    const budget = caller.budget?.share() ?? new AnswerBudget(answerBytes(caller.protocol));
    const result = await withTimeout(spec.limited ? timeoutMs : 0, caller.signal, (signal) => handler(input, { caller, identity, signal, budget, setActor }));
    const whole = result instanceof Reply ? result : new Reply(result);
    const page = spec.pages === undefined ? whole : pageOf(spec.pages, whole, input, budget);
    const reply = withWarnings(withheld(spec, identity, input, page), warnings);
    return stillAllowed(reply, () => requirePermission(spec, id, input, caller));
  }

  /** Throws as soon as the caller could not call the operation again. */
  async function requirePermission(spec: OperationSpec, id: string, input: object, caller: Caller): Promise<void> {
    const identity = await identify(spec, caller);
    authorize(spec, identity, input);
    await (options.fences as Partial<Record<string, Precondition<object>>> | undefined)?.[id]?.(input, identity);
  }

  const invokeOne: Invoke<Operations> = async (id, given, caller) => {
    const operation = options.operations[id];
    const start = performance.now();
    let identity: Identity | undefined;
    let input: object | undefined;
    let actor: string | undefined;
    let error: unknown;
    try {
      identity = await identify(operation, caller);
      const known = identity;
      input = await read(id, given, known, (parameters) => {
        input = parameters;
        refuseEarly(operation, known, parameters);
        input = undefined;
      });
      return await run(operation, id, input, caller, identity, (username) => (actor = username));
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      const milliseconds = performance.now() - start;
      options.observe?.({ operation, caller, milliseconds, ...(input && { input }), ...(identity && { identity }), ...(actor !== undefined && { actor }), ...(error === undefined ? {} : { error }) });
    }
  };
  return (id, given, caller) => {
    const tracing = currentTracing();
    return tracing === undefined ? invokeOne(id, given, caller) : invokeTraced(tracing, invokeOne, id, given, caller);
  };
}

/** Separate from the path without tracing, so that the latter allocates no closure. */
function invokeTraced<Operations, K extends keyof Operations & string>(tracing: Tracing, invoke: Invoke<Operations>, id: K, given: Input, caller: Caller): Promise<Reply<OutputOf<Operations, K>>> {
  return tracing.within(spanOf(id, caller, tracing), () => invoke(id, given, caller));
}

/** HTTP has a span for its request; in other protocols, the call of the operation is the request. */
function spanOf(operation: string, { protocol, traceparent }: Caller, tracing: Tracing): SpanStart {
  const attributes = { 'quire.operation': operation, 'quire.protocol': protocol, ...(protocol === 'grpc' && { 'rpc.system': 'grpc' }) };
  return { name: operation, kind: tracing.traceparent() === undefined ? 'server' : 'internal', attributes, parent: traceparent };
}

/** Where answers of searches have bodies of documents: in a bare list of them, and in a list of results. */
const BODIES = ['contentMd', 'results.document.contentMd'];

/** The answer without what shows stored content, for callers who may write but not read (decision D-139), or who may only search. */
function withheld<T>(spec: OperationSpec, identity: Identity, input: object, whole: Reply<T>): Reply<T> {
  const reply = identity.withoutBodies === true && spec.access !== 'public' ? new Reply(withoutFields(whole.value, BODIES) as T, whole.headers, whole.status) : whole;
  const { readFields, unread } = spec;
  if ((readFields === undefined && unread === undefined) || mayRead(spec, identity, input)) return reply;
  return new Reply(unreadFields(withoutFields(reply.value, readFields ?? []), unread ?? {}) as T, reply.headers, reply.status);
}

/** A file that is produced while it is sent may outlast the caller's permission, so the permission is checked before each piece. */
function stillAllowed<T>(reply: Reply<T>, check: () => Promise<void>): Reply<T> {
  const download = reply.value as Partial<Download> | undefined;
  const { content } = download ?? {};
  if (typeof content !== 'object' || !(Symbol.asyncIterator in content)) return reply;
  return new Reply({ ...download, content: checking(content, check) } as T, reply.headers, reply.status);
}

async function* checking(content: AsyncIterable<Uint8Array>, check: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    await check();
    yield piece;
  }
}

/** Validates and completes an input, and returns the fields that are ignored. */
type InputCheck = (spec: OperationSpec, id: string, validator: InputValidator, input: object) => readonly string[];

function createInputCheck(schemas: Readonly<Record<string, object>>, strict: boolean | undefined): InputCheck {
  const finders = new Map<string, UnknownFieldFinder>();
  const finderOf = (id: string): UnknownFieldFinder => {
    const finder = finders.get(id) ?? unknownFieldFinder(schemas[id]!);
    finders.set(id, finder);
    return finder;
  };
  return (spec, id, validator, input) => {
    inspectInput(input, spec.sanitize);
    const unknown = strict === undefined ? [] : finderOf(id)(input);
    validate(spec, validator, input, strict === true ? unknown.map(unknownFieldMessage) : []);
    return unknown.map(ignoredFieldMessage);
  };
}

/** Throws the errors of an input, unknown fields first, with the code from the specification. */
function validate(spec: OperationSpec, validator: InputValidator, input: object, unknown: readonly string[]): void {
  const violations = validator(input);
  if (violations === undefined && unknown.length === 0) return;
  const code = (spec.error ?? violations?.fieldError ?? violations?.code ?? 'invalid_argument') as ErrorCode;
  const errors = [...unknown, ...(violations?.errors ?? [])];
  const message = [...unknown, ...(violations === undefined ? [] : [violations.message])].reduce((text, next) => `${text}${text.endsWith('?') ? '' : ';'} ${next}`);
  throw new ServiceError(code, message, errors.length > 1 ? { errors } : {});
}
