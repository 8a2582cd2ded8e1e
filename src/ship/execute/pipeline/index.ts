export { clearAbandonedWork } from './abandoned-work.ts';
export { runPipeline } from './run-pipeline.ts';
