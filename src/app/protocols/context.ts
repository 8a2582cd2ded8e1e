import type { Operations } from '../../../generated/docs/operations.ts';
import type { SharingService } from '../../api/grpc/index.ts';
import type { DocumentService } from '../../docs/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { SpoolFolder } from '../../lib/spool.ts';
import type { TlsSource } from '../../lib/tls.ts';
import type { Caller, Invoke, Permits } from '../../operations/index.ts';
import type { Settings } from '../settings/index.ts';
import type { SpecificationFiles } from '../specification.ts';
import type { WorkerSupervisor } from '../workers/worker-supervisor.ts';
import type { SharedLimits } from './limits.ts';

/** What the protocols need of the service. */
export interface ServedService {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  readonly service: DocumentService;
  /** Invokes every operation, the same for all protocols. */
  readonly invoke: Invoke<Operations>;
  /** What other nodes over the same database ask; absent if this one shares no indexes with them. */
  readonly sharing?: SharingService | undefined;
  /** Tells which operations can succeed for a caller. */
  readonly permits: Permits;
  /** Throws for callers and inputs that `streamEvents` would refuse; no stream is opened. */
  readonly admitToEvents: (input: { readonly collection?: string }, caller: Caller) => Promise<unknown>;
  readonly specification: SpecificationFiles;
  /** Milliseconds that a request may take. */
  readonly requestLimitMs: number;
  /** Where files are stored while their request is processed. */
  readonly spools: SpoolFolder;
  /** Processes that share the port of HTTP; absent if this process is the only one. */
  readonly workers?: WorkerSupervisor | undefined;
  /** Checks each response against the specification; for tests. */
  readonly validateResponses: boolean;
}

/** The same for a protocol that listens. */
export interface ProtocolContext extends ServedService, SharedLimits {
  /** Certificates of the listeners that have a port; absent without TLS. */
  readonly tls?: TlsSource | undefined;
  /** The value of `Alt-Svc` for HTTP/3; absent if HTTP/3 is not served. */
  readonly alternative?: string | undefined;
}

/** The same for the port of HTTP, which lists no tools and where the stream of events is an operation. */
export type WebContext = Omit<ProtocolContext, 'permits' | 'admitToEvents'>;

/** A protocol that is served on its own address. */
export interface Listener {
  /** The form that clients write, with the port that is actually used. */
  readonly url: string;
  /** Rejects new requests, waits for those in flight for at most this long, and closes. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}
