import type { AnswerBudget } from './answer-budget.ts';
import type { CallRights } from './call-rights.ts';
import type { Caller } from './caller.ts';
import type { Context } from './handler.ts';
import type { Identity } from './identity.ts';

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
