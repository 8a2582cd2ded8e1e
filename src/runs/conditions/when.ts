import { createPathGlobs } from '../../lib/path-glob.ts';
import type { PipelineConfig, StepConfig } from '../config/index.ts';
import { evaluate, type ExpressionValues, names } from './expression.ts';
import { withinTime } from './within-time.ts';

/** What is known of the event that a run belongs to; texts are empty for what it does not have. */
export interface Facts {
  readonly event: string;
  readonly action: string;
  readonly branch: string;
  readonly tag: string;
  readonly ref: string;
  readonly commit: string;
  readonly title: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly pullRequest?: { readonly number: number; readonly title: string; readonly base: string;
    readonly head: string; readonly isFork: boolean } | undefined;
  /** Changed files; undefined if that is not known, so that all conditions about paths hold. */
  paths(): Promise<readonly string[] | undefined>;
}

/** The facts of a run that no event has started. */
export const MANUAL: Facts = {
  event: 'manual',
  action: '',
  branch: '',
  tag: '',
  ref: '',
  commit: '',
  title: '',
  author: '',
  labels: [],
  paths: async () => undefined,
};

type Conditions = PipelineConfig['when'] | StepConfig['when'];

/** Characters of a value in a reason. */
const SHOWN = 80;

/**
 * Why something does not run, as a sentence without a subject such as `is for the branches main`; undefined if all
 * conditions hold. Rejects for an expression that cannot be evaluated.
 */
export async function unmet(when: Conditions, facts: Facts): Promise<string | undefined> {
  const { event, branch, tag, author } = when;
  if (event.length > 0 && !(event as readonly string[]).includes(facts.event))
    return `is for ${event.join(', ')}, not for ${facts.event}`;
  return unmatched('branch', branch, facts.branch) ?? unmatched('tag', tag, facts.tag) ??
    unmatched('author', author, facts.author) ?? await unmetPaths(when, facts) ?? await unmetExpression(when, facts);
}

function unmatched(what: string, patterns: readonly string[], value: string): string | undefined {
  if (patterns.length === 0) return undefined;
  if (value === '') return `needs a ${what}, and the event has none`;
  if (withinTime(() => createPathGlobs(patterns)(value))) return undefined;
  return `is not for the ${what} ${value.slice(0, SHOWN).toWellFormed()}`;
}

async function unmetPaths({ paths: patterns }: Conditions, { paths }: Facts): Promise<string | undefined> {
  if (patterns.length === 0) return undefined;
  const changed = await paths();
  if (changed === undefined) return undefined;
  const fits = createPathGlobs(patterns);
  return withinTime(() => changed.some(fits)) ? undefined : 'is for other files than those that have changed';
}

async function unmetExpression({ expression }: Conditions, facts: Facts): Promise<string | undefined> {
  if (expression === '') return undefined;
  const paths = names(expression, 'paths') ? await facts.paths() : [];
  return evaluate(expression, valuesOf(facts, paths ?? [])) ? undefined : 'has an expression that is not true';
}

function valuesOf({ pullRequest: request, labels, paths: _, ...facts }: Facts,
  paths: readonly string[]): ExpressionValues
{
  return {
    ...facts,
    labels: [...labels],
    paths: [...paths],
    // Without a pull request, its number is 0.
    pull_request: {
      number: BigInt(request?.number ?? 0),
      title: request?.title ?? '',
      base: request?.base ?? '',
      head: request?.head ?? '',
      fork: request?.isFork ?? false,
    },
  };
}
