import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '../../generated/docs/operations.ts';
import type { DocsAdapter } from '../api/grpc/docs/adapter.ts';
import { addDocsServices, DOCS_SERVICES, type GrpcServer, type GrpcServerOptions, readSchema, serverCredentials,
  startGrpcServer } from '../api/grpc/index.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { SpoolFolder } from '../lib/spool.ts';
import { createAddressReader } from '../lib/trusted-proxies.ts';
import { AccessWatches, type Caller, Reply } from '../operations/index.ts';
import { GrpcClient, type GrpcClientOptions, IMAGE } from './grpc-client.ts';

/** What was invoked, as the adapter passed it on. */
export interface Invocation {
  readonly operation: string;
  readonly input: Record<string, unknown>;
  readonly caller: Caller;
}

export interface FixtureOptions {
  /** Replaces the operations; returns the value or throws. */
  readonly answer?: (invocation: Invocation) => unknown;
  readonly watch?: DocsAdapter['watch'];
  readonly server?: Partial<GrpcServerOptions>;
  readonly client?: GrpcClientOptions;
  readonly accessLog?: boolean;
}

/** For tests: the adapter over a real connection, with operations that a test provides. */
export class GrpcFixture {
  readonly server: GrpcServer;
  readonly client: GrpcClient;
  readonly invocations: Invocation[];
  /** What was logged: level, fields and message. */
  readonly logged: [string, Record<string, unknown>, string][];
  /** Listeners for changes of permissions. */
  readonly changeListeners: ReadonlySet<() => void>;

  private constructor(server: GrpcServer, client: GrpcClient,
    seen: Pick<GrpcFixture, 'invocations' | 'logged' | 'changeListeners'>)
  {
    this.server = server;
    this.client = client;
    this.invocations = seen.invocations;
    this.logged = seen.logged;
    this.changeListeners = seen.changeListeners;
  }

  static async start(options: FixtureOptions = {}): Promise<GrpcFixture> {
    const { answer = () => ({}), watch = () => Promise.reject(new Error('nothing to watch')), accessLog = false } =
      options;
    const invocations: Invocation[] = [];
    const changeListeners = new Set<() => void>();
    const logged: GrpcFixture['logged'] = [];
    const accessWatches = new AccessWatches({
      clock: { now: () => 0 },
      onChange: (listener) => {
        changeListeners.add(listener);
        return () => void changeListeners.delete(listener);
      },
    });
    const invoke: DocsAdapter['invoke'] = async (operation, input, caller) => {
      const invocation = { operation, input: input as Record<string, unknown>, caller };
      invocations.push(invocation);
      const value = await answer(invocation);
      return value instanceof Reply ? value : new Reply(value);
    };
    const schema = readSchema(IMAGE);
    const maxMessageBytes = options.server?.maxMessageBytes ?? 1024 * 1024;
    const log: Log = {
      ...silentLog,
      error: (fields, text) => void logged.push(['error', { ...fields }, text]),
      info: (fields, text) => void logged.push(['info', { ...fields }, text]),
    };
    const server = await startGrpcServer({
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      credentials: serverCredentials(undefined),
      schema,
      maxMessageBytes,
      services: DOCS_SERVICES,
      reflection: true,
      serve: (grpc) =>
        addDocsServices(grpc, {
          schema,
          operations,
          log,
          accessLog,
          maxMessageBytes,
          watch,
          spools: new SpoolFolder(join(tmpdir(), `quire-grpc-fixture-${process.pid}`)),
          readAddress: createAddressReader([]),
          follow: (_, check) =>
            accessWatches.follow(async () => {
              await check?.();
              return undefined;
            }),
          invoke,
          admitToEvents: (input, caller) => invoke('streamEvents', input, caller),
        }),
      ...options.server,
    });
    return new GrpcFixture(server, new GrpcClient(server.url, options.client), {
      invocations,
      logged,
      changeListeners,
    });
  }

  get input(): Record<string, unknown> {
    return this.invocations[0]!.input;
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.server.stop(0);
  }
}
