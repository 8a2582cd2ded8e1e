/** The entry point of the conditions of pipelines and steps. */
export { expressionProblem } from './expression.ts';
export { type Facts, MANUAL, unmet } from './when.ts';
