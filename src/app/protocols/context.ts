import type { Operations } from '../../../generated/docs/operations.ts';
import type { DocumentService } from '../../docs/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { SpoolFolder } from '../../lib/spool.ts';
import type { TlsSource } from '../../lib/tls.ts';
import type { Invoke, Permits } from '../../operations/index.ts';
import type { Settings } from '../settings/index.ts';
import type { SpecificationFiles } from '../specification.ts';
import type { WorkerPool } from '../workers/index.ts';
import type { SharedLimits } from './limits.ts';

/** What the protocols need of the service that they make reachable. */
export interface ServedService {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly service: DocumentService;
  /** The way to every operation, the same for all protocols. */
  readonly invoke: Invoke<Operations>;
  /** Tells what a caller may have success with. */
  readonly permits: Permits;
  readonly specification: SpecificationFiles;
  /** Milliseconds that a request may take. */
  readonly requestLimitMs: number;
  /** Where files are kept while their request is dealt with. */
  readonly spools: SpoolFolder;
  /** Processes that share the port of HTTP; absent where this one is alone. */
  readonly workers?: WorkerPool | undefined;
  /** Checks every answer against the specification; for tests. */
  readonly validateResponses: boolean;
}

/** The same for a protocol that listens. */
export interface ProtocolContext extends ServedService, SharedLimits {
  /** Certificates of the listeners that have a port; absent without TLS. */
  readonly tls?: TlsSource | undefined;
  /** What `Alt-Svc` says of HTTP/3; absent where that is not served. */
  readonly alternative?: string | undefined;
}

/** The same for the port of HTTP, where nothing lists tools. */
export type WebContext = Omit<ProtocolContext, 'permits'>;

/** A protocol that is being served on an address of its own. */
export interface Listener {
  /** As clients write it, with the port that was really taken. */
  readonly url: string;
  /** Refuses new requests, waits that long for those in flight, and closes. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}
