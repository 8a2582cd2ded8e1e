import type { Operations } from '../../../generated/docs/operations.ts';
import type { Outbound } from '../../net/index.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Crons } from './crons.ts';
import type { Match, Rule } from './rule.ts';
import type { RuleSearchDeps } from './search.ts';

export type AutomationHandlers = Required<Pick<Handlers<Operations>,
  'listAutomationRules' | 'createAutomationRule' | 'getAutomationRule' | 'updateAutomationRule' | 'deleteAutomationRule' | 'testAutomationRule' | 'listAutomationLogs'>>;

/** What the parts of the area share. */
export interface AutomationDeps {
  readonly environment: DocsEnvironment;
  readonly outbound: Outbound;
  /** By id, oldest first. */
  readonly book: Map<string, Rule>;
  readonly search: RuleSearchDeps;
  readonly crons: Crons;
  /** Within the transaction that stores or deletes (undefined) a rule, with its number in the change feed: from there on nothing is missed. */
  readonly storing: (tx: Transaction, rule: Rule | undefined, lsn: number) => Promise<void>;
  /** Takes up what has changed in the rules. */
  readonly changed: (id: string) => Promise<void>;
  /** Documents that satisfy a rule now, of all collections that it is about, best first. */
  readonly matches: (rule: Rule, signal: AbortSignal) => Promise<Match[]>;
}

const WEEK_MS = 604_800_000;

/** Seconds that entries of the log are kept. */
export function retentionOf({ settings }: Pick<DocsEnvironment, 'settings'>): number {
  return Math.ceil((settings.automation?.logsTtlMs ?? WEEK_MS) / 1000);
}
