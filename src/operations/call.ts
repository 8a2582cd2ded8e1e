import type { AnswerBudget } from './answer-budget.ts';
import type { CallRights, LongCall } from './call-rights.ts';
import type { Caller, Identity } from './caller.ts';
import type { Context } from './handler.ts';
import type { OperationSpec } from './spec.ts';

/**
 * An input, or a function that reads it, so that the input of a refused caller need not be read at all. The function
 * passes the parameters first, and continues only when that resolves.
 */
export type Input = object | Reading;

export type Reading = (precheck: (parameters: object) => Promise<void>) => Promise<object>;

/** One call of an operation on its way through the pipeline; each step says which of its fields it sets. */
export class Call {
  readonly spec: OperationSpec;
  readonly caller: Caller;
  readonly rights: CallRights;
  /** As the protocol passed it. */
  readonly given: Input;
  /** `identify`: the caller is known. */
  isKnown = false;
  /** `read`: unchecked until `validate`. While the body is read, the parameters of a call that is refused for them. */
  input: object | undefined;
  /** `validate`: what the response warns of. */
  warnings: readonly string[] = [];
  /** `limit` */
  budget!: AnswerBudget;
  /** `limit`: set for calls without a time limit. */
  long: LongCall | undefined;
  /** `limit` */
  context!: CallContext;
  /** Who was let in, where the operation found that out. */
  actor: string | undefined;

  constructor(spec: OperationSpec, given: Input, caller: Caller, rights: CallRights) {
    this.spec = spec;
    this.given = given;
    this.caller = caller;
    this.rights = rights;
  }
}

/** The rest of the pipeline; resolves with the result of the operation. */
export type Next = (call: Call) => Promise<unknown>;

/** One step of the pipeline, around those that follow. */
export interface Step {
  /** Whether an operation takes the step, by its specification; all do if absent. Decided once, at the start. */
  readonly appliesTo?: (spec: OperationSpec) => boolean;
  readonly run: (call: Call, next: Next) => Promise<unknown>;
}

/** What the pipeline gives to the handler of a call. */
export class CallContext implements Context {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly budget: AnswerBudget;
  readonly setActor: (username: string) => void;
  readonly #rights: CallRights;

  constructor(rights: CallRights,
    { caller, signal, budget, setActor }: Required<Pick<Context, 'caller' | 'signal' | 'budget' | 'setActor'>>)
  {
    this.#rights = rights;
    this.caller = caller;
    this.signal = signal;
    this.budget = budget;
    this.setActor = setActor;
  }

  get identity(): Identity {
    return this.#rights.identity;
  }

  async requirePermission(): Promise<void> {
    if (!this.#rights.isAllowed) await this.#rights.require();
  }

  isPermitted(): boolean {
    return this.#rights.isAllowedHere;
  }
}
