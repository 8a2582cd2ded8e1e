import type { Log } from '../../lib/log.ts';
import { installTracing } from '../../lib/tracing.ts';
import { BUILD_VERSION } from '../specification.ts';
import type { TraceSettings } from './trace-settings.ts';

export { readTraceSettings, type TraceSettings } from './trace-settings.ts';

/** Ends what `startTracing` started, after all traced work has ended. */
export type EndTracing = () => Promise<void>;

const nothing: EndTracing = async () => undefined;

/**
 * Switches traces on for this process; with undefined they stay off, and no package of OpenTelemetry is loaded. These
 * packages are optional: without them the service still starts, and the log says what to install.
 */
export async function startTracing(settings: TraceSettings | undefined, log: Log): Promise<EndTracing> {
  if (settings === undefined) return nothing;
  try {
    const { OpenTelemetryTracing } = await import('./open-telemetry.ts');
    const tracing = new OpenTelemetryTracing(settings, BUILD_VERSION);
    installTracing(tracing);
    log.info({ sampler: settings.sampler, service: settings.serviceName }, 'traces are posted by OpenTelemetry');
    return async () => {
      installTracing(undefined);
      await tracing.stop();
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    log.warn({ err: error },
      'no traces: @opentelemetry/api, sdk-trace, resources and exporter-trace-otlp-http are not installed');
    return nothing;
  }
}

/** A service whose stop ends the traces last. */
export function tracedUntilStopped<R extends { stop(): Promise<void> }>(running: R, end: EndTracing): R {
  return { ...running, stop: () => running.stop().finally(end) };
}
