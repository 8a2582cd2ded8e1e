import type { Operations } from '../../../generated/docs/operations.ts';
import type { Outbound } from '../../net/index.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Crons } from './crons.ts';
import type { Match, Rule } from './rule.ts';
import type { RuleSearchDeps } from './search.ts';

export type AutomationHandlers = Required<
  Pick<Handlers<Operations>,
    'listAutomationRules' | 'createAutomationRule' | 'getAutomationRule' | 'updateAutomationRule'
      | 'deleteAutomationRule' | 'testAutomationRule' | 'listAutomationLogs'>
>;

/** What the parts of the area share. */
export interface AutomationDeps {
  readonly environment: DocsEnvironment;
  readonly outbound: Outbound;
  /** Rules by id, oldest first. */
  readonly book: Map<string, Rule>;
  readonly search: RuleSearchDeps;
  readonly crons: Crons;
  /**
   * Called within the transaction that stores or deletes (undefined) a rule, with its number in the change feed; no
   * later change is missed.
   */
  readonly storing: (tx: Transaction, rule: Rule | undefined, lsn: number) => Promise<void>;
  /** Applies a change of a rule. */
  readonly changed: (id: string) => Promise<void>;
  /** Documents that satisfy a rule now, in all collections that it applies to, best first. */
  readonly matches: (rule: Rule, signal: AbortSignal) => Promise<Match[]>;
}

const WEEK_MS = 604_800_000;

/** How long entries of the log are kept, in seconds. */
export function retentionOf({ settings }: Pick<DocsEnvironment, 'settings'>): number {
  return Math.ceil((settings.automation?.logsTtlMs ?? WEEK_MS) / 1000);
}
