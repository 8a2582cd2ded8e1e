/** The entry point of the code graph area. */
export { createCodeGraph, type CodeGraphArea } from './code-graph.ts';
