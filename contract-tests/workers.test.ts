import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import type { DocsServer } from '../src/testkit/docs-server.ts';
import type { HttpClient } from '../src/testkit/http-client.ts';
import { LocalIssuer } from '../src/testkit/local-issuer.ts';
import { clientsOf } from '../src/testkit/worker-clients.ts';
import { access } from './scenarios/access.ts';
import { codegraph } from './scenarios/codegraph.ts';
import { collections } from './scenarios/collections.ts';
import { curation } from './scenarios/curation.ts';
import { documents } from './scenarios/documents.ts';
import { fulltext } from './scenarios/fulltext.ts';
import { geo } from './scenarios/geo.ts';
import { hybrid } from './scenarios/hybrid.ts';
import { memory } from './scenarios/memory.ts';
import { revisions } from './scenarios/revisions.ts';
import { schemas } from './scenarios/schemas.ts';
import { spell } from './scenarios/spell.ts';
import { vectorOperations } from './scenarios/vector-operations.ts';
import { vectors } from './scenarios/vectors.ts';
import { ADMIN, AT_REST, startWithAuth, tokenOf } from './support/access-server.ts';

const SCENARIOS = {
  ...access,
  ...documents,
  ...revisions,
  ...collections,
  ...schemas,
  ...fulltext,
  ...curation,
  ...codegraph,
  ...memory,
  ...vectors,
  ...vectorOperations,
  ...hybrid,
  ...geo,
  ...spell,
};

/**
 * A `fetch` of one session that uses each process in turn. Each request sends the greatest LSN that an earlier response
 * contained.
 */
function sessionFetch(clients: readonly HttpClient[]): typeof fetch {
  let [turn, lsn] = [0, 0];
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = await clients[turn++ % clients.length]!.send(request.method, pathname + search, {
      headers: { ...Object.fromEntries(request.headers), 'X-Quire-Min-LSN': String(lsn) },
      ...(body.length > 0 && { body }),
    });
    lsn = Math.max(lsn, Number(answer.headers['x-quire-lsn'] ?? 0));
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(BODILESS.has(answer.status) ? null : new Uint8Array(answer.bytes), {
      status: answer.status,
      headers,
    });
  };
}

/** Statuses for which a `Response` accepts no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** The scenarios of the areas that workers serve, the same that a single process passes behind Prism. */
describe('two processes on one port keep the contract', { timeout: 60_000 }, () => {
  let server: DocsServer;
  let issuer: LocalIssuer;
  let client: ReturnType<typeof createClient>;
  let clients: HttpClient[];

  beforeAll(async () => {
    issuer = await LocalIssuer.start();
    server = await startWithAuth({
      ...AT_REST,
      ...issuer.environment,
      SVC_SPELL: 'true',
      SVC_WORKERS: '2',
      SVC_TEMPORAL: 'false',
      SVC_GRPC_ENABLED: 'false',
    });
    const token = await tokenOf(server.url, ADMIN);
    clients = await clientsOf(server, 2);
    client = createClient(createConfig({
      baseUrl: server.url,
      fetch: sessionFetch(clients),
      auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined),
    }));
  }, 120_000);
  afterAll(async () => {
    clients.forEach((each) => each.close());
    await server.stop();
    await issuer.stop();
  }, 60_000);

  it.each(Object.entries(SCENARIOS))('%s', async (operationId, scenario) => {
    await scenario({ client, direct: client, server, collection: `workers-${operationId.toLowerCase()}` });
    expect(server.errors).toEqual([]);
  });
});
