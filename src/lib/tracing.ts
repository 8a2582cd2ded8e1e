export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** Low cardinality: a route or an operation, never text from a client. */
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** A W3C `traceparent` that the request brought. An enclosing span within this process takes precedence. */
  readonly parent?: string | undefined;
}

/** A span whose work is in progress. */
export interface OpenSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed even though its work returns. */
  fail(message: string): void;
  /** Its own W3C `traceparent`, to be sent with outgoing calls. */
  readonly traceparent: string;
}

/** A span whose times and ids are already known when it is recorded. */
export interface FinishedSpan {
  readonly name: string;
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** The parent in the same trace; absent for the first span of a trace. */
  readonly parentSpanId?: string;
  /** A W3C `traceparent` of a span that is related to this one. */
  readonly link?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly error?: string | undefined;
}

/** Records spans. Exists only while tracing is on. */
export interface Tracing {
  /**
   * Runs the work within a span that ends with the work, also if it is asynchronous. Errors are recorded and thrown
   * again.
   */
  within<T>(start: SpanStart, work: (span: OpenSpan) => T): T;
  /** The W3C `traceparent` of the span that encloses the caller; undefined if there is none. */
  traceparent(): string | undefined;
  record(span: FinishedSpan): void;
  /** Whether spans of a trace would be exported. */
  samples(traceId: string): boolean;
}

let active: Tracing | undefined;

/**
 * Returns the recorder of spans; undefined while tracing is off, which is the usual case. Hot paths check this first,
 * so that they cost nothing then:
 *
 *     const tracing = currentTracing();
 *     return tracing === undefined ? work() : tracing.within({ name: 'work' }, work);
 */
export function currentTracing(): Tracing | undefined {
  return active;
}

/**
 * Switches tracing on or, with undefined, off for the whole process. Called at the start of the process and in tests.
 */
export function installTracing(tracing: Tracing | undefined): void {
  active = tracing;
}
