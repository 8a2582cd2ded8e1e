import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '../../lib/log.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { parseRunsConfig } from '../config/index.ts';
import type { Definition } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Claim, RunRecord } from '../queue/port.ts';
import { Secrets } from './secrets.ts';

/** A request that a fake store has received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A store of secrets on loopback, which answers as its test says. */
export class FakeStore {
  readonly url: string;
  readonly received: Received[] = [];
  answer: (request: Received) => { readonly status: number; readonly body?: unknown } = () => ({ status: 404 });
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<FakeStore> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const store = new FakeStore(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const received = { method: request.method!, path: request.url!, headers: request.headers, body };
        store.received.push(received);
        const { status, body: answer = {} } = store.answer(received);
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    return store;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => undefined);
  }
}

/** The secrets of a configuration, with a clock of their own. */
export class SecretsFixture {
  readonly clock = { ms: Date.parse('2026-01-01T00:00:00Z'), now: (): number => this.clock.ms };
  readonly timer = new ManualTimer();
  readonly variables: Record<string, string | undefined> = {};
  readonly runs = new Map<string, Partial<RunRecord>>();
  readonly logged: unknown[] = [];
  readonly secrets: Secrets;
  #loaded: ReturnType<RunsEnvironment['config']['current']> | undefined;

  constructor(config: string) {
    this.configure(config);
    const env = {
      clock: this.clock,
      timer: this.timer,
      log: { ...silentLog, error: (...line: unknown[]) => void this.logged.push(line) },
      config: { current: () => this.#loaded!, onChange: () => () => {} },
    };
    this.secrets = new Secrets(env as unknown as RunsEnvironment, {
      variables: this.variables,
      queue: { get: async (id) => this.runs.get(id) as RunRecord | undefined },
    });
  }

  configure(config: string): void {
    this.#loaded = {
      config: parseRunsConfig(
        `projects: [{id: alpha, repository: org/alpha}, {id: beta, repository: org/beta}]\n${config}`,
      ),
      apiTokens: [],
      source: '',
      folder: '/',
      readOnly: false,
      hash: '',
    };
  }

  /** The values of these secrets for a run, by default one of alpha that a person has queued. */
  async values(names: readonly string[], run: Partial<RunRecord> = {},
    more: Partial<Definition> = {}): Promise<Record<string, string>>
  {
    const record = { id: 'r', projectId: 'alpha', source: 'api', rootId: 'r', parentId: null, ...run };
    const claim = { run: record, definition: { secrets: names, ...more } } as unknown as Claim;
    return Object.fromEntries(await this.secrets.valuesFor(claim));
  }

  /** Why a run does not get them. */
  why(names: readonly string[], run: Partial<RunRecord> = {}): Promise<string> {
    return this.values(names, run).then((values) => `got ${Object.keys(values).join()}`,
      (error: Error) => error.message);
  }
}
