/** Loaded before a server (`node --import`): tells on standard error, when it ends, how long its event loop was held. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();
// What happens until the server listens holds nobody up.
setTimeout(() => histogram.reset(), 1500).unref();

process.on('exit', () => {
  const [p50, p99, p999, max] = [histogram.percentile(50), histogram.percentile(99), histogram.percentile(99.9), histogram.max].map((nanoseconds) => (nanoseconds / 1e6).toFixed(1));
  process.stderr.write(`event loop delay in ms: p50 ${p50}, p99 ${p99}, p99.9 ${p999}, max ${max}\n`);
});
