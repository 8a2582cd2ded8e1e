import { type Context, isSpanContextValid, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace,
  TraceFlags, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOffSampler, AlwaysOnSampler, BatchSpanProcessor, type IdGenerator, ParentBasedSampler, RandomIdGenerator,
  type Sampler, SamplingDecision, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FinishedSpan, OpenSpan, SpanStart, Tracing } from '../../lib/tracing.ts';
import type { TraceSettings } from './index.ts';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** https://www.w3.org/TR/trace-context/#traceparent-header; later versions may append more fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/**
 * Spans by OpenTelemetry, exported in batches as OTLP. Imported only if traces are on, because the packages take a
 * while to load.
 */
export class OpenTelemetryTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #sampler: Sampler;
  readonly #ids = new ChosenIds();
  readonly #spans = new AsyncLocalStorage<Span>();

  constructor(settings: TraceSettings, version: string) {
    const { url, headers, timeoutMs, serviceName, resource, delayMs } = settings;
    this.#sampler = samplerOf(settings);
    this.#provider = new TracerProvider({
      sampler: this.#sampler,
      idGenerator: this.#ids,
      resource: defaultResource().merge(
        resourceFromAttributes({ ...resource, 'service.name': serviceName, 'service.version': version }),
      ),
      spanProcessors: [new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs }),
        scheduledDelayMillis: delayMs,
      })],
    });
    this.#tracer = this.#provider.getTracer('quire', version);
  }

  within<T>({ name, kind = 'internal', attributes = {}, parent }: SpanStart, work: (span: OpenSpan) => T): T {
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } },
      this.#contextFor(parent));
    return this.#spans.run(span, () => ending(span, () => work(opened(span))));
  }

  traceparent(): string | undefined {
    const span = this.#spans.getStore();
    return span && format(span.spanContext());
  }

  record({ name, traceId, spanId, parentSpanId, link, startMs, endMs, attributes, error }: FinishedSpan): void {
    const parent = parentSpanId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, {
      traceId,
      spanId: parentSpanId,
      traceFlags: this.samples(traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE,
    });
    const linked = link === undefined ? undefined : parsed(link);
    const span = this.#ids.choosing(traceId, spanId, () =>
      this.#tracer.startSpan(name, {
        startTime: startMs,
        attributes: { ...attributes },
        ...(linked && { links: [{ context: linked }] }),
      }, parent));
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(Math.max(startMs, endMs));
  }

  samples(traceId: string): boolean {
    return this.#sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []).decision ===
      SamplingDecision.RECORD_AND_SAMPLED;
  }

  /** Exports the remaining spans. Never rejects: an unavailable receiver must not delay the exit. */
  async stop(): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }

  #contextFor(traceparent: string | undefined): Context {
    const enclosing = this.#spans.getStore();
    if (enclosing !== undefined) return trace.setSpan(ROOT_CONTEXT, enclosing);
    const remote = traceparent === undefined ? undefined : parsed(traceparent);
    return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true });
  }
}

function ending<T>(span: Span, work: () => T): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    throw failed(span, error);
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  return result.then((value: unknown) => {
    span.end();
    return value;
  }, (error: unknown) => {
    throw failed(span, error);
  }) as T;
}

/** The class and the code of an error, not its message, which may quote a user's text. */
function failed(span: Span, error: unknown): unknown {
  const type = (error as { readonly code?: unknown } | undefined)?.code ??
    (error instanceof Error ? error.name : typeof error);
  span.setAttribute('error.type', String(type));
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  return error;
}

function opened(span: Span): OpenSpan {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
    get traceparent() {
      return format(span.spanContext());
    },
  };
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function parsed(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
  return isSpanContextValid(context) ? context : undefined;
}

function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const root = (): Sampler => {
    if (sampler.endsWith('always_off')) return new AlwaysOffSampler();
    return sampler.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
  };
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root: root() }) : root();
}

/** Returns random ids, except for spans that already have ids. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #chosen: { readonly traceId: string; readonly spanId: string } | undefined;

  choosing<T>(traceId: string, spanId: string, start: () => T): T {
    this.#chosen = { traceId, spanId };
    try {
      return start();
    } finally {
      this.#chosen = undefined;
    }
  }

  generateTraceId(): string {
    return this.#chosen?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#chosen?.spanId ?? this.#random.generateSpanId();
  }
}
