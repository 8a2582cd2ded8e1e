import type { Log } from '../../lib/log.ts';
import { installTracing } from '../../lib/tracing.ts';
import { BUILD_VERSION } from '../specification.ts';

/** Traces by the standard variables of OpenTelemetry (specification, "Environment Variable Specification"). */
export interface TraceSettings {
  /** URL to which spans are exported, as OTLP over HTTP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: 'always_on' | 'always_off' | 'traceidratio' | 'parentbased_always_on' | 'parentbased_always_off'
    | 'parentbased_traceidratio';
  /** Sampling ratio of the samplers by trace id, 0 to 1. */
  readonly ratio: number;
  /** Milliseconds between two exports. */
  readonly delayMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const SAMPLERS: readonly TraceSettings['sampler'][] = ['always_on', 'always_off', 'traceidratio',
  'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'];

/**
 * Undefined if traces are off: no endpoint is set, or they are disabled. Invalid values are replaced by their defaults,
 * as the specification requires.
 */
export function readTraceSettings(env: Environment, defaultName: string): TraceSettings | undefined {
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const url = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (!url || !URL.canParse(url) || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' ||
    env['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const resource = pairs(env['OTEL_RESOURCE_ATTRIBUTES']);
  return {
    url,
    resource,
    headers: pairs(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS']),
    timeoutMs: numberOf(env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] ?? env['OTEL_EXPORTER_OTLP_TIMEOUT'], 10_000, 1,
      600_000),
    serviceName: env['OTEL_SERVICE_NAME'] || resource['service.name'] || defaultName,
    sampler: SAMPLERS.find((name) => name === env['OTEL_TRACES_SAMPLER']) ?? 'parentbased_always_on',
    ratio: numberOf(env['OTEL_TRACES_SAMPLER_ARG'], 1, 0, 1),
    delayMs: numberOf(env['OTEL_BSP_SCHEDULE_DELAY'], 5000, 1, 600_000),
  };
}

function numberOf(text: string | undefined, fallback: number, min: number, max: number): number {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return value >= min && value <= max ? value : fallback;
}

/** `a=1,b=2`, percent-encoded. */
function pairs(text = ''): Record<string, string> {
  const parts = text.split(',').map((part) => part.trim().split('=')).filter(([name, ...rest]) =>
    name && rest.length > 0
  );
  return Object.fromEntries(parts.map(([name, ...rest]) => [name!.trim(), decoded(rest.join('=').trim())]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded
  }
}

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
