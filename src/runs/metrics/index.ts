/** The entry point of the metrics area. */
export { type BackupNumbers, createMetrics, type FleetNumbers } from './metrics.ts';
export { createRecorder, type Recorder } from './recorder.ts';
