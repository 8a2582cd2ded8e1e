import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationSpec } from '../src/operations/index.ts';
import { exampleCalls, type Service, specificationFile } from './support/examples.ts';
import { refused, type SdkResult } from './support/expectations.ts';
import { type Prism, startProxy } from './support/prism.ts';

/** A running server for the tests. */
export interface Provider {
  readonly url: string;
  /** Ids of the operations that have a handler. */
  readonly built: readonly string[];
  stop(): Promise<void>;
}

/** The part of a generated SDK's client that the suite needs. */
export interface SdkClient {
  readonly interceptors: {
    readonly response: {
      use(see: (response: Response, request: Request, options: { url: string }) => Response): unknown;
    };
  };
}

export interface ScenarioContext<P, Client> {
  /** A client whose every request and response Prism checks against the specification. */
  readonly client: Client;
  /** A client of the server itself, for requests that Prism does not pass on unchanged: bad requests and bytes. */
  readonly direct: Client;
  /** A collection of this scenario only. */
  readonly collection: string;
  readonly server: P;
}

/** For each operation a scenario in which it succeeds, and fails as documented. */
export type Scenarios<P, Client> = Readonly<Record<string, (context: ScenarioContext<P, Client>) => Promise<void>>>;

export interface ProviderSuite<P extends Provider, Client extends SdkClient> {
  readonly service: Service;
  readonly operations: Readonly<Record<string, OperationSpec>>;
  readonly functions: Readonly<Record<string, unknown>>;
  readonly createClient: (url: string) => Client;
  readonly start: () => Promise<P>;
  readonly scenarios: Scenarios<P, Client>;
}

/**
 * The provider's side of the contract: the real server, called through its generated SDK and the Prism proxy, matches
 * the specification in every operation that it implements, and returns 501 for the others.
 */
export function providerSuite<P extends Provider, Client extends SdkClient>(suite: ProviderSuite<P, Client>): void {
  const { service, operations, functions, scenarios } = suite;

  describe(`the server of ${service} behind a proxy that checks its specification`, () => {
    const succeeded = new Set<string>();
    let server: P;
    let proxy: Prism;
    let client: Client;
    let direct: Client;

    beforeAll(async () => {
      server = await suite.start();
      proxy = await startProxy(specificationFile(service), server.url);
      const byRoute = new Map(Object.values(operations).map(({ id, method, path }) => [`${method} ${path}`, id]));
      [client, direct] = [proxy.url, server.url].map((url) =>
        recording(suite.createClient(url), byRoute, succeeded)
      ) as [Client, Client];
    });
    afterAll(async () => {
      await proxy?.stop();
      await server?.stop();
    });

    it.each(Object.entries(scenarios))('%s', async (operationId, scenario) => {
      await scenario({ client, direct, server, collection: `provider-${operationId.toLowerCase()}` });
      expect(succeeded, 'the scenario never saw its operation succeed').toContain(operationId);
    });

    it('has a scenario for each operation that is built, and for no other', () => {
      expect(Object.keys(scenarios).sort()).toEqual([...server.built].sort());
    });

    it('returns 501 to every other operation of the specification', async () => {
      const rest = exampleCalls(service).filter(({ operationId }) => !server.built.includes(operationId));
      expect(rest.length + server.built.length).toBe(Object.keys(operations).length);
      for (const { operationId, options } of rest) {
        const call = functions[operationId] as (options: object) => Promise<SdkResult<unknown>>;
        expect(refused(await call({ ...options, client: direct }), 501, 'not_implemented').error).toBe(
          `${operationId} is not implemented`,
        );
      }
    });
  });
}

/** Records each operation that succeeds for the client. */
function recording<Client extends SdkClient>(client: Client, byRoute: ReadonlyMap<string, string>,
  succeeded: Set<string>): Client
{
  client.interceptors.response.use((response, request, options) => {
    const id = byRoute.get(`${request.method} ${options.url}`);
    if (response.ok && id !== undefined) succeeded.add(id);
    return response;
  });
  return client;
}
