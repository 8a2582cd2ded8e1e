/**
 * Loaded before a server (`node --import`): prints to standard error, at its end, how long its event loop was blocked.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();
// Delays before the server listens affect no client.
setTimeout(() => histogram.reset(), 1500).unref();

process.on('exit', () => {
  const [p50, p99, p999, max] = [histogram.percentile(50), histogram.percentile(99), histogram.percentile(99.9),
    histogram.max].map((nanoseconds) => (nanoseconds / 1e6).toFixed(1));
  process.stderr.write(`event loop delay in ms: p50 ${p50}, p99 ${p99}, p99.9 ${p999}, max ${max}\n`);
});
