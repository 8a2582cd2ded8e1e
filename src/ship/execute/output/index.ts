export { LineSplitter } from './line-splitter.ts';
export { type OutputWriter, RunOutput } from './run-output.ts';
