import { readFileSync } from 'node:fs';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { graphqlEndpoint, playgroundPages } from '../../api/graphql/index.ts';
import { createHttpApp, type Exchange, flatErrors, startHttpServer } from '../../api/http/index.ts';
import { DOCS_INPUTS } from '../../docs/test-fixture.ts';
import type { Timer } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { type AccessMode, type Caller, createInvoker, type Guard, type Handlers,
  type RateLimit } from '../../operations/index.ts';
import { type Answer, HttpClient } from '../http-client.ts';

const file = (name: string): string =>
  readFileSync(new URL(`../../../generated/docs/${name}`, import.meta.url), 'utf8');

export interface FixtureOptions {
  readonly handlers?: Handlers<Operations>;
  /** Checks the callers; if absent, everyone may do everything. */
  readonly guard?: Guard & { isKnown(caller: Caller): Promise<boolean> };
  readonly mode?: AccessMode;
  readonly maxBodyBytes?: number;
  readonly timeoutMs?: number;
  /** Measures the time of whole requests. */
  readonly timer?: Timer;
  readonly limit?: RateLimit;
  readonly answerBytes?: number;
}

export interface GraphqlAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly { line: number; column: number }[];
    readonly extensions: { readonly code: string; readonly status: number; readonly requestId?: string;
      readonly errors?: string[] };
  }[];
}

/** GraphQL over a real server and the real pipeline, with handlers that the test provides. */
export class GraphqlFixture {
  readonly client: HttpClient;
  readonly url: string;
  /** What was logged as an error. */
  readonly logged: object[] = [];
  readonly accessLog: Record<string, unknown>[] = [];
  readonly exchanges: Exchange[] = [];
  /** Operations that were invoked, in order, also those that refused the caller. */
  readonly invoked: string[] = [];
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url;
    this.client = new HttpClient(url);
    this.#stop = stop;
  }

  static async open(
    { handlers = {}, guard, mode = 'wr', maxBodyBytes = 1_000_000, timeoutMs = 0, timer, limit, answerBytes }:
      FixtureOptions = {},
  ): Promise<GraphqlFixture> {
    const opened: { fixture?: GraphqlFixture } = {};
    const log: Log = {
      ...silentLog,
      error: (fields) => void opened.fixture?.logged.push(fields),
      info: (fields) => void opened.fixture?.accessLog.push(fields as Record<string, unknown>),
    };
    const invoke = createInvoker<Operations>({
      operations,
      handlers,
      timeoutMs,
      strictInput: true,
      mode: () => mode,
      inputs: DOCS_INPUTS,
      ...(guard && { guard }),
      observe: ({ operation }) => void opened.fixture?.invoked.push(operation.id),
    });
    const isKnown = guard && ((caller: Caller) => guard.isKnown(caller));
    const endpoint = graphqlEndpoint('/graphql', {
      invoke,
      log,
      maxBodyBytes,
      isKnown,
      timeoutMs,
      timer,
      limit,
      answerBytes,
    });
    const app = await createHttpApp<Operations>({
      title: 'Test',
      specification: { json: file('openapi.json'), yaml: '', plainJson: '' },
      operations,
      invoke,
      errors: flatErrors,
      log,
      maxBodyBytes,
      corsOrigins: ['*'],
      accessLog: true,
      observe: (exchange) => void opened.fixture?.exchanges.push(exchange),
      extensions: [endpoint, playgroundPages('/playground', '/graphql')],
    });
    const server = await startHttpServer(app.callback(), { host: '127.0.0.1', port: 0 }, flatErrors);
    opened.fixture = new GraphqlFixture(server.url, () => server.stop(100));
    return opened.fixture;
  }

  /** The response to a query over POST, which must have the status 200. */
  async ask(query: string, variables?: object, headers: Record<string, string> = {}): Promise<GraphqlAnswer> {
    const answer = await this.send({ query, variables }, headers);
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${answer.text.slice(0, 500)}`);
    return answer.json<GraphqlAnswer>();
  }

  /** Sends a value as the body of a POST. */
  send(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.client.send('POST', '/graphql', {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async close(): Promise<void> {
    this.client.close();
    await this.#stop();
  }
}
