export { LineSplitter } from './line-splitter.ts';
export { RunOutput, type OutputWriter } from './run-output.ts';
