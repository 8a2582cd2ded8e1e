/** The entry point of the code graph area. */
export { type CodeGraphArea, createCodeGraph } from './code-graph.ts';
