import { Environment } from '@marcbachmann/cel-js';
import { withinTime } from './within-time.ts';

/** What expressions see, by name. */
const VARIABLES = {
  event: 'string',
  action: 'string',
  branch: 'string',
  tag: 'string',
  ref: 'string',
  commit: 'string',
  title: 'string',
  author: 'string',
  paths: 'list<string>',
  labels: 'list<string>',
  pull_request: 'map',
} as const;

/** Values of the variables of an expression; numbers are bigints. */
export type ExpressionValues = Readonly<Record<keyof typeof VARIABLES, unknown>>;

const LIMITS = { maxAstNodes: 500, maxDepth: 40, maxListElements: 100, maxMapEntries: 50, maxCallArguments: 8 };

let environment: Environment | undefined;

/** Made when it is first used, because most configurations have no expression. */
function cel(): Environment {
  environment ??= Object.entries(VARIABLES).reduce<Environment>(
    (made, [name, type]) => made.registerVariable(name, type),
    new Environment({ limits: LIMITS }),
  );
  return environment;
}

/** What is wrong with an expression; undefined for one that can be evaluated to true or false. */
export function expressionProblem(expression: string): string | undefined {
  const { valid, type, error } = cel().check(expression);
  if (!valid) return firstLine(error);
  return type === 'bool' || type === 'dyn' ? undefined : `expected true or false, got a value of the type ${type}`;
}

/** Whether an expression names a variable. */
export const names = (expression: string, variable: keyof ExpressionValues): boolean => expression.includes(variable);

/**
 * The value of an expression. Throws an `Error` with a readable reason if it has none, is no truth value, or takes too
 * long: it comes from a repository, and expressions can repeat over lists and match regular expressions.
 */
export function evaluate(expression: string, values: ExpressionValues): boolean {
  let value: unknown;
  try {
    value = withinTime(() => cel().evaluate(expression, values) as unknown);
  } catch (cause) {
    throw new Error(firstLine(cause), { cause });
  }
  if (typeof value !== 'boolean') throw new Error('expected true or false');
  return value;
}

/** Further lines show the place in the text. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!.slice(0, 300);
}
