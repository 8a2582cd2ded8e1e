import { type Clock, systemClock } from '../lib/clock.ts';
import type { AccessWatches } from './access-watch.ts';
import { DEFAULT_ANSWER_BYTES } from './answer-budget.ts';
import { CallRights, type RightsOptions } from './call-rights.ts';
import { Call, type Input, type Next } from './call.ts';
import type { AccessMode, Caller, Guard, Protocol } from './caller.ts';
import type { Handler, Handlers, OutputOf, Reply } from './handler.ts';
import { createInputCheck } from './input-check.ts';
import { createInputValidators } from './input-validators.ts';
import { composeSteps, type StepName, type Steps } from './pipeline.ts';
import type { OperationSpec } from './spec.ts';
import { confirm, page, supervise, warn, withhold } from './steps/answer.ts';
import { authorize, identify, type Preconditions, read, refuse, turn, validate } from './steps/input.ts';
import { limit } from './steps/limit.ts';
import { observe, type Outcome, trace } from './steps/observe.ts';
import { follow } from './steps/session.ts';

export interface InvokerOptions<Operations> {
  readonly operations: { readonly [K in keyof Operations]: OperationSpec };
  /** JSON schemas of the flat inputs, by operation id. */
  readonly inputs: Readonly<Record<string, object>>;
  readonly handlers: Handlers<Operations>;
  /** Checks of an operation's parameters alone, before its body is read. */
  readonly preconditions?: Preconditions<Operations>;
  /** Permissions that depend on what is stored, such as the project of a run; checked with the others, and again. */
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
  /** With several nodes: applies what the others have committed, before a call. */
  readonly follow?: (() => Promise<void>) | undefined;
  /** What this service adds to the pipeline: how its calls wait and fail, and what counts them. */
  readonly steps?: Pick<Steps, 'store' | 'elsewhere' | 'count' | 'patience' | 'session' | 'gate' | 'caughtUp' | 'note'>;
}

/** Runs an operation for a caller. The input is checked and completed with defaults in place. */
export type Invoke<Operations> = <K extends keyof Operations & string>(id: K, input: Input,
  caller: Caller) => Promise<Reply<OutputOf<Operations, K>>>;

/**
 * The only way to call an operation, for every protocol: the steps of the pipeline, around its handler. `names`: those
 * that are taken, all by default.
 */
export function createInvoker<Operations>(options: InvokerOptions<Operations>,
  names?: readonly StepName[]): Invoke<Operations>
{
  const { mode, readOnlyReason, guard, refresh, clock = systemClock } = options;
  const rightsOptions: RightsOptions = { mode, readOnlyReason, guard, refresh, clock };
  const handlers = options.handlers as Partial<Record<string, Handler<object, unknown>>>;
  const steps = stepsOf(options, (id) => handlers[id] !== undefined);
  const composed = new Map<string, Next>();
  for (const spec of Object.values<OperationSpec>(options.operations)) {
    composed.set(spec.id, composeSteps(steps, spec, handlers[spec.id], names));
  }
  return (id, given, caller) => {
    const spec = options.operations[id];
    const call = new Call(spec, given, caller, new CallRights(rightsOptions, spec, caller));
    return composed.get(id)!(call) as ReturnType<Invoke<Operations>>;
  };
}

function stepsOf<Operations>(options: InvokerOptions<Operations>, isBuilt: (id: string) => boolean): Steps {
  const { preconditions = {}, fences = {}, refresh, watches, timeoutMs = 0 } = options;
  const validators = createInputValidators(options.inputs);
  return {
    ...options.steps,
    trace,
    observe: options.observe && observe(options.observe),
    follow: options.follow && follow(options.follow),
    identify,
    read: read(preconditions, refresh !== undefined),
    turn: turn(validators),
    refuse: refuse(isBuilt),
    validate: validate(createInputCheck(options.inputs, options.strictInput), validators),
    authorize: authorize(fences),
    warn,
    supervise,
    withhold,
    page,
    confirm,
    limit: limit({ timeoutMs, watches, answerBytes: options.answerBytes ?? (() => DEFAULT_ANSWER_BYTES) }),
  };
}
