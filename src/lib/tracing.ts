export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** Low cardinality: a route, an operation, never what a client wrote. */
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** A W3C `traceparent` that the request brought; what encloses the work within this process wins. */
  readonly parent?: string | undefined;
}

/** A span while its work is under way. */
export interface OpenSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed although its work returns. */
  fail(message: string): void;
  /** Its own W3C `traceparent`, for whom it calls. */
  readonly traceparent: string;
}

/** A span whose times and ids are known when it is told. */
export interface FinishedSpan {
  readonly name: string;
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** Of the same trace; absent for the first span of it. */
  readonly parentSpanId?: string;
  /** A W3C `traceparent` that it has to do with. */
  readonly link?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly error?: string | undefined;
}

/** What records spans. Exists only where traces are switched on. */
export interface Tracing {
  /** Does the work within a span, which ends with it, also when it is asynchronous. What it throws is recorded and thrown on. */
  within<T>(start: SpanStart, work: (span: OpenSpan) => T): T;
  /** The W3C `traceparent` of the span that encloses the caller; undefined outside of all. */
  traceparent(): string | undefined;
  record(span: FinishedSpan): void;
  /** Whether spans of a trace would be exported. */
  samples(traceId: string): boolean;
}

let active: Tracing | undefined;

/**
 * What records spans; undefined while traces are off, which is the usual case. Hot paths ask for it first, so that
 * they cost nothing then:
 *
 *     const tracing = currentTracing();
 *     return tracing === undefined ? work() : tracing.within({ name: 'work' }, work);
 */
export function currentTracing(): Tracing | undefined {
  return active;
}

/** Switches traces on or, with undefined, off, for the whole process. For its start, and for tests. */
export function installTracing(tracing: Tracing | undefined): void {
  active = tracing;
}
