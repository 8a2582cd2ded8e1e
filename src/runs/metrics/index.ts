/** The entry point of the metrics area. */
export { type BackupNumbers, createMetrics, type FleetNumbers, type MetricsDeps, type RunMetrics } from './metrics.ts';
export type { Recorder } from './recorder.ts';
