import type { SendHandle } from 'node:child_process';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRoutes, flatErrors, listenOn, type SocketSource, startHttpServer,
  usualLimits } from '../../api/http/index.ts';
import { createDocumentService, type DocumentService } from '../../docs/index.ts';
import { type Clock, systemTimer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { SpoolFolder } from '../../lib/spool.ts';
import { LSN_HEADER, MIN_LSN_HEADER } from '../../operations/index.ts';
import { BodyCodec, ChangeFeed, SqliteFollower } from '../../storage/index.ts';
import { readCertificates } from '../certificates.ts';
import { createServiceInvoke, keysOf, REQUEST_LIMIT_MS, toDocsSettings } from '../docs-service.ts';
import { createHttpListener } from '../protocols/http.ts';
import { createClientBounds } from '../protocols/limits.ts';
import type { Settings } from '../settings/index.ts';
import { readSpecification } from '../specification.ts';
import { Arrivals, Forwarder, localOperations } from './forward.ts';
import type { ToPrimary, ToWorker } from './messages.ts';
import { NoteBatch, PrimaryLimit, PrimarySlowBodies } from './primary.ts';

interface WorkerOptions {
  readonly settings: Settings;
  /** Unix socket at which the primary accepts forwarded requests. */
  readonly socket: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly say: (message: ToPrimary) => void;
}

export interface RunningWorker {
  /** Processes messages of the primary, except those for starting and stopping. */
  receive(message: ToWorker, handle: SendHandle | undefined): void;
  /** Finishes the requests in flight, for at most the given milliseconds, and closes everything. */
  stop(graceMs: number): Promise<void>;
}

/**
 * A process that serves reads of the document service from its own indexes over the database that the primary writes,
 * and forwards everything else to the primary. Resolves before its indexes are ready: until then, everything is
 * forwarded.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { settings, socket, log, clock, say } = options;
  const keys = keysOf(settings);
  const sql = new SqliteFollower(settings.database.path, keys);
  const feed = new ChangeFeed(sql, clock, { shared: true });
  const notes = new NoteBatch((batch) => say({ type: 'notes', notes: batch }));
  const service = await createDocumentService({
    sql,
    feed,
    clock,
    log,
    keys,
    codec: new BodyCodec(settings.compression),
    settings: { ...toDocsSettings(settings), mode: 'read' },
    relay: notes,
  });
  const limit = new PrimaryLimit((id, sender) => say({ type: 'admit', id, sender }));
  const tls = settings.http.addr.kind === 'unix' ? undefined : await readCertificates(settings, log);
  const specification = await readSpecification('docs');
  const slowBodies = new PrimarySlowBodies(say);
  const clients = createClientBounds(settings, slowBodies);
  const { readAddress } = clients;
  const local = await createHttpListener({
    settings: { ...settings, graphql: { ...settings.graphql, enabled: false } },
    log,
    clock,
    service,
    specification,
    readAddress,
    clients,
    invoke: createServiceInvoke(settings, { service, clock, refresh: () => service.refresh() }, specification),
    requestLimitMs: REQUEST_LIMIT_MS,
    validateResponses: false,
    spools: new SpoolFolder(join(tmpdir(), `quire-worker-${process.pid}`)),
    limit: settings.rateLimit.enabled ? limit : undefined,
  });
  const forwarder = new Forwarder({ socket, readAddress });
  const sockets = new ChannelSockets();
  const server = await startHttpServer(listenerOf(settings, service, local, forwarder), listenOn(settings.http.addr),
    flatErrors, { tls, log, clients, limits: usualLimits(settings.limits.bodyTimeout), sockets });
  tls?.follow(systemTimer);
  service.readiness.follow((ready) => say({ type: 'ready', ready }));
  return {
    receive(message, handle) {
      if (message.type === 'connection') {
        say({ type: 'taken', id: message.id });
        sockets.take(handle as Socket | undefined);
      } else if (message.type === 'changed')
        void service.refresh().catch((error: unknown) => log.warn({ err: error }, 'changes could not be read'));
      else if (message.type === 'admitted') limit.settle(message);
      else if (message.type === 'end-slow') slowBodies.end(message);
      else if (message.type === 'count')
        void service.system.counters().then((counters) =>
          say({ type: 'counted', id: message.id, counters, memory: process.memoryUsage.rss() })
        );
      else if (message.type === 'reload') void tls?.reload();
    },
    async stop(graceMs) {
      await server.stop(graceMs);
      // Sent long before the process exits, so that the primary receives them.
      notes.flush();
      await tls?.stop();
      forwarder.close();
      await service.stop();
      await sql.close();
    },
  };
}

/** Decides what is served here and what is forwarded. */
function listenerOf(settings: Settings, service: DocumentService, local: RequestListener,
  forwarder: Forwarder): RequestListener
{
  const routes = createRoutes(localOperations({ notesReads: settings.temporal.enabled }));
  const sessions = new ConnectionSessions();
  const forward = (request: IncomingMessage, response: ServerResponse): void =>
    forwarder.forward(request, response, (headers) => sessions.note(request, headers));
  const arrivals = new Arrivals(() => service.refresh());
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // If the current permissions cannot be read, no request is served with outdated ones.
    if (!await arrivals.current() || !service.canRead) return forward(request, response);
    sessions.continue(request);
    local(request, response);
  };
  return (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const match = routes.match(request.method ?? '', path);
    if (match === undefined || !('spec' in match) || !service.canRead) forward(request, response);
    else void serve(request, response);
  };
}

/** Accepts the connections that arrive over the channel. */
class ChannelSockets implements SocketSource {
  #take: ((socket: Socket) => void) | undefined;

  async open(_listen: Parameters<SocketSource['open']>[0], take: (socket: Socket) => void): Promise<undefined> {
    this.#take = take;
  }

  close(): void {
    this.#take = undefined;
  }

  /** Undefined if the connection was closed during the transfer. */
  take(socket: Socket | undefined): void {
    if (this.#take === undefined) socket?.destroy();
    else if (socket !== undefined) this.#take(socket);
  }
}

const LSN = LSN_HEADER.toLowerCase();
const MIN_LSN = MIN_LSN_HEADER.toLowerCase();

/**
 * The LSN that each connection has written, so that its later reads see the write here, although the primary wrote it.
 */
class ConnectionSessions {
  readonly #written = new WeakMap<Socket, number>();

  /** Records the LSN of a response that the primary sent. */
  note({ socket }: IncomingMessage, answer: IncomingHttpHeaders): void {
    const lsn = Number(answer[LSN]);
    if (lsn > (this.#written.get(socket) ?? 0)) this.#written.set(socket, lsn);
  }

  /** Makes a request wait for what its connection has written. An invalid header is kept, so that it is rejected. */
  continue({ socket, headers }: IncomingMessage): void {
    const written = this.#written.get(socket);
    if (written === undefined) return;
    const named = headers[MIN_LSN];
    if (named === undefined || Number(named) < written) headers[MIN_LSN] = String(written);
  }
}
