import { create } from '@bufbuild/protobuf';
import { resolve } from 'node:path';
import { DownloadArtifactsRequestSchema, type ShipMessage } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Environment, inDataDir, type RunsConfig, secretFiles } from '../../runs/config/index.ts';
import { FleetRefusal, type FleetService, type Peer, type Session } from '../../runs/fleet/index.ts';
import { createExecutor } from '../../ship/execute/index.ts';
import { type ControlStream, createDiskSpools, createShip, type Executor, RefusedCall, type ShipLink, type ShipTime,
  type StreamEvents, systemShipTime } from '../../ship/index.ts';
import { describeMachine } from '../ship/this-machine.ts';
import { BUILD_VERSION } from '../specification.ts';

interface LocalWorkOptions {
  readonly settings: RunsConfig;
  /** The environment that its work inherits, and the keys of AI roles that are set. */
  readonly variables: Environment;
  /** The file of the configuration; undefined for a URL. */
  readonly configFile: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The executor of the ship in the server's own process. Throws a `ConfigError` if steps cannot run with this
 * configuration.
 */
export function createLocalExecutor({ settings, variables, configFile, clock, log }: LocalWorkOptions): Executor {
  const { sandbox, run_as: runAs, user_ids: userIds, hide, git_protocols: gitProtocols, cache_size: limit } =
    settings.local;
  return createExecutor({
    workDir: inDataDir(settings, 'work'),
    keep: { folder: inDataDir(settings, 'cache'), limit },
    gitProtocols,
    sandbox,
    runAs,
    userIds,
    env: variables,
    clock,
    log: log.child({ ship: 'local' }),
    version: BUILD_VERSION,
    hide: [...filesOfService(settings), ...(configFile === undefined ? [] : [configFile]),
      ...hide.map((path) => inDataDir(settings, path))],
  });
}

/** The files of the service, at their configured paths. */
function filesOfService(settings: RunsConfig): string[] {
  const { sqlite } = settings.storage;
  const database = inDataDir(settings, sqlite.path);
  const { cert, key } = settings.tls;
  return [resolve(settings.data_dir), ...['', '-wal', '-shm'].map((end) => `${database}${end}`),
    inDataDir(settings, settings.fleet.ca_dir), ...(cert === '' ? [] : [resolve(key)]), ...secretFiles(settings)];
}

interface LocalShipOptions {
  readonly service: FleetService;
  readonly settings: RunsConfig;
  /** The environment that its work inherits, and the keys of AI roles that are set. */
  readonly variables: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly executor: Executor;
}

/** The ship in the server's own process. */
export interface LocalShip {
  /** Number of runs in progress. */
  readonly running: number;
  /**
   * Accepts no more runs, gives back what still runs after `graceMs`, and waits until nothing is left. Safe to call
   * twice; the service must still be running.
   */
  stop(graceMs: number): Promise<void>;
  /** Gives back the runs in progress without waiting any longer. */
  hurry(): void;
}

/**
 * Starts the in-process ship: the same program as a remote one, with direct calls to the fleet instead of gRPC
 * (decisions, section 5).
 */
export function startLocalShip(options: LocalShipOptions): LocalShip {
  const { service, settings, variables, clock } = options;
  const { capacity } = settings.local;
  const log = options.log.child({ ship: 'local' });
  const time: ShipTime = { ...systemShipTime, clock };
  const { executor } = options;
  const ship = createShip({
    link: directLink(service, { shipId: `local:${settings.node_id}` }),
    executor,
    time,
    log,
    spools: createDiskSpools(inDataDir(settings, 'spool')),
    description: describeMachine({ name: 'local', capacity, ephemeral: false }, variables),
  });
  const ended = ship.run();
  return {
    get running() {
      return ship.running;
    },
    async stop(graceMs) {
      ship.drain({ exit: true });
      const over = new AbortController();
      void time.timer.sleep(graceMs, over.signal).then(() => {
        if (!over.signal.aborted) ship.stop();
      });
      await ended;
      over.abort();
    },
    hurry: () => ship.stop(),
  };
}

/**
 * Messages are delivered on the next turn of the event loop, as over a network, so that neither side is called while it
 * is calling the other.
 */
function directLink(service: FleetService, peer: Peer): ShipLink {
  return {
    connect: (events) => connect(service, peer, events),
    appendLogs: (request) => refusing(service.appendLogs(peer, request)),
    completeRun: (request) => refusing(service.completeRun(peer, request)),
    recordSource: (request) => refusing(service.recordSource(peer, request)),
    downloadArtifacts: (ref, signal) =>
      untilAborted(service.downloadArtifacts(peer, create(DownloadArtifactsRequestSchema, { ref })), signal),
    uploadArtifact: (parts, signal) => refusing(service.uploadArtifact(peer, untilAborted(parts, signal))),
    downloadCache: (request, signal) => untilAborted(service.downloadCache(peer, request), signal),
    discardCache: (request) => refusing(service.discardCache(peer, request)),
    uploadCache: (parts, signal) => refusing(service.uploadCache(peer, untilAborted(parts, signal))),
  };
}

const REASONS = {
  ok: 'lost',
  unavailable: 'lost',
  permission_denied: 'denied',
  not_found: 'unknown',
  failed_precondition: 'outdated',
} as const;

function connect(service: FleetService, peer: Peer, events: StreamEvents): ControlStream {
  let isOver = false;
  let hasEnded = false;
  const soon = (deliver: () => void): void =>
    void setImmediate(() => {
      if (!isOver) deliver();
    });
  const session: Session = service.connect(peer, {
    send: (message) => soon(() => events.message(message)),
    close: (status, reason) =>
      soon(() => {
        isOver = true;
        hasEnded = true;
        events.ended(REASONS[status], reason);
      }),
  });
  return {
    send: (message: ShipMessage) => {
      if (!isOver) setImmediate(() => void session.receive(message));
    },
    close: () => {
      isOver = true;
      if (!hasEnded) setImmediate(() => session.ended());
      hasEnded = true;
    },
  };
}

async function* untilAborted<T>(parts: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
  }
}

async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FleetRefusal && error.status === 'invalid_argument')
      throw new RefusedCall(error.message, { cause: error });
    throw error;
  }
}
